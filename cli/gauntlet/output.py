"""What is printed of a gauntlet: how it goes, its result, and the exit status of that."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Group, RenderableType
from rich.text import Text

from cli.answer import OF_VERDICTS, Answer, ExitStatus, Whole
from cli.context import Context
from cli.terminal.steps import canvas
from cli.terminal.table import NAME, WORDS, Column, Columns, table_of_cells
from cli.terminal.words import moment_text, quoted
from engine.errors import Unavailable
from ladder import views
from ladder.choices import GauntletState
from ladder.gauntlets import rendering
from ladder.gauntlets.report import GauntletReport
from ladder.gauntlets.variants import VariantComparison, conclusion
from ladder.gauntlets.verdict import Judgement
from ladder.ids import GauntletId
from ladder.statistics.elo import estimate_text
from ladder.views.gauntlets import ListedGauntlet, comparison_in_detail, in_detail

WATCH_EVERY_S = 0.5
VERDICT_STYLES = {"passed": "green", "failed": "red", "undecided": "yellow"}


def verdict_text(row: ListedGauntlet) -> Text:
    words = row.gauntlet.verdict or rendering.state_of(row.gauntlet)
    return Text(words, style=VERDICT_STYLES.get(words, ""))


def of_judgement(cell: Callable[[Judgement], str | None]) -> Callable[[ListedGauntlet], str | None]:
    return lambda row: None if row.judgement is None else cell(row.judgement)


GAUNTLETS: Columns[ListedGauntlet] = (
    Column("id", lambda row: row.gauntlet.id),
    Column("verdict", verdict_text, WORDS),
    Column("candidate", lambda row: row.gauntlet.candidate, NAME),
    Column("against", lambda row: rendering.against_text(row.gauntlet), NAME),
    Column("question", lambda row: rendering.question(row.gauntlet), NAME, leaves=2),
    Column("pairs", lambda row: row.pairs_played),
    Column("Elo", of_judgement(lambda row: None if row.estimate is None else estimate_text(row.estimate))),
    Column("LLR", of_judgement(lambda row: None if row.llr is None else f"{row.llr:z.2f}"), leaves=5),
    Column("note", lambda row: row.note, NAME, leaves=3),
    Column("asked by", lambda row: row.gauntlet.asked_by, NAME, leaves=4),
    Column("begun", lambda row: moment_text(row.gauntlet.created_at), WORDS, leaves=1),
)


def broken(head: str) -> str:
    return head.replace(" ", "\n", 1)


def opponents_table(report: GauntletReport) -> RenderableType:
    seats = (f"as\nplayer {seat}" for seat in range(report.gauntlet.players))
    return table_of_cells(
        heads=tuple(map(broken, rendering.columns(report))),
        rows=[rendering.cells(row, is_marked=rendering.is_marked(report, row)) for row in rendering.rows_of(report)],
        kinds={"opponent": NAME, "remark": WORDS},
        leaving=("even", "pair\nratio", "worst\nto best", "LOS", *seats),
        title=rendering.title(report.gauntlet),
        meanings={broken(head): meaning for head, meaning in rendering.meanings(report.gauntlet.players).items()},
    )


def compared_table(comparison: VariantComparison) -> RenderableType:
    return table_of_cells(
        heads=tuple(map(broken, rendering.COMPARISON_COLUMNS)),
        rows=list(map(rendering.comparison_cells, comparison.compared)),
        kinds={"variant": NAME, "against": NAME},
        leaving=("worst\nto best", "pairs"),
        title=rendering.comparison_title(comparison),
    )


def picture(report: GauntletReport | rendering.ComparisonReport) -> RenderableType:
    if isinstance(report, rendering.ComparisonReport):
        return Group(compared_table(report.comparison), rendering.comparison_progress(report))
    return Group(opponents_table(report), *rendering.progress_lines(report))


def comparison_answer(comparison: VariantComparison, view: object, ending: str, status: int) -> Answer:
    """Answer with how variants did against each other. `view`: as JSON; `ending`: a sentence on how it stands."""
    return Answer(view, lambda: [compared_table(comparison), quoted(ending)], status=status)


def result_of(report: GauntletReport | rendering.ComparisonReport, *, worse_only: bool = False) -> Answer:
    """Answer with a gauntlet and its verdict's status; stopped is undecided. `worse_only`: print just regressions."""
    state = report.gauntlet.state
    if isinstance(report, rendering.ComparisonReport):
        is_going = state == GauntletState.RUNNING
        ending = rendering.comparison_progress(report) if is_going else conclusion(report.comparison)
        status = ExitStatus.UNDECIDED if state == GauntletState.STOPPED else ExitStatus.OK
        return comparison_answer(report.comparison, comparison_in_detail(report), ending, status)
    status = OF_VERDICTS[report.gauntlet.verdict or "undecided"]
    if worse_only:
        *lines, in_all = rendering.worse_lines(report)
        return Answer(in_detail(report), [*map(Whole, lines), in_all], status=status)

    def parts() -> list[RenderableType]:
        if state == GauntletState.RUNNING:
            return [opponents_table(report), *rendering.progress_lines(report)]
        verdict, *others = rendering.final_lines(report)
        style = VERDICT_STYLES.get(report.gauntlet.verdict or "", "")
        return [opponents_table(report), Text(verdict, style=style), *others]

    return Answer(in_detail(report), parts, status=status)


def follow(context: Context, gauntlet_id: GauntletId, *, as_json: bool) -> GauntletReport | rendering.ComparisonReport:
    quiet = as_json or not context.err.is_terminal
    with canvas(context.err) as draw:
        while True:
            report = context.follow(views.gauntlets.read_report, gauntlet_id)
            if report.gauntlet.state != GauntletState.RUNNING:
                return report
            if not quiet:
                draw(picture(report))
            time.sleep(WATCH_EVERY_S)


@contextmanager
def announced_at_end(context: Context, number: GauntletId, what: str = "gauntlet") -> Iterator[None]:
    """Say how what is followed no longer can be found again."""
    try:
        yield
    except (KeyboardInterrupt, Unavailable):
        context.say(
            f"{what} {number} goes on without you: `ladder {what} show {number} --watch` follows it, "
            f"`ladder {what} stop {number}` ends it"
        )
        raise
