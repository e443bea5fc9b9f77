"""Who takes part in a gauntlet, and the one set of rules that says who can. Pure.

How this works. A gauntlet of the queue, one that this process plays (`--local`) and one that is played automatically
differ in where their participants come from: the database alone, or files as well. Each hands in a function from a word
to participants; what follows from the words is the same for all.

What a word means, in versions, depends on the candidate and on the board: see `opponents`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from engine.errors import Refused, UsageFault
from engine.immutable import immutable
from engine.text import listed
from engine.toolchains.params import Params, params_text
from ladder.choices import VersionState
from ladder.gauntlets.plan import BOUNDS, CONTEXT, OPPONENTS, OPPONENTS_BESIDE_A_BASELINE, VARIED
from ladder.ids import BotId, VersionId
from ladder.statistics.sprt_settings import SprtSettings

if TYPE_CHECKING:
    from ladder.bots.versions import Version

SELECTORS = "BOT@vN (a version), BOT (its present version), predecessor, prior:N, boss, board:topN"
MOST_DIGITS = 6


class WordKind(Enum):
    """What a word names. The value of those that take a number is the word's beginning."""

    VERSION = ""
    BOSS = "boss"
    PREDECESSOR = "predecessor"
    PRIOR = "prior:"
    BOARD_TOP = "board:top"


@immutable
class Word:
    """A word that was read. `most`: the number after `prior:` or `board:top`, else 1."""

    text: str
    kind: WordKind
    most: int = 1


def read_word(text: str) -> Word:
    for kind in (WordKind.BOSS, WordKind.PREDECESSOR):
        if text == kind.value:
            return Word(text, kind)
    for kind in (WordKind.PRIOR, WordKind.BOARD_TOP):
        if text.startswith(kind.value):
            digits = text.removeprefix(kind.value)
            if not digits.isdecimal() or len(digits) > MOST_DIGITS or int(digits) < 1:
                raise UsageFault(f"{text!r} needs a number, as in {kind.value}5: there are {SELECTORS}")
            return Word(text, kind, int(digits))
    if ":" in text or not text:
        raise UsageFault(f"{text!r} names no opponents: there are {SELECTORS}")
    return Word(text, WordKind.VERSION)


NO_ID = 0
"""Stands for the ids of what is not in the database; those of the database begin at 1."""
NO_BOT = BotId(NO_ID)


@immutable
class Participant:
    """Somebody who takes part. `id`: below 0 for a file; `bot` and so on: empty and 0 of a file that has none."""

    id: VersionId
    name: str
    game: str
    language: str
    bot: str = ""
    bot_id: BotId = NO_BOT
    number: int = 0
    state: str = VersionState.ACCEPTED

    def is_of(self, bot: str) -> bool:
        return bool(bot) and self.bot == bot


Meant: TypeAlias = Callable[[str], Sequence[Participant]]
Several: TypeAlias = tuple[Participant, ...]


@immutable
class LineupWords:
    """The words that name opponents. `context`: those of the opponents that are met for information only."""

    against: tuple[str, ...]
    context: tuple[str, ...] = ()


@immutable
class Lineup:
    """All who take part. `deciding_ids`: see ladder.gauntlets.plan.Plan; `context`: met for information only."""

    candidate: Participant
    baseline: Participant | None
    opponents: tuple[Participant, ...]
    deciding_ids: tuple[VersionId, ...] | None = None
    context: tuple[Participant, ...] = ()

    @property
    def participants(self) -> tuple[Participant, ...]:
        compared = () if self.baseline is None else (self.baseline,)
        return (self.candidate, *compared, *self.opponents, *self.context)


def vary(candidate: Participant, params: Params) -> Participant:
    """Return a candidate with parameters of its own: another than the file or version, which it can then meet."""
    name = f"{candidate.name} ({params_text(params)})"
    return replace(candidate, id=VARIED, name=name) if params else candidate


def participant(version: Version) -> Participant:
    return Participant(
        version.id,
        version.name,
        version.game,
        language=version.language,
        bot=version.bot,
        bot_id=version.bot_id,
        number=version.number,
        state=version.state,
    )


def make_lineup(candidate: Participant, baseline: Participant | None, words: LineupWords, meant: Meant) -> Lineup:
    """Return who takes part, each once, in order; without opponents those for information. Raises Refused."""
    compared = [candidate] if baseline is None else [candidate, baseline]
    if baseline is not None and baseline.id == candidate.id:
        raise Refused(f"{candidate.name} cannot be compared with itself")
    left_out = () if baseline is None else (baseline,)
    opponents = distinct(chain.from_iterable(map(meant, words.against)), left_out)
    context = distinct(chain.from_iterable(map(meant, words.context)), (*left_out, *opponents))
    for participant in (*compared, *opponents, *context):
        if participant.game != candidate.game:
            raise Refused(f"{participant.name} plays {participant.game}, and {candidate.name} plays {candidate.game}")
        require_accepted(participant)
    if candidate.id in {opponent.id for opponent in (*opponents, *context)}:
        raise Refused(f"{candidate.name} cannot play against itself")
    if not (opponents or context):
        named = words.against + words.context
        raise Refused(f"{listed(named)}: no such opponent for {candidate.name} yet; name others with --against")
    return lineup(candidate, baseline, opponents, context)


