"""The check of a referee program: it leads matches, and a fresh one is given the same answers.

How this works. First the best *way* is looked for in which a match can be repeated: by which protocol the referee asks,
and by seeds of which width, or without any. With it the rest is found out: which numbers of players it leads, whether
seeds matter, whether its limits come from a bank of time, what its fault line does, and whether one JVM can play many
matches. Without bots only first questions can be compared.

A way is best in which the same seed and the same answers are the same match; else the parameters that the referee gives
back may repeat one. A referee that knows no seed may take the line of the seed for another one. So a way is left out in
which it never asks some seat, asks one far less often than without seeds, or always blames one that it never blames
there. Where nothing repeats a match it is given no seed, if that can be. Two plays are compared by their questions
(seat, lines, number of answer lines, limits) and their scores; what is shown to people may differ.

Each seed is played some times with the same bots. Where they end alike each time, and bots draw no lots, its seed
repeats a match. What the bots report of themselves may differ.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from itertools import zip_longest
from random import Random
from typing import Any, TypeVar

from engine.bot.clock import Spent
from engine.bot.conditions import OFFICIAL
from engine.bot.output import Reply
from engine.conversation import OK, Ask
from engine.cores import core_for_a_match
from engine.errors import ArenaError, HostBusy, RefereeFault, UsageFault
from engine.game import Game
from engine.immutable import immutable
from engine.live import play, program_referee
from engine.match import MatchResult, MatchSpec, Player, Recorded, Script, converse
from engine.referees.edition import Value
from engine.referees.notes import Question
from engine.referees.program import (
    ProtocolKind,
    RefereeProgram,
    RepeatedBy,
    Reuse,
    has_referee_main,
    jar_of,
    jar_start,
    takes_seed,
)
from engine.sandbox.box import Sandbox
from engine.text import shortened
from engine.toolchains.program import Program

TRUSTING = replace(OFFICIAL, trusted=True)
"""Who names bots for a check trusts them as far as a command takes."""
PAUSES_S = (1, 5, 15, 30, 60)
"""A match that the host was too busy for is played again, each time after a longer pause."""
T = TypeVar("T")


@immutable
class Checked:
    """The game that is checked, the bots that play it, and where."""

    game: Game
    program: RefereeProgram
    bots: Sequence[Program]
    sandbox: Sandbox

    def by(self, **settings: Any) -> Checked:
        return replace(self, program=replace(self.program, **settings))

    @property
    def rules_level(self) -> int:
        return self.game.leagues[-1].rules_level

    @property
    def bits(self) -> int:
        """Of the seeds that the referee is given; 0: it gets none."""
        return self.program.seed_bits

    def seeds(self, number: int) -> list[int]:
        """Return seeds that are the same in every check."""
        chance = Random("the seeds of a check")  # noqa: S311 - it is no secret
        return [chance.getrandbits(64) - 2**63 if self.bits == 64 else chance.getrandbits(31) for _ in range(number)]

    def spec(self, seed: int, players: int, parameters: tuple[tuple[str, str], ...] = ()) -> MatchSpec:
        game = replace(self.game, program=self.program)
        return MatchSpec(game, self.rules_level, seed, players=players, parameters=parameters)

    def seats(self, players: int) -> list[Program]:
        return [self.bots[seat % len(self.bots)] for seat in range(players)]

    def play(self, seed: int, players: int) -> MatchResult:
        return patiently(lambda: play(self.spec(seed, players), self.seats(players), self.sandbox, TRUSTING))

    def play_again(self, result: MatchResult, seed: int | None = None, *, by_parameters: bool = False) -> RefereeTrace:
        """`seed`: another one than that of the match; `by_parameters`: those that it gave back. Raises RefereeFault."""
        players = result.spec.players
        parameters = result.notes.parameters if by_parameters and result.notes else ()
        spec = self.spec(result.spec.seed if seed is None else seed, players, parameters)
        return patiently(lambda: self._lead(spec, [Recorded(result, seat) for seat in range(players)]))

    def _lead(self, spec: MatchSpec, players: Sequence[Player]) -> RefereeTrace:
        with core_for_a_match(), program_referee(spec, self.sandbox, OFFICIAL) as referee:
            referee.ready()
            scores: tuple[int, ...] | None = None
            try:
                outcome, _ = converse(spec, players, referee.conversation())
                scores = outcome.scores
            except (RefereeFault, HostBusy):
                raise
            except ArenaError:  # the record has no answer to that question
                pass
            return RefereeTrace(referee.notes().questions, scores)

    def with_silence(self, seed: int, players: int) -> MatchResult:
        """Play a match in which seat 0 never answers. Raises RefereeFault."""
        programs, scripts = [None, *self.seats(players)[1:]], [Script()] * players
        return patiently(lambda: play(self.spec(seed, players), programs, self.sandbox, TRUSTING, scripts=scripts))

    def first_question(self, seed: int, players: int) -> Question | None:
        trace = patiently(lambda: self._lead(self.spec(seed, players), [LeftAtOnce()] * players))
        return next((question for question in trace.questions if question.limit_ms is not None), None)


def patiently(attempt: Callable[[], T]) -> T:
    """Try again after a pause where the host was too busy, and say so. Raises what it raises."""
    for pause_s in PAUSES_S:
        try:
            return attempt()
        except HostBusy as busy:
            sys.stderr.write(f"ladder: {busy}; the check goes on in {pause_s} s\n")
            time.sleep(pause_s)
    return attempt()


class LeftAtOnce:
    def ask(self, ask: Ask) -> Reply:
        raise ArenaError(f"the first question, to seat {ask.seat}, is all that is to be seen")


@immutable
class RefereeTrace:
    """What a referee asked in a match, and the scores; None where the match was left before its end."""

    questions: tuple[Question, ...]
    scores: tuple[int, ...] | None


def trace_of(result: MatchResult) -> RefereeTrace:
    return RefereeTrace(result.notes.questions if result.notes else (), result.outcome.scores)


def difference(first: RefereeTrace, second: RefereeTrace) -> str | None:
    for number, (old, new) in enumerate(zip_longest(first.questions, second.questions), 1):
        if old != new:
            return f"question {number}: {'; '.join(parts_that_differ(old, new))}"
    if first.scores != second.scores:
        before, after = (" ".join(map(str, trace.scores or ["none"])) for trace in (first, second))
        return f"the scores: {before}, then {after}"
    return None


def parts_that_differ(old: Question | None, new: Question | None) -> Iterator[str]:
    """None: that match has no such question."""
    if old is None or new is None:
        yield "only one of the two matches has it"
        return
    if (old.seat, old.answer_lines) != (new.seat, new.answer_lines):
        yield f"seat {old.seat} with {old.answer_lines} answer lines, then seat {new.seat} with {new.answer_lines}"
    if old.limit_ms != new.limit_ms:
        yield f"a limit of {old.limit_ms} ms, then of {new.limit_ms} ms"
    for number, (line, second) in enumerate(zip_longest(old.lines, new.lines), 1):
        if line != second:
            yield f'line {number}: "{shortened(str(line))}", then "{shortened(str(second))}"'
            return


class Proof(StrEnum):
    """How sure something is. `wrong`: shown not to be as the game's file says."""

    SHOWN = "shown"
    UNPROVEN = "unproven"
    WRONG = "wrong"


