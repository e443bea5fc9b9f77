"""In which turns a match was lost, and of what a bot dies: lost matches in bulk, each led again by the rules.

How this works. Of one match: what brought the loser nearer to its end, and this end. Of many, told in the game's own
words and counted: how each was lost (a fault, the last blow, or what cost most), from which turn on the bot was behind
for good by the game's own measure, what it had ready and did not use to its end, and in how many cells it could be, as
its opponent knew.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import accumulate, groupby
from statistics import median

from engine.conversation import Outcome, SeatVerdict, Verdict
from engine.frames import Damage, Unused
from engine.game import Games
from engine.immutable import immutable
from engine.replay import FAULT_KINDS, HIDDEN, Replay, ReplayTurn
from engine.text import listed
from ladder.ids import MatchId
from ladder.names import read_version
from ladder.views.turns.watched_match import WatchedMatch

LOSS = "loss"
EXAMPLES = 3
LEAST_UNUSED = 3
STEPS = (10, 25, 50, 100, 200)


@immutable
class Blow:
    """What brought a side nearer to losing. `own_turn`: its latest by `turn`; `cause`: as "torpedo of orca", or ""."""

    turn: int
    own_turn: int
    kind: str
    amount: int
    cause: str
    text: str


@immutable
class LossStory:
    """How a seat lost, by its game's own events; `sentence`: all of it in words."""

    seat: int
    blows: tuple[Blow, ...]
    sentence: str


def loss_in(match: WatchedMatch) -> LossStory | None:
    """Say in which turns a match of two was lost; None where that is not shown."""
    if len(match.seats) != 2 or not match.replay.turns:
        return None
    verdicts = tuple(SeatVerdict(Verdict(seat.verdict or Verdict.OK), seat.message) for seat in match.seats)
    outcome = Outcome(tuple(seat.score or 0 for seat in match.seats), match.reason, verdicts)
    return loss_of(match.replay, outcome, [seat.version for seat in match.seats])


def loss_of(replay: Replay, outcome: Outcome, names: Sequence[str]) -> LossStory | None:
    """Say in which turns a match was lost; None of a draw, and where its game or its record does not show it."""
    damage, winner = replay.damage, outcome.winner
    if damage is None or winner is None:
        return None
    loser = 1 - winner
    blows = tuple(blows_of(replay.turns, damage, loser, [name.partition("@")[0] for name in names]))
    turns = turns_text(blows, damage, outcome.verdicts[loser].verdict) or costly_text(replay, loser)
    if not turns:
        return None
    return LossStory(loser, blows, f"{names[loser]} lost {outcome.scores[loser]}:{outcome.scores[winner]}; {turns}")


def blows_of(turns: Sequence[ReplayTurn], damage: Damage, loser: int, names: Sequence[str]) -> Iterator[Blow]:
    """Yield what brought a seat nearer to losing. The end is always the loser's, whoever's doing it was."""
    for turn, own_turn in zip(turns, accumulate(int(turn.seat == loser) for turn in turns), strict=True):
        cause = ""
        for event in turn.events:
            if event.kind in damage.causes:
                word = damage.causes[event.kind]
                cause = f"own {word}" if event.seat == loser else f"{word} of {names[event.seat]}"
            by_fault = event.seat == loser and event.kind in FAULT_KINDS
            if by_fault or event.kind == damage.end_kind or (event.kind, event.seat) == (damage.kind, loser):
                why = "" if by_fault else cause
                yield Blow(turn.number, own_turn, event.kind, event.amount, why, event.text)


def turns_text(blows: Sequence[Blow], damage: Damage, verdict: Verdict) -> str:
    end = next((blow for blow in blows if blow.kind in {damage.end_kind, *FAULT_KINDS}), None)
    before = [blow for blow in blows if end is None or blow.turn != end.turn]
    word = "turn" if len({blow.own_turn for blow in before}) == 1 else "turns"
    parts = [f"{damage.title} on its {word} {causes_text(before)}"] if before else []
    if end is not None:
        where = f"{end.own_turn}" if before else f"its turn {causes_text([end])}"
        parts.append(f"{damage.end_title if verdict is Verdict.OK else verdict.words} on {where}")
    return ", ".join(parts)