def lineup(candidate: Participant, baseline: Participant | None, opponents: Several, context: Several) -> Lineup:
    if not opponents:
        opponents, context = context, ()
    deciding = deciding_ids(candidate, opponents) if baseline is None else None
    return Lineup(candidate, baseline, opponents, deciding, context)


def distinct(named: Iterable[Participant], left_out: Iterable[Participant] = ()) -> tuple[Participant, ...]:
    ids = {participant.id for participant in left_out}
    return tuple({participant.id: participant for participant in named if participant.id not in ids}.values())


def lineup_of_those_there(candidate: Participant, words: LineupWords, meant: Meant) -> Lineup | None:
    """Return who takes part where a word may have no meaning any more, or not yet; None if no opponent is left."""

    def there(named: Iterable[str]) -> Iterator[Participant]:
        for word in named:
            with suppress(Refused, UsageFault):
                for opponent in meant(word):
                    if opponent.game == candidate.game and opponent.state == VersionState.ACCEPTED:
                        yield opponent

    opponents = distinct(there(words.against), [candidate])
    context = distinct(there(words.context), [candidate, *opponents])
    return lineup(candidate, None, opponents, context) if opponents or context else None


def require_accepted(participant: Participant) -> None:
    name, state = participant.name, participant.state
    if state == VersionState.REJECTED:
        raise Refused(f"{name} was rejected, so it cannot play; `ladder bot show {participant.bot}` says why")
    if state == VersionState.RECORDED:
        raise Refused(f"{name} was imported without its source: it stays on record and never plays")


def deciding_ids(candidate: Participant, opponents: Sequence[Participant]) -> tuple[VersionId, ...] | None:
    """Return who decides; None: all together. Of the candidate's own bot it is `version_before`."""
    of_bot = {opponent.number: opponent.id for opponent in opponents if opponent.is_of(candidate.bot)}
    before = version_before(candidate.number, of_bot)
    return None if before is None else (of_bot[before],)


def version_before(number: int, others: Iterable[int]) -> int | None:
    """Return the last version before one, or else the first after it, by their numbers."""
    return min(others, key=lambda other: (other > number, abs(number - other)), default=None)


def lacks_earlier(chosen: Lineup, words: Iterable[str]) -> bool:
    """Say whether the candidate was to be compared with earlier versions of its bot, and there is none yet."""
    is_asked_for = any(read_word(word).kind in {WordKind.PREDECESSOR, WordKind.PRIOR} for word in words)
    return is_asked_for and not any(opponent.is_of(chosen.candidate.bot) for opponent in chosen.opponents)


@immutable
class GauntletRequest:
    """What somebody asks for. `variants`: one set is the candidate's, more are compared.

    `against`, `context`: words, or the usual ones; `league`: None: the bot's; `seeds`: else from `seed`, else chance;
    `players`: None: as many as can be; `minutes`: the bounds follow from that.
    """

    candidate: str
    asked_by: str
    against: tuple[str, ...] = ()
    baseline: str | None = None
    pairs: int | None = None
    test: SprtSettings | None = None
    seed: int | None = None
    seeds: tuple[int, ...] | None = None
    league: str | None = None
    game: str | None = None
    gates: bool = False
    context: tuple[str, ...] | None = None
    variants: tuple[Params, ...] = ()
    players: int | None = None
    minutes: float | None = None

    @property
    def question(self) -> SprtSettings | None:
        """Return the sequential test that answers it; None for a fixed number of pairs. Of `minutes`, the usual one."""
        lengths = () if self.minutes is not None else (self.pairs, self.seeds)
        return asked_or_usual(self.test, *lengths)

    @property
    def words(self) -> LineupWords:
        return words_or_usual(self.against, self.context, has_baseline=self.baseline is not None)


def words_or_usual(against: Sequence[str], context: Sequence[str] | None, *, has_baseline: bool) -> LineupWords:
    """Without other words there are opponents for information too, unless a baseline is compared."""
    opponents = tuple(against) or (OPPONENTS_BESIDE_A_BASELINE if has_baseline else OPPONENTS)
    usual = () if against or has_baseline else CONTEXT
    return LineupWords(opponents, usual if context is None else tuple(context))


def asked_or_usual(test: SprtSettings | None, *lengths: int | tuple[int, ...] | None) -> SprtSettings | None:
    """None where there is a length instead: `lengths` are the number of pairs and the seeds, if given."""
    return SprtSettings(*BOUNDS) if test is None and lengths.count(None) == len(lengths) else test