@immutable
class ProgramFinding:
    """One thing that was looked at. `about`: a word for it; `words`: what was found, a sentence."""

    about: str
    words: str
    proof: Proof = Proof.SHOWN


@dataclass(slots=True)
class ProgramCheck:
    """All that was found. `values`: keys of `game.toml` and their values, by tables; "" is the file's own."""

    findings: list[ProgramFinding] = field(default_factory=list[ProgramFinding])
    values: dict[str, dict[str, Value]] = field(default_factory=dict[str, "dict[str, Value]"])

    def note(self, about: str, words: str, proof: Proof = Proof.SHOWN, table: str = "", **values: Value) -> None:
        """`table` and `values`: what `game.toml` is to say of it."""
        self.findings.append(ProgramFinding(about, words, proof))
        if values:
            self.values.setdefault(table, {}).update(values)

    @property
    def is_sound(self) -> bool:
        """Whether the game can be played, and nothing is other than its file says."""
        return all(finding.proof is not Proof.WRONG for finding in self.findings)


WAYS = {ProtocolKind.SDK: (64, 31), ProtocolKind.BRUTALTESTER: (31, 0)}
"""Which widths of seeds are tried; 0: the referee gets none."""
MORE_SEEDS = 5
"""So many matches more are played where those of two ways are far from each other: chance is no reason."""
FAR = 2
"""A seat that is asked so many times less often in one way than in another is not asked as it should be."""