def causes_text(blows: Sequence[Blow]) -> str:
    """Write the loser's own turns, with their cause behind those that have the same: `36, 47 (torpedo of orca), 51`."""
    parts = []
    for cause, same in groupby(blows, key=lambda blow: blow.cause):
        turns = ", ".join(map(str, dict.fromkeys(blow.own_turn for blow in same)))
        parts.append(f"{turns} ({cause})" if cause else turns)
    return ", ".join(parts)


def costly_text(replay: Replay, loser: int) -> str:
    counts = list(accumulate(int(turn.seat == loser) for turn in replay.turns))
    turns = [str(turn) for turn in sorted({counts[number - 1] for number in replay.turning_points})]
    return f"it fell back most on its {'turn' if len(turns) == 1 else 'turns'} {listed(turns)}" if turns else ""


@immutable
class Defeat:
    """A lost match. `kind`: how, in the game's words; `last_turn`: of the bot's own; `sentence`: "" where unknown.

    `behind_since`: the bot's own turn from which on it was behind, `turn`: of the match; None: it never was. `known`:
    in how many cells it could be, as the opponent knew. `unused`: what was ready in its last turns, with their number.
    """

    match: MatchId | str
    opponent: str
    seat: int
    seed: int
    kind: str
    last_turn: int
    behind_since: int | None
    turn: int | None
    known: int | None
    unused: Mapping[str, int]
    sentence: str


class By(StrEnum):
    """What lost matches are counted by."""

    KIND = "kind"
    OPPONENT = "opponent"
    SEAT = "seat"
    MAP = "map"
    TURN = "turn"
    UNUSED = "unused"


@immutable
class LossExample:
    """A match to look at. `turn`: from which on the bot was behind, or None."""

    match: MatchId | str
    turn: int | None


@immutable
class LossGroup:
    """Lost matches that have something in common. `share`: of all that were lost; medians: over those that know it."""

    by: By
    value: str
    losses: int
    share: float
    median_behind_since: float | None
    median_last_turn: float
    median_known: float | None
    examples: tuple[LossExample, ...]


def lost_by(match: WatchedMatch, bot: str) -> int | None:
    seats = [row.seat for row in match.seats if row.result == LOSS]
    return next((seat for seat in seats if read_version(match.seats[seat].version)[0].lower() == bot.lower()), None)


def defeats_of(games: Games, matches: Iterable[WatchedMatch], bot: str) -> list[Defeat]:
    """Tell how a bot lost, of those matches that it did lose. Raises UnknownName for the game."""
    lost = ((match, lost_by(match, bot)) for match in matches)
    return [defeat_in(games, match, seat) for match, seat in lost if seat is not None]


def defeat_in(games: Games, match: WatchedMatch, seat: int) -> Defeat:
    """Tell how a seat lost. Raises UnknownName for the game."""
    pictures = games.find(match.game).pictures()
    replay, names = match.replay, [one.version for one in match.seats]
    loss = loss_in(match)
    turns = [turn for turn in replay.turns if turn.seat == seat]
    behind = behind_since(replay, seat)
    hidden = next((one for one in replay.curves if one.kind == HIDDEN), None)
    cells = None if hidden is None else hidden.values[seat][-1]
    return Defeat(
        match=match.id,
        opponent=", ".join(name for other, name in enumerate(names) if other != seat),
        seat=seat,
        seed=match.seed,
        kind=kind_of(match, seat, Verdict(match.seats[seat].verdict or Verdict.OK), loss),
        last_turn=len(turns),
        behind_since=None if behind is None else sum(turn.number <= behind for turn in turns),
        turn=behind,
        known=None if cells is None else int(cells),
        unused={} if pictures is None or pictures.unused is None else unused_of(replay, seat, pictures.unused),
        sentence="" if loss is None else loss.sentence,
    )


