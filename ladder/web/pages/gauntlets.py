"""Gauntlets: the list of them with how far each is, and each by itself, as a page and as a file.

How this works. A gauntlet that has ended changes only if matches of it are taken back, or if it goes on. Then its row
changes too, or the number of its finished matches.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypeAlias, TypeVar

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from engine.game import Games
from engine.text import duration
from ladder.bots import bots
from ladder.choices import GauntletState
from ladder.database.connection import Connection
from ladder.gauntlets import gauntlets, rendering
from ladder.gauntlets.report import GauntletReport
from ladder.gauntlets.variants import conclusion as conclusion_of_variants
from ladder.gauntlets.verdict import Judgement
from ladder.ids import LARGEST_ID, GauntletId, MatchId
from ladder.leagues import leagues
from ladder.plots import gauges
from ladder.plots.curves import Range, value_plot
from ladder.plots.svg import Svg
from ladder.statistics.elo import estimate_text
from ladder.tuning.parameters import read_parameter
from ladder.tuning.report import COLUMNS, CONFIRMING, TuneReport, cells, progress
from ladder.tuning.report import Found as FoundParameter
from ladder.views.gauntlets import ReportWithPath, judgement_of, page_of, with_path
from ladder.views.tunes import read_report as read_tune
from ladder.web.identity import ASKING
from ladder.web.rendering import Nowhere, file_of, page
from ladder.web.site import LatestReads, SiteHere

F = TypeVar("F")
Find: TypeAlias = Callable[[Connection, gauntlets.Gauntlet], F]
MOST_LOST = 30
"""Lost pairs on a page."""
MOST_DRAWN = 20
"""Opponents whose estimates are drawn."""
MARKS = {"passed": "good", "failed": "bad"}
"""How verdicts are marked, as classes of the style sheet; others are open."""


def finding_of(kept: LatestReads[F], find: Find[F], connection: Connection, gauntlet: gauntlets.Gauntlet) -> F:
    """Return what is found of a gauntlet, as far as it goes if it still runs."""
    if gauntlet.state == GauntletState.RUNNING:
        return find(connection, gauntlet)
    key, moment = (gauntlet.id, ASKING.get().sight), (gauntlet, gauntlets.count_finished(connection, gauntlet.id))
    finding = kept.find(key, moment)
    if finding is None:
        finding = find(connection, gauntlet)
        kept.keep(key, moment, finding)
    return finding


def of_report(finding: ReportWithPath) -> dict[str, Any]:
    """Return what the page shows of a gauntlet that asks for a verdict; plots are "" where there is nothing to draw."""
    report = finding.report
    gauntlet, judgement = report.gauntlet, report.judgement
    llr, bounds = judgement.llr, judgement.bounds
    return {
        "gauntlet": gauntlet,
        "report": report,
        "mark": MARKS.get(gauntlet.verdict or "", "open"),
        "sentence": rendering.conclusion(report),
        "how_far": rendering.progress_lines(report)[0] if gauntlet.state == "running" else "",
        "estimate": "" if judgement.estimate is None else estimate_text(judgement.estimate),
        "remarks": rendering.remarks_beside_tables(report),
        "gauge": Svg() if llr is None or bounds is None else gauges.gauge(llr, *bounds),
        "shares": Svg(),
        "intervals": intervals_of(report),
        "outcomes": gauges.outcomes(judgement.counts) if any(judgement.counts) else Svg(),
        "path": gauges.path([(point.pairs, point.llr) for point in finding.path], *bounds)
        if bounds and finding.path
        else Svg(),
        "columns": rendering.columns(report),
        "opponents": [
            (rendering.cells(row, is_marked=rendering.is_marked(report, row)), row.is_regression)
            for row in rendering.rows_of(report)
        ],
        "lost": report.lost[:MOST_LOST],
        "more_lost": max(len(report.lost) - MOST_LOST, 0),
        "worse": report.worse[:MOST_LOST],
        "more_worse": max(len(report.worse) - MOST_LOST, 0),
        "hosts": [rendering.host_cells(host) for host in report.hosts],
    }


def intervals_of(report: GauntletReport) -> Svg:
    """Draw what decides, then each opponent, with the intervals; empty while nothing is known."""
    decisive = (
        f"{report.gauntlet.candidate} against {rendering.compared_with(report.gauntlet)}",
        report.judgement.estimate,
    )
    each = [(f"against {row.opponent}", row.estimate) for row in rendering.rows_of(report)[:MOST_DRAWN]]
    if len(each) == 1 and report.gauntlet.baseline is None:
        each = []
    rows = [
        gauges.Interval(name, estimate.elo, estimate.low, estimate.high, estimate_text(estimate))
        for name, estimate in (decisive, *each)
        if estimate is not None
    ]
    return gauges.intervals(rows) if rows else Svg()


@dataclass(frozen=True)
class PairFiles(Nowhere):
    """Addresses in a folder with a file for each of these pairs, by its matches."""

    pairs: frozenset[tuple[MatchId, ...]] = frozenset()

    def compare(self, *match_ids: MatchId) -> str:
        return pair_file(match_ids) if match_ids in self.pairs else ""


def pair_file(match_ids: Iterable[MatchId]) -> str:
    return f"pair-{'-'.join(map(str, match_ids))}.html"


def gauntlet_file(report: GauntletReport, games: Games, pairs: Iterable[tuple[MatchId, ...]] = ()) -> str:
    """Return a gauntlet as one file. `pairs`: lost ones of which there are files beside it, see `pair_file`."""
    rows = [(row.opponent, row.score) for row in rendering.rows_of(report) if row.score is not None]
    values = of_report(ReportWithPath(report, []))
    values |= {"shares": gauges.shares(rows) if rows else Svg(), "lost": report.lost, "more_lost": 0}
    title = games.title_of(report.gauntlet.game)
    return file_of("gauntlet.html", PairFiles(frozenset(pairs)), **values, title=title, league="", **WORDS)


def of_variants(report: rendering.ComparisonReport) -> dict[str, Any]:
    comparison = report.comparison
    is_running = report.gauntlet.state == "running"
    shares = [(variant.name, variant.share) for variant in comparison.variants if variant.share is not None]
    return {
        "gauntlet": report.gauntlet,
        "report": report,
        "sentence": rendering.comparison_progress(report) if is_running else conclusion_of_variants(comparison),
        "shares": gauges.shares(shares) if shares else Svg(),
        "columns": rendering.COMPARISON_COLUMNS,
        "compared": [rendering.comparison_cells(row) for row in comparison.compared],
    }


def of_tune(report: TuneReport, gauntlet: gauntlets.Gauntlet) -> dict[str, Any]:
    is_going_on = report.tune.state in {GauntletState.RUNNING, CONFIRMING}
    return {
        "gauntlet": gauntlet,
        "report": report,
        "how_far": progress(report) if is_going_on else "",
        "plots": [(found.name, plot_of(found, report.tune.pairs)) for found in report.parameters if found.curve],
        "columns": COLUMNS,
        "parameters": [cells(parameter) for parameter in report.parameters],
    }


def plot_of(tuned: FoundParameter, pairs: int) -> Svg:
    parameter = read_parameter(f"{tuned.name}={tuned.range}")
    start = parameter.number_at(parameter.place_of(tuned.start))
    return value_plot(tuned.name, tuned.curve, Range(parameter.low, parameter.high, start, parameter.choices), pairs)


router = APIRouter()
ROWS = 50
REPORTS = LatestReads[ReportWithPath | rendering.ComparisonReport](16)
JUDGEMENTS = LatestReads[Judgement | None](500)
WORDS: dict[str, Any] = {
    "question": rendering.question,
    "against_text": rendering.against_text,
    "waiting_sentence": rendering.waiting_sentence,
    "compared_with": rendering.compared_with,
    "meanings": rendering.meanings,
    "duration": duration,
    "estimate_text": estimate_text,
}
"""What templates say about gauntlets."""
Number = Annotated[GauntletId, Path(ge=1, le=LARGEST_ID)]
Before = Annotated[GauntletId | None, Query(ge=1, le=LARGEST_ID)]


@router.get("/gauntlets")
def listed(site: SiteHere, bot: str = "", game: str = "", before: Before = None) -> Response:
    with site.reading() as connection:
        games = leagues.games_in(connection)
        if game:
            leagues.check_game(connection, game)
        bot_row = bots.find_bot(connection, bot, game or None) if bot else None
        judge = partial(finding_of, JUDGEMENTS, judgement_of)
        listing = page_of(connection, ROWS, bot_row, before, game or None, judge)
    return page(
        "gauntlets.html", page=listing, bot=bot_row, asked=bot, game=game, games=games,
        is_first=before is None, topics=["gauntlets"], **WORDS,
    )  # fmt: skip


@router.get("/gauntlets/{number}")
def gauntlet(site: SiteHere, number: Number) -> Response:
    with site.reading() as connection:
        row = gauntlets.find(connection, number)
        report = read_tune(connection, number) if row.is_tune else finding_of(REPORTS, with_path, connection, row)
        league = next(
            league_row.name for league_row in leagues.leagues(connection, row.game) if league_row.id == row.league_id
        )
    beside = {"title": site.games.title_of(row.game), "league": league, "topics": [f"gauntlet:{number}"], **WORDS}
    if isinstance(report, TuneReport):
        return page("tune.html", **of_tune(report, row), **beside)
    if isinstance(report, rendering.ComparisonReport):
        return page("gauntlet_of_variants.html", **of_variants(report), **beside)
    return page("gauntlet.html", **of_report(report), **beside)