@immutable
class Way:
    """A way in which the referee was tried. `matches`: played live; () where it broke. `parts`: where a fresh referee
    went another way; "" where it did not. `broke`: how, with the first number of players that it did not lead.
    """

    checked: Checked
    matches: tuple[MatchResult, ...]
    parts: str = ""
    broke: str = ""

    @property
    def is_repeated(self) -> bool:
        return bool(self.matches) and not self.parts


def find_repeating_way(report: ProgramCheck, checked: Checked, seeds: int) -> Way | None:
    tried = try_ways(checked, seeds)
    if not (playing := [way for way in tried if way.matches]):
        report.note("matches", f"no match can be played: {tried[0].broke}", Proof.WRONG)
        return None
    right = [way for way in tried if not is_left_out(report, way, tried)]
    way = best_way(right or playing)
    if not way.is_repeated:
        return note_no_seed(report, way)
    words = "a match is repeated without any seed: the bots' answers alone decide it"
    if way.checked.bits:
        words = f"the same seed and the same answers are the same match; seeds have {way.checked.bits} bits"
    report.note("repeated", words, seed_bits=way.checked.bits, repeatable=True, repeated_by="seed")
    return replace(way, checked=way.checked.by(repeated_by=RepeatedBy.SEED))


def try_ways(checked: Checked, seeds: int) -> list[Way]:
    widths = WAYS[checked.program.kind]
    ways: list[Way] = []
    for bits in widths:
        ways.append(try_way(checked.by(seed_bits=bits), seeds))
        if ways[-1].is_repeated and 0 not in widths:
            break
    return ways


def best_way(ways: Sequence[Way]) -> Way:
    repeating = [way for way in ways if way.is_repeated]
    if len(repeating) > 1:
        repeating = [way for way in repeating if way.checked.bits and seed_matters(way)] or repeating[-1:]
    return next(iter(repeating), None) or next((way for way in ways if way.checked.bits == 0), ways[0])


def is_left_out(report: ProgramCheck, way: Way, tried: Sequence[Way]) -> bool:
    why = next(filter(None, (why_left_out(way, other) for other in tried if other is not way and other.matches)), "")
    if why:
        report.note("ways", f"{with_words(way.checked.bits)} its matches are none: {why}")
    return bool(why)


def why_left_out(way: Way, other: Way) -> str:
    if not way.matches or (way.broke and not other.broke):
        return way.broke
    if way.matches[0].spec.players != other.matches[0].spec.players or not difference_of_ways(way, other):
        return ""
    return difference_of_ways(with_more_matches(way), with_more_matches(other))


def with_more_matches(way: Way) -> Way:
    seeds = way.checked.seeds(len(way.matches) + MORE_SEEDS)[len(way.matches) :]
    try:
        more = [way.checked.play(seed, way.matches[0].spec.players) for seed in seeds]
    except RefereeFault:
        return way
    return replace(way, matches=(*way.matches, *more))