def kind_of(match: WatchedMatch, seat: int, verdict: Verdict, loss: LossStory | None) -> str:
    """By a fault of its own, else by the cause of the last blow, else by what cost it most, else as the match ended."""
    damage, turns = match.replay.damage, match.replay.turns
    if verdict is not Verdict.OK or damage is None:
        return match.ending if verdict is Verdict.OK else verdict.words
    blows = [] if loss is None else list(blows_of(turns, damage, seat, ["opponent"] * len(match.seats)))
    causes = [blow.cause.removesuffix(" of opponent") for blow in blows if blow.cause]
    if causes:
        return causes[-1]
    for number in match.replay.turning_points:
        costs: Counter[str] = Counter()
        for event in turns[number - 1].events:
            if event.seat == seat and event.kind in damage.setbacks:
                costs[damage.setbacks[event.kind]] += event.amount
        if costs:
            return costs.most_common(1)[0][0]
    return damage.end_title if any(blow.kind == damage.end_kind for blow in blows) else match.ending


def behind_since(replay: Replay, seat: int) -> int | None:
    """Return the turn of the match from which on a seat was behind to the end; None where it was not, or is unknown."""
    sign = 1 if seat == 0 else -1
    turn = None
    for row in replay.turns:
        if row.advantage is None:
            return None
        if sign * row.advantage >= 0:
            turn = None
        elif turn is None:
            turn = row.number
    return turn


def unused_of(replay: Replay, seat: int, unused: Unused) -> dict[str, int]:
    """Return what was ready after each of the seat's last turns, with the number of these, where they are some."""
    counts: Counter[str] = Counter()
    going: set[str] | None = None
    for turn in reversed([row for row in replay.turns if row.seat == seat]):
        if turn.state is None or replay.setup is None:
            return {}
        words = set(unused(replay.setup, turn.state, seat)) if any(turn.state.values()) else set[str]()
        going = words if going is None else going & words
        if not going:
            break
        counts.update(going)
    return {word: count for word, count in sorted(counts.items()) if count >= LEAST_UNUSED}


VALUES: Mapping[By, Callable[[Defeat], Iterable[str]]] = {
    By.KIND: lambda one: [one.kind],
    By.OPPONENT: lambda one: [one.opponent],
    By.SEAT: lambda one: [str(one.seat)],
    By.MAP: lambda one: [str(one.seed)],
    By.TURN: lambda one: [turns_of_group(one.behind_since)],
    By.UNUSED: lambda one: one.unused or ["nothing"],
}


def groups(defeats: Sequence[Defeat], by: By) -> list[LossGroup]:
    """Count lost matches, most first; turns in their order."""
    by_value: dict[str, list[Defeat]] = {}
    for defeat in defeats:
        for value in VALUES[by](defeat):
            by_value.setdefault(value, []).append(defeat)
    rows = [group_of(by, value, alike, len(defeats)) for value, alike in by_value.items()]
    if by is By.TURN:
        order = {turns_of_group(step): place for place, step in enumerate((*STEPS, STEPS[-1] + 1, None))}
        return sorted(rows, key=lambda row: order[row.value])
    return sorted(rows, key=lambda row: (-row.losses, row.value))


def group_of(by: By, value: str, alike: Sequence[Defeat], whole: int) -> LossGroup:
    behind = [defeat.behind_since for defeat in alike if defeat.behind_since is not None]
    cells = [defeat.known for defeat in alike if defeat.known is not None]
    return LossGroup(
        by,
        value,
        losses=len(alike),
        share=len(alike) / whole,
        median_behind_since=median(behind) if behind else None,
        median_last_turn=median(defeat.last_turn for defeat in alike),
        median_known=median(cells) if cells else None,
        examples=tuple(LossExample(defeat.match, defeat.turn) for defeat in alike[:EXAMPLES]),
    )


def turns_of_group(turn: int | None) -> str:
    if turn is None:
        return "not behind"
    first = 1
    for last in STEPS:
        if turn <= last:
            return f"{first} to {last}"
        first = last + 1
    return f"{first} and later"
