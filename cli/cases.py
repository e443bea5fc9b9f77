"""The cases in a bot's folder: keeping a position of a match, listing them, and asking a bot in all of them."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pydantic import ValidationError
from rich.text import Text

from cli.answer import Answer, ExitStatus, listing
from cli.context import Context
from cli.options.files import write_file
from cli.options.folder_defaults import folder_here
from cli.terminal.steps import bar
from cli.terminal.table import NAME, WORDS, Column, Columns, FittingTable
from engine.bot.conditions import OFFICIAL
from engine.errors import HostBusy, Refused, UsageFault, plain_words
from engine.immutable import immutable
from engine.parallel import in_processes
from engine.records.case_file import Case, CaseQuestion, answer_in_case, first_fault, is_judged_good, read_case
from engine.sandbox.watchdog import dismiss_our_watch
from engine.series import MOST_TRIES, jobs_or_all_cores, opened
from engine.text import counted, shortened
from engine.toolchains.program import Program
from engine.toolchains.source import CASES

if TYPE_CHECKING:
    from ladder.views.turns.watched_match import WatchedMatch

ENDING = ".json"


@immutable
class CaseResult:
    """What a bot answered in a case. `fault`: why it did not; `holds`: whether the answer is as it has to be."""

    file: str
    match: str
    turn: int
    expected: str
    holds: bool
    answer: str | None
    fault: str


Answers: TypeAlias = Generator[CaseResult, None, None]
RESULT_COLUMNS: Columns[CaseResult] = (
    Column("file", lambda row: row.file, NAME),
    Column("", lambda row: Text("ok", "green") if row.holds else Text("fails", "red"), WORDS),
    Column("answer", lambda row: row.fault or line_text(row.answer), WORDS),
    Column("expected", lambda row: row.expected, WORDS),
)


def cases_folder(folder: Path | None) -> Path:
    """Return where cases are: in the folder that is named, in that of the bot's folder, or else here."""
    if folder is not None:
        return folder
    bot = folder_here()
    return (bot.folder if bot else Path()) / CASES


def cases_in(folder: Path) -> dict[Path, Case]:
    cases = {}
    for file in sorted(folder.glob(f"*{ENDING}")):
        try:
            cases[file] = read_case(file.read_bytes())
        except UsageFault as fault:
            raise UsageFault(f"{file}: {fault}") from fault
        except OSError as error:
            raise UsageFault(f"{file} cannot be read: {plain_words(error)}") from error
    return cases


def cases_to_ask(folder: Path) -> tuple[str, dict[Path, Case]]:
    """Return the game of all cases in a folder, and them. Raises Refused without any, UsageFault for several games."""
    cases = cases_in(folder)
    games = sorted({case.game for case in cases.values()})
    if not games:
        raise Refused(f"there is no case in {folder}; `ladder case add` keeps one")
    if len(games) > 1:
        raise UsageFault(f"the cases in {folder} are of several games: {', '.join(games)}")
    return games[0], cases


def ask_in_cases(context: Context, cases: Mapping[Path, Case], program: Program, jobs: int, tier: str | None) -> Answer:
    """Ask a bot in cases, several at once. `jobs`: 0 for one per core. Raises MissingTool, Refused, HostBusy."""
    with bar(context.err) as progress:
        results = list(progress.track(results_in(cases, program, jobs, tier), total=len(cases), description="asking"))
    good = sum(result.holds for result in results)
    words = f"{good} of {counted(len(results), 'case')} answered as expected"
    status = ExitStatus.OK if good == len(results) else ExitStatus.FAILED
    return Answer(results, lambda: [FittingTable(RESULT_COLUMNS, results), words], status=status)


def results_in(cases: Mapping[Path, Case], program: Program, jobs: int, tier: str | None) -> Answers:
    """Give what a bot answers in cases, in their order. Raises as `ask_in_cases`."""
    work = partial(result_of, program=program, tier=tier)
    return in_processes(work, cases.items(), jobs_or_all_cores(jobs), tidy=dismiss_our_watch)


def result_of(of_file: tuple[Path, Case], program: Program, tier: str | None) -> CaseResult:
    file, case = of_file
    tries = MOST_TRIES
    while True:
        try:
            reply = answer_in_case(case, program, opened(tier), OFFICIAL)
            break
        except HostBusy:
            tries -= 1
            if not tries:
                raise
    answer, fault = (None, reply.fault.words) if reply.fault else (reply.line, "")
    judge = case.holds if case.judge is None else partial(is_judged_good, case, file=file)
    holds = answer is not None and judge(answer)
    return CaseResult(file.name, case.match, case.turn, case.expectation, holds, answer, fault)


def line_text(line: str | None) -> str:
    return "nothing" if line is None else shortened(line)


@immutable
class CaseRow:
    """A case that is kept, without what the bot is sent. `file`: where."""

    file: str
    game: str
    match: str
    seat: int
    turn: int
    said: str | None
    expected: str
    note: str

    @classmethod
    def of(cls, file: Path, case: Case) -> CaseRow:
        return cls(file.name, case.game, case.match, case.seat, case.turn, case.said, case.expectation, case.note)


COLUMNS: Columns[CaseRow] = (
    Column("file", lambda row: row.file, NAME),
    Column("match", lambda row: row.match, WORDS, leaves=2),
    Column("seat", lambda row: row.seat, leaves=1),
    Column("turn", lambda row: row.turn),
    Column("it said", lambda row: line_text(row.said), WORDS),
    Column("expected", lambda row: row.expected, WORDS),
    Column("note", lambda row: row.note, WORDS, leaves=3),
)


def keep(
    match: WatchedMatch, turn: int, into: Path, expect: Sequence[str], judge: str | None, note: str, *, over: bool
) -> Answer:
    """Write a case into a folder. Raises UsageFault for a turn or an expectation that is none, Refused."""
    if expect and judge is not None:
        raise UsageFault("a case is judged by --expect or by --judge: leave one of them out")
    for word in (*expect, judge or "", note):
        word.encode()  # UnicodeEncodeError where it is no text
    position = match.turn(turn)
    match.input_of(position.seat, turn)
    turns = [move for move in match.replay.turns[:turn] if move.seat == position.seat]
    name = str(match.id)
    questions = tuple(
        CaseQuestion(sent=move.input or (), limit_ms=move.limit_ms or 0, lines=(move.line or "").count("\n") + 1)
        for move in turns
    )
    try:
        case = Case(
            game=match.game,
            match=name,
            seat=position.seat,
            turn=turn,
            said=position.line,
            expect=tuple(expect),
            judge=judge,
            note=note,
            questions=questions,
        )
    except ValidationError as error:
        raise UsageFault(first_fault(error)) from error
    try:
        into.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageFault(f"cannot make {into}: {plain_words(error)}") from error
    file = into / f"{name.replace(':', '-')}-turn-{turn}{ENDING}"
    write_file(file, f"{case.model_dump_json(indent=1)}\n".encode(), over=over)
    answers = f"seat {case.seat} said {line_text(case.said)}; expected: {case.expectation}"
    words = f"{file}: {match.name}, turn {turn}, {answers}"
    return Answer(CaseRow.of(file, case), [words, "`ladder case run` tries it"])


def list_in(folder: Path) -> Answer:
    rows = [CaseRow.of(file, case) for file, case in cases_in(folder).items()]
    return listing(rows, lambda: FittingTable(COLUMNS, rows), "there is no case here yet; `ladder case add` keeps one")
