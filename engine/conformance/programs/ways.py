"""The ways in which a referee program is tried: by which protocol it asks, and by seeds of which width, or without any.

How this works. A way is best in which the same seed and the same answers are the same match; else the parameters that
the referee gives back may repeat one. A referee that knows no seed may take the line of the seed for another one, and
lead matches that are none. So a way is left out in which it never asks some seat, asks one far less often than without
seeds, or always blames one that it never blames there. Where nothing repeats a match, it is given no seed, if that can
be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from engine.conformance.programs.finding import ProgramCheck, Proof
from engine.conformance.programs.matches import Checked, Said, difference, said_in
from engine.conversation import OK
from engine.errors import RefereeFault
from engine.game import Game
from engine.match import MatchResult
from engine.referees.java import has_referee_main, jar_of
from engine.referees.program import ProtocolKind, RefereeProgram, RepeatedBy, Reuse
from engine.sandbox.box import Sandbox

WAYS = {
    ProtocolKind.SDK: (64, 31),
    ProtocolKind.BRUTALTESTER: (31, 0),
}
"""Which widths of seeds are tried; 0: the referee gets none."""
MORE_SEEDS = 5
"""So many matches more are played where those of two ways are far from each other: chance is no reason."""
FAR = 2
"""A seat that is asked so many times less often in one way than in another is not asked as it should be."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way in which the referee was tried, and what came of it.

    `matches`: those that were played live; () where it broke with each number of players. `parts`: where a fresh
    referee went another way, in words; "" where it did not. `broke`: how it broke with the first number that it did not
    lead.
    """

    checked: Checked
    matches: tuple[MatchResult, ...]
    parts: str = ""
    broke: str = ""

    @property
    def bits(self) -> int:
        """How wide its seeds are."""
        return self.checked.program.seed_bits

    @property
    def is_repeated(self) -> bool:
        """Whether the same answers were the same match."""
        return bool(self.matches) and not self.parts


def seeds_of(bits: int, number: int) -> list[int]:
    """Return that many seeds of a width; they are the same in every check."""
    chance = Random("the seeds of a check")  # noqa: S311 - it is no secret
    if bits == 64:
        return [chance.getrandbits(64) - 2**63 for _ in range(number)]
    return [chance.getrandbits(31) for _ in range(number)]


def repeating_way(found: ProgramCheck, checked: Checked, seeds: int) -> Way | None:
    """Find out how a match can be repeated, and return the way that is best; None where no match can be played."""
    tried = tried_ways(checked, seeds)
    playing = [way for way in tried if way.matches]
    if not playing:
        found.found("matches", f"no match can be played: {tried[0].broke}", Proof.WRONG)
        return None
    right = [way for way in tried if not is_left_out(found, way, tried)]
    way = best_way(right or playing)
    if not way.is_repeated:
        return without_seed(found, way)
    found.found("repeated", by_seed_words(way.bits), seed_bits=way.bits, repeatable=True, repeated_by="seed")
    return replace(way, checked=way.checked.by(repeated_by=RepeatedBy.SEED))


def tried_ways(checked: Checked, seeds: int) -> list[Way]:
    """Try the ways up to the one that repeats a match; where one is without a seed, all of them."""
    widths = WAYS[checked.program.kind]
    ways: list[Way] = []
    for bits in widths:
        ways.append(tried_way(checked.by(seed_bits=bits), bits, seeds))
        if ways[-1].is_repeated and 0 not in widths:
            break
    return ways


def best_way(ways: Sequence[Way]) -> Way:
    """Return the first way by whose seeds matches are repeated, and that another seed changes; else one without."""
    repeating = [way for way in ways if way.is_repeated]
    if len(repeating) > 1:
        repeating = [way for way in repeating if way.bits and seed_matters(way)] or repeating[-1:]
    return next(iter(repeating), None) or next((way for way in ways if way.bits == 0), ways[0])


def is_left_out(found: ProgramCheck, way: Way, tried: Sequence[Way]) -> bool:
    """Say whether the matches of a way are none, as another one shows, and note why."""
    why = next(filter(None, (why_left_out(way, other) for other in tried if other is not way and other.matches)), "")
    if why:
        found.found("ways", f"{with_words(way.bits)} its matches are none: {why}")
    return bool(why)


def why_left_out(way: Way, other: Way) -> str:
    """Say why the matches of a way are none, where another one shows it; "" where that does not."""
    if not way.matches or (way.broke and not other.broke):
        return way.broke
    if way.matches[0].spec.players != other.matches[0].spec.players or not apart(way, other):
        return ""
    return apart(with_more_matches(way), with_more_matches(other))


def with_more_matches(way: Way) -> Way:
    """Return a way with further matches that were played live, as far as it can be played."""
    number = len(way.matches)
    try:
        more = [
            way.checked.played(seed, way.matches[0].spec.players)
            for seed in seeds_of(way.bits, number + MORE_SEEDS)[number:]
        ]
    except RefereeFault:
        return way
    return replace(way, matches=(*way.matches, *more))


def apart(way: Way, other: Way) -> str:
    """Say what all matches of a way lack that all of another have, or whom they alone blame; "" for nothing."""
    for seat in range(way.matches[0].spec.players):
        most = max(times_asked(result, seat) for result in way.matches)
        least = min(times_asked(result, seat) for result in other.matches)
        if most < least and FAR * most <= least:
            return f"seat {seat} is asked at most {most} times, and at least {least} times {with_words(other.bits)}"
    always = set.intersection(*(blamed_in(result) for result in way.matches))
    for seat in sorted(always.difference(*(blamed_in(result) for result in other.matches))):
        return f"seat {seat} is blamed in each of them, and in none {with_words(other.bits)}"
    return ""


def times_asked(result: MatchResult, seat: int) -> int:
    """Return how often a bot was asked in a match."""
    return sum(turn.seat == seat for turn in result.turns)


def blamed_in(result: MatchResult) -> set[int]:
    """Return the seats that did something wrong in a match, by their verdicts or by the words of the older protocol."""
    words = "\n".join(result.notes.summaries if result.notes else ())
    named = {line.split(maxsplit=1)[0] for line in words.split("\n") if line.strip()}
    verdicts = enumerate(result.outcome.verdicts)
    return {seat for seat, verdict in verdicts if verdict != OK or str(seat) in named}


def with_words(bits: int) -> str:
    """Say in which way a referee was tried."""
    return f"with seeds of {bits} bits" if bits else "without seeds"


def without_seed(found: ProgramCheck, way: Way) -> Way:
    """Find out whether parameters repeat what seeds do not."""
    by_parameters = repeated_by_parameters(way)
    found.found(
        "repeated",
        "the parameters that the referee gives back repeat a match, its seed does not: they are stored with matches"
        if by_parameters
        else f"no match can be repeated ({way.parts}): no pairs on one seed, no gauntlets with --baseline, no replays",
        seed_bits=way.bits,
        repeatable=by_parameters,
        repeated_by="parameters" if by_parameters else "seed",
    )
    repeated_by = RepeatedBy.PARAMETERS if by_parameters else RepeatedBy.NOTHING
    return replace(way, checked=way.checked.by(repeated_by=repeated_by))


def by_seed_words(bits: int) -> str:
    """Say what repeats a match."""
    if bits == 0:
        return "a match is repeated without any seed: the bots' answers alone decide it"
    return f"the same seed and the same answers are the same match; seeds have {bits} bits"


def tried_way(checked: Checked, bits: int, seeds: int) -> Way:
    """Play matches with seeds of a width, and each again with the same answers."""
    fault = ""
    for players in checked.game.players:
        try:
            matches = tuple(checked.played(seed, players) for seed in seeds_of(bits, seeds))
            require_all_asked(matches)
            return Way(checked, matches, first_difference(matches, checked.played_again), fault)
        except RefereeFault as broke:
            fault = fault or str(broke)
    return Way(checked, (), broke=fault)


def require_all_asked(matches: Sequence[MatchResult]) -> None:
    """Raise RefereeFault where a seat was asked in none of the matches, although no bot ended one by a fault."""
    players = matches[0].spec.players
    unasked = [seat for seat in range(players) if not any(times_asked(result, seat) for result in matches)]
    if unasked and not any(has_failed(result) for result in matches):
        notes = matches[0].notes
        raise RefereeFault(f"the referee never asks seat {unasked[0]}{notes.last_words() if notes else ''}")


def has_failed(result: MatchResult) -> bool:
    return any(result.outcome.verdicts[turn.seat] != OK for turn in result.turns)


def first_difference(matches: Sequence[MatchResult], again: Callable[[MatchResult], Said]) -> str:
    """Say where a match goes another way when it is played again; "" where none does."""
    return next(filter(None, (difference(said_in(result), again(result)) for result in matches)), "")


def repeated_by_parameters(way: Way) -> bool:
    """Say whether a fresh referee that is given the parameters of a match plays that one again."""

    def again(result: MatchResult) -> Said:
        return way.checked.played_again(result, parameters=result.notes.parameters if result.notes else ())

    try:
        return all(result.notes and result.notes.parameters for result in way.matches) and not first_difference(
            way.matches, again
        )
    except RefereeFault:
        return False


def seed_matters(way: Way) -> bool:
    """Say whether another seed is another match, though the answers are the same."""
    other = seeds_of(way.bits, len(way.matches) + 1)[-1]
    try:
        return difference(said_in(way.matches[0]), way.checked.played_again(way.matches[0], seed=other)) is not None
    except RefereeFault:
        return True


def why_silent(game: Game, program: RefereeProgram, sandbox: Sandbox) -> str:
    """Say why a referee asks no bot anything, with any number of players; "" where it does.

    Raises MissingTool, SandboxFault, and HostBusy where the host kept it from its work.
    """
    why = ""
    narrowest = WAYS[program.kind][-1]
    checked = Checked(game, replace(program, reuse=Reuse.NONE, seed_bits=narrowest), (), sandbox)
    for players in game.players:
        try:
            if checked.first_question(seeds_of(narrowest, 1)[0], players) is not None:
                return ""
        except RefereeFault as fault:
            why = why or str(fault)
    return why


def shows_sdk(program: RefereeProgram) -> bool:
    """Say whether a program is a jar with the class of the SDK that speaks `sdk`. Raises UsageFault for no jar."""
    jar = jar_of(program.command)
    return jar is not None and has_referee_main(program.folder / jar)


def is_doubtful(program: RefereeProgram) -> bool:
    """Say whether a program is to speak `sdk`, and is a jar without the SDK's class: those of before it do, too."""
    return program.kind is ProtocolKind.SDK and jar_of(program.command) is not None and not shows_sdk(program)
