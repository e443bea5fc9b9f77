"""The check of a referee program: it leads matches, and a fresh one is given the same answers.

How this works. First the best *way* is looked for in which a match can be repeated: see `ways`. With it the rest is
found out: which numbers of players it leads, whether seeds matter, whether its limits come from a bank of time, what
its fault line does, and whether one JVM can play many matches. Without bots only first questions can be compared.

Each seed is played some times with the same bots. Where they end alike each time, and bots draw no lots, its seed
repeats a match. What the bots report of themselves may differ.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace

from engine.bot.clock import Spent
from engine.conformance.ways import (
    WAYS,
    Checked,
    ProgramCheck,
    Proof,
    Way,
    find_repeating_way,
    first_difference,
    patiently,
    require_all_asked,
    seed_matters,
    seeds_of,
)
from engine.errors import HostBusy, RefereeFault, UsageFault
from engine.game import Game
from engine.immutable import immutable
from engine.match import MatchResult
from engine.referees.notes import Question
from engine.referees.process import start_of
from engine.referees.program import ProtocolKind, RepeatedBy, Reuse, takes_seed
from engine.sandbox.box import Sandbox
from engine.toolchains.program import Program

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
    way = find_repeating_way(report, checked, seeds)
    if way is None:
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


def check_numbers(
    report: ProgramCheck, checked: Checked, seeds: Sequence[int], verb: str, works: Sequence[int]
) -> None:
    numbers = list(works)
    for players in checked.game.players:
        if players in works:
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
    if way.checked.program.repeated_by is not RepeatedBy.SEED or way.bits == 0:
        return
    if seed_matters(way):
        report.note("seed", "another seed is another match")
    else:
        report.note("seed", "the seed changes nothing: all matches begin alike", Proof.UNPROVEN)


def check_bank(report: ProgramCheck, way: Way) -> None:
    """See whether its limits come from a bank of time: then what one turn takes is missing in the next."""
    result, free = way.matches[0], way.checked.by(limits=None, has_time_bank=True)
    if not way.checked.program.is_repeatable:
        report.note("time", "whether its limits come from a bank of time cannot be seen", Proof.UNPROVEN)
        return
    parameters = result.notes.parameters if free.program.repeated_by is RepeatedBy.PARAMETERS and result.notes else ()
    quick, slow = (free.play_again(with_turns_of(result, ms), parameters=parameters) for ms in (0, BANK_MS))
    is_bank = any(
        first.limit_ms and second.limit_ms and first.limit_ms - second.limit_ms == BANK_MS
        for first, second in zip(quick.questions, slow.questions, strict=False)
    )
    words = "it gives time by a bank" if is_bank else "each turn has a limit of its own"
    report.note("time", words, time_bank=is_bank)


def with_turns_of(result: MatchResult, took_ms: int) -> MatchResult:
    spent = Spent(wall_us=1000 * took_ms, cpu_us=1000 * took_ms)
    return replace(result, turns=tuple(replace(turn, spent=spent) for turn in result.turns))


def check_reuse(report: ProgramCheck, way: Way) -> None:
    program = way.checked.program
    if start_of(program, way.checked.rules_level) is None or program.repeated_by is not RepeatedBy.SEED:
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
    words = f"one JVM plays many matches: {REUSES} were as in fresh ones"
    if parts:
        words = f"each match needs a JVM of its own: {parts}"
    report.note("reuse", words, table="referee", reuse=Reuse.NONE.value if parts else Reuse.LOADER.value)


def check_fault_line(report: ProgramCheck, way: Way) -> None:
    """It shows only where a seat can be out before the end."""
    checked = way.checked
    players = max(checked.game.players)
    if players == 2:
        return
    try:
        outcome, notes = patiently(lambda: checked.with_silence(way.matches[0].spec.seed, players))
    except RefereeFault as fault:
        report.note("fault line", f"{checked.program.fault_line!r} breaks the referee: {fault}", Proof.WRONG)
        return
    times = sum(question.seat == 0 and question.answer_lines > 0 for question in notes.questions)
    if times == 1 or outcome.places[0] == max(outcome.places) > min(outcome.places):
        report.note("fault line", f"{checked.program.fault_line!r} puts a seat out")
    else:
        report.note("fault line", f"{checked.program.fault_line!r} does not put a seat out", Proof.WRONG)


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

    @property
    def bits(self) -> int:
        return self.checked.program.seed_bits


def try_beginning(checked: Checked) -> Beginning:
    works: list[int] = []
    faults: list[str] = []
    seed = seeds_of(checked.program.seed_bits, 1)[0]
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
    without = next((begin for begin in working if begin.bits == 0), None)
    if without is None or without is working[0]:
        return next(iter(working), tried[0])
    first, again, second = first_questions(working[0])
    return working[0] if first == again != second else without


def first_questions(begin: Beginning) -> list[Question | None]:
    first, second = seeds_of(begin.bits, 2)
    return [begin.checked.first_question(seed, begin.works[0]) for seed in (first, first, second)]


def compare_beginnings(report: ProgramCheck, begin: Beginning) -> None:
    bits = begin.bits
    first, again, second = first_questions(begin)
    same = "the same seed begins the same match" if first == again else "the same seed begins another match"
    if bits == 0:
        same = "matches begin the same way" if first == again else "each match begins in another way"
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
    tried = [(bits, play_seeds(checked.by(seed_bits=bits), bits, seeds)) for bits in widths]
    plays = [(bits, results) for bits, results in tried if not isinstance(results, str)]
    if not plays:
        report.note("matches", f"no match can be played: {tried[0][1]}", Proof.WRONG)
        return
    bits, results = next((play for play in plays if is_same_again(play[1])), plays[0])
    note_repeated(report, bits, results)
    note_seed_matters(report, bits, results)
    check_numbers(report, checked.by(seed_bits=bits), seeds_of(bits, 1), "plays", ())
    report.note("checked", "what was found is kept in game.toml", checked=True)


def play_seeds(checked: Checked, bits: int, number: int) -> list[list[MatchResult]] | str:
    """Play with the fewest players that work; return why where no match can be played."""
    why = ""
    for players in checked.game.players:
        try:
            return [[checked.play(seed, players) for _ in range(TIMES)] for seed in seeds_of(bits, number)]
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