def difference_of_ways(way: Way, other: Way) -> str:
    """Say what all matches of a way lack that all of another have, or whom they alone blame; "" for nothing."""
    for seat in range(way.matches[0].spec.players):
        most = max(times_asked(result, seat) for result in way.matches)
        least = min(times_asked(result, seat) for result in other.matches)
        if most < least and FAR * most <= least:
            others = f"at least {least} times {with_words(other.checked.bits)}"
            return f"seat {seat} is asked at most {most} times, and {others}"
    always = set.intersection(*(blamed_seats(result) for result in way.matches))
    for seat in sorted(always.difference(*(blamed_seats(result) for result in other.matches))):
        return f"seat {seat} is blamed in each of them, and in none {with_words(other.checked.bits)}"
    return ""


def times_asked(result: MatchResult, seat: int) -> int:
    return sum(turn.seat == seat for turn in result.turns)


def blamed_seats(result: MatchResult) -> set[int]:
    """Return the seats that are blamed by their verdicts, or by the words of the older protocol."""
    words = "\n".join(result.notes.summaries if result.notes else ())
    named = {line.split(maxsplit=1)[0] for line in words.split("\n") if line.strip()}
    return {seat for seat, verdict in enumerate(result.outcome.verdicts) if verdict != OK or str(seat) in named}


def with_words(bits: int) -> str:
    return f"with seeds of {bits} bits" if bits else "without seeds"


def note_no_seed(report: ProgramCheck, way: Way) -> Way:
    bits = way.checked.bits
    if repeated_by_parameters(way):
        words = (
            "the parameters that the referee gives back repeat a match, its seed does not: they are stored with matches"
        )
        report.note("repeated", words, seed_bits=bits, repeatable=True, repeated_by="parameters")
        return replace(way, checked=way.checked.by(repeated_by=RepeatedBy.PARAMETERS))
    words = f"no match can be repeated ({way.parts}): no pairs on one seed, no gauntlets with --baseline, no replays"
    report.note("repeated", words, seed_bits=bits, repeatable=False, repeated_by="seed")
    return replace(way, checked=way.checked.by(repeated_by=RepeatedBy.NOTHING))


def try_way(checked: Checked, seeds: int) -> Way:
    fault = ""
    for players in checked.game.players:
        try:
            matches = tuple(checked.play(seed, players) for seed in checked.seeds(seeds))
            require_all_asked(matches)
            return Way(checked, matches, first_difference(matches, checked.play_again), fault)
        except RefereeFault as broke:
            fault = fault or str(broke)
    return Way(checked, (), broke=fault)


def require_all_asked(matches: Sequence[MatchResult]) -> None:
    """Raise RefereeFault where a seat was asked in none of the matches, although no bot ended one by a fault."""
    players = matches[0].spec.players
    unasked = [seat for seat in range(players) if not any(times_asked(result, seat) for result in matches)]
    if unasked and not any(result.outcome.verdicts[turn.seat] != OK for result in matches for turn in result.turns):
        notes = matches[0].notes
        raise RefereeFault(f"the referee never asks seat {unasked[0]}{notes.last_words() if notes else ''}")


def first_difference(matches: Sequence[MatchResult], again: Callable[[MatchResult], RefereeTrace]) -> str:
    return next(filter(None, (difference(trace_of(result), again(result)) for result in matches)), "")


def repeated_by_parameters(way: Way) -> bool:
    again = partial(way.checked.play_again, by_parameters=True)
    try:
        has_parameters = all(result.notes and result.notes.parameters for result in way.matches)
        return has_parameters and not first_difference(way.matches, again)
    except RefereeFault:
        return False


def seed_matters(way: Way) -> bool:
    other = way.checked.seeds(len(way.matches) + 1)[-1]
    try:
        return difference(trace_of(way.matches[0]), way.checked.play_again(way.matches[0], seed=other)) is not None
    except RefereeFault:
        return True


def why_silent(game: Game, program: RefereeProgram, sandbox: Sandbox) -> str:
    why = ""
    narrowest = WAYS[program.kind][-1]
    checked = Checked(game, replace(program, reuse=Reuse.NONE, seed_bits=narrowest), (), sandbox)
    for players in game.players:
        try:
            if checked.first_question(checked.seeds(1)[0], players) is not None:
                return ""
        except RefereeFault as fault:
            why = why or str(fault)
    return why


def shows_sdk(program: RefereeProgram) -> bool:
    jar = jar_of(program.command)
    return jar is not None and has_referee_main(program.folder / jar)


def is_doubtful(program: RefereeProgram) -> bool:
    """Jars without the SDK's class, those of before it, may speak `sdk`, too."""
    return program.kind is ProtocolKind.SDK and jar_of(program.command) is not None and not shows_sdk(program)


SEEDS = 3
REUSES = 20
"""So many matches have to be the same before one JVM plays several."""
BANK_MS = 7
"""What a turn is said to have taken, to see whether the next limit is that much less."""


def check(game: Game, bots: Sequence[Program], sandbox: Sandbox, seeds: int = SEEDS) -> ProgramCheck:
    """Return what is known where the host stays too busy. Raises UsageFault for rules in Python, MissingTool, HostBusy
    where nothing was found, Refused where no sandbox here can hold bots that a command starts.
    """
    if game.program is None:
        raise UsageFault(f"the rules of {game.name} are in Python: `ladder game check FOLDER` checks those")
    report = ProgramCheck()
    checked = Checked(game, replace(game.program, reuse=Reuse.NONE), bots, sandbox)
    try:
        find_out(report, checked, seeds)
    except HostBusy as busy:
        if not report.findings:
            raise
        report.note("host", f"the rest is to be checked when this machine has less to do: {busy}", Proof.UNPROVEN)
    return report


def find_out(report: ProgramCheck, checked: Checked, seeds: int) -> None:
    if checked.game.starts_bots:
        check_whole_matches(report, checked, seeds)
        return
    if not checked.bots:
        check_first_questions(report, checked)
        return
    if (way := find_repeating_way(report, checked, seeds)) is None:
        return
    seeds_played = [result.spec.seed for result in way.matches]
    check_numbers(report, way.checked, seeds_played, "leads", [way.matches[0].spec.players])
    check_seed_matters(report, way)
    if way.checked.program.kind is ProtocolKind.SDK:
        check_bank(report, way)
        check_reuse(report, way)
    else:
        check_fault_line(report, way)
    report.note("checked", "what was found is kept in game.toml", checked=True)


def check_numbers(report: ProgramCheck, checked: Checked, seeds: Sequence[int], verb: str, fits: Sequence[int]) -> None:
    numbers = list(fits)
    for players in checked.game.players:
        if players in fits:
            continue
        try:
            matches = [checked.play(seed, players) for seed in seeds]
            if not checked.game.starts_bots:
                require_all_asked(matches)
            numbers.append(players)
        except RefereeFault as fault:
            report.note("players", f"{players} players do not work: {fault}", Proof.WRONG)
    numbers.sort()
    report.note("players", f"it {verb} matches of {' and '.join(map(str, numbers))} players", players=numbers)


def check_seed_matters(report: ProgramCheck, way: Way) -> None:
    if way.checked.program.repeated_by is not RepeatedBy.SEED or way.checked.bits == 0:
        return
    if seed_matters(way):
        report.note("seed", "another seed is another match")
    else:
        report.note("seed", "the seed changes nothing: all matches begin alike", Proof.UNPROVEN)


def check_bank(report: ProgramCheck, way: Way) -> None:
    """See whether its limits come from a bank of time: then what one turn takes is missing in the next."""
    if not way.checked.program.is_repeatable:
        report.note("time", "whether its limits come from a bank of time cannot be seen", Proof.UNPROVEN)
        return
    result = way.matches[0]
    free = way.checked.by(limits=None, has_time_bank=True)
    by_parameters = free.program.repeated_by is RepeatedBy.PARAMETERS
    times = (Spent(wall_us=1000 * took_ms, cpu_us=1000 * took_ms) for took_ms in (0, BANK_MS))
    turns = (tuple(replace(turn, spent=spent) for turn in result.turns) for spent in times)
    quick, slow = (free.play_again(replace(result, turns=taken), by_parameters=by_parameters) for taken in turns)
    is_bank = any(
        first.limit_ms and second.limit_ms and first.limit_ms - second.limit_ms == BANK_MS
        for first, second in zip(quick.questions, slow.questions, strict=False)
    )
    words = "it gives time by a bank" if is_bank else "each turn has a limit of its own"
    report.note("time", words, time_bank=is_bank)


def check_reuse(report: ProgramCheck, way: Way) -> None:
    program = way.checked.program
    if jar_start(program, way.checked.rules_level) is None or program.repeated_by is not RepeatedBy.SEED:
        return
    if shutil.which("javac") is None:
        report.note("reuse", "without javac each match has a JVM of its own", Proof.UNPROVEN)
        return
    again = way.checked.by(reuse=Reuse.LOADER)
    matches = [way.matches[number % len(way.matches)] for number in range(REUSES)]
    try:
        parts = first_difference(matches, again.play_again)
    except RefereeFault as fault:
        parts = str(fault)
    alike = f"one JVM plays many matches: {REUSES} were as in fresh ones"
    words = f"each match needs a JVM of its own: {parts}" if parts else alike
    report.note("reuse", words, table="referee", reuse=Reuse.NONE.value if parts else Reuse.LOADER.value)


def check_fault_line(report: ProgramCheck, way: Way) -> None:
    """It shows only where a seat can be out before the end."""
    checked = way.checked
    if (players := max(checked.game.players)) == 2:
        return
    what = f"{checked.program.fault_line!r}"
    try:
        result = checked.with_silence(way.matches[0].spec.seed, players)
    except RefereeFault as fault:
        report.note("fault line", f"{what} breaks the referee: {fault}", Proof.WRONG)
        return
    questions, places = trace_of(result).questions, result.outcome.places
    times = sum(question.seat == 0 and question.answer_lines > 0 for question in questions)
    if times == 1 or places[0] == max(places) > min(places):
        report.note("fault line", f"{what} puts a seat out")
    else:
        report.note("fault line", f"{what} does not put a seat out", Proof.WRONG)


def check_first_questions(report: ProgramCheck, checked: Checked) -> None:
    begin = best_beginning([try_beginning(checked.by(seed_bits=bits)) for bits in WAYS[checked.program.kind]])
    for words in begin.faults:
        report.note("players", words, Proof.WRONG)
    if not begin.works:
        return
    report.note("players", f"matches of {' and '.join(map(str, begin.works))} players begin", Proof.UNPROVEN)
    compare_beginnings(report, begin)


@immutable
class Beginning:
    """The numbers of players for which a first question comes in a way, and what is said of the others."""

    checked: Checked
    works: Sequence[int]
    faults: Sequence[str]

    def first_questions(self) -> list[Question | None]:
        first, second = self.checked.seeds(2)
        return [self.checked.first_question(seed, self.works[0]) for seed in (first, first, second)]


def try_beginning(checked: Checked) -> Beginning:
    works, faults = list[int](), list[str]()
    seed = checked.seeds(1)[0]
    for players in checked.game.players:
        try:
            if checked.first_question(seed, players) is not None:
                works.append(players)
        except RefereeFault as broke:
            faults.append(f"{players} players do not work: {broke}")
    return Beginning(checked, works, faults)


def best_beginning(tried: Sequence[Beginning]) -> Beginning:
    """Return the widest seeds by which a question comes; none where the referee takes none, and seeds do nothing."""
    working = [begin for begin in tried if begin.works]
    without = next((begin for begin in working if begin.checked.bits == 0), None)
    if without is None or without is working[0]:
        return next(iter(working), tried[0])
    first, again, second = working[0].first_questions()
    return working[0] if first == again != second else without


def compare_beginnings(report: ProgramCheck, begin: Beginning) -> None:
    bits = begin.checked.bits
    first, again, second = begin.first_questions()
    same = "matches begin the same way" if first == again else "each match begins in another way"
    if bits:
        same = f"the same seed begins {'the same' if first == again else 'another'} match"
    seeds = f"it gets seeds of {bits} bits" if bits else "it gets no seed"
    words = f"{same}; whether it goes on so takes bots to see; {seeds}"
    report.note("repeated", words, Proof.UNPROVEN, seed_bits=bits)
    if bits:
        matters = "another seed begins another match" if first != second else "another seed begins the same match"
        report.note("seed", matters, Proof.UNPROVEN)


TIMES = 4


def check_whole_matches(report: ProgramCheck, checked: Checked, seeds: int) -> None:
    """Raises Refused where no sandbox here can hold such matches, HostBusy, MissingTool."""
    if not checked.bots:
        report.note("matches", "a command plays whole matches: what it does takes bots to see", Proof.UNPROVEN)
        return
    widths = (64, 31) if takes_seed(checked.program.command) else (0,)  # 0: it is given none
    ways = [checked.by(seed_bits=bits) for bits in widths]
    tried = [(way, play_seeds(way, seeds)) for way in ways]
    plays = [(way, results) for way, results in tried if not isinstance(results, str)]
    if not plays:
        report.note("matches", f"no match can be played: {tried[0][1]}", Proof.WRONG)
        return
    way, results = next((play for play in plays if is_same_again(play[1])), plays[0])
    note_repeated(report, way.bits, results)
    note_seed_matters(report, way.bits, results)
    check_numbers(report, way, way.seeds(1), "plays", ())
    report.note("checked", "what was found is kept in game.toml", checked=True)


def play_seeds(checked: Checked, number: int) -> list[list[MatchResult]] | str:
    """Play with the fewest players that work; return why where no match can be played."""
    why = ""
    for players in checked.game.players:
        try:
            return [[checked.play(seed, players) for _ in range(TIMES)] for seed in checked.seeds(number)]
        except RefereeFault as fault:
            why = why or str(fault)
    return why


def is_same_again(results: Sequence[Sequence[MatchResult]]) -> bool:
    return all(result.outcome == of_seed[0].outcome for of_seed in results for result in of_seed[1:])


def note_repeated(report: ProgramCheck, bits: int, results: Sequence[Sequence[MatchResult]]) -> None:
    if not is_same_again(results):
        words = "the same seed and the same bots end another way: no pairs on one seed, no gauntlets with --baseline"
        report.note("repeated", words, seed_bits=bits, repeatable=False)
        return
    by = f"the same seed; seeds have {bits} bits" if bits else "nothing but the bots, as it is given no seed"
    words = f"each of {len(results)} matches ended alike {TIMES} times by {by}"
    report.note("repeated", words, seed_bits=bits, repeatable=True, repeated_by="seed")
    if any(result.notes != of_seed[0].notes for of_seed in results for result in of_seed[1:]):
        report.note("metrics", "what it reports besides differs from time to time", Proof.UNPROVEN)


def note_seed_matters(report: ProgramCheck, bits: int, results: Sequence[Sequence[MatchResult]]) -> None:
    if not bits:
        return
    endings = {(of_seed[0].outcome, str(of_seed[0].notes)) for of_seed in results}
    if len(endings) > 1:
        report.note("seed", "other seeds end or report otherwise")
    else:
        report.note("seed", f"{len(results)} seeds ended and reported alike: it may matter or not", Proof.UNPROVEN)
