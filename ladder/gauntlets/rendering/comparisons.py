"""How a gauntlet of variants compares, and how that reads: its table, its title, how far it is. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from engine.text import counted, duration
from ladder.bots import versions
from ladder.database.connection import Connection
from ladder.gauntlets import gauntlets
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.gauntlets.rendering.table import counts_text, waiting_sentence
from ladder.gauntlets.report import elapsed_s
from ladder.gauntlets.variants import Compared, Comparison, names_of, tally_of
from ladder.statistics.elo import elo_text


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """A gauntlet of variants and what came of it. `elapsed_s`: so far, or in all; `pairs`: played, of `slots`."""

    gauntlet: Gauntlet
    comparison: Comparison
    pairs: int
    slots: int
    elapsed_s: float


def comparison_report_of(connection: Connection, gauntlet: Gauntlet) -> ComparisonReport:
    tally, pairs = tally_of(gauntlet.players), gauntlets.pairs_of(connection, gauntlet.id)
    for pair in pairs:
        tally.take(gauntlet.schedule.slot(pair.slot), pair.outcome)
    params = versions.find_version(connection, gauntlet.candidate_id).params
    names = names_of(gauntlet.variants)
    comparison = Comparison(
        gauntlet.game,
        gauntlet.league,
        gauntlet.candidate,
        gauntlet.seed,
        gauntlet.pairs,
        gauntlet.state,
        tally.scores(names, [{**params, **variant} for variant in gauntlet.variants]),
        tally.compared(names),
    )
    return ComparisonReport(gauntlet, comparison, len(pairs), gauntlet.schedule.slots, elapsed_s(gauntlet))


COLUMNS = ("variant", "against", "pairs", "worst to best", "score", "Elo", "95 %")


def title(comparison: Comparison) -> str:
    rules = f"{comparison.game}, rules of {comparison.league}"
    return f"variants of {comparison.bot} ({rules}), {counted(comparison.pairs, 'pair')} each, seed {comparison.seed}"


def progress_line(report: ComparisonReport) -> str:
    pairs = f"pairs {report.pairs} of {report.slots}"
    if report.gauntlet.waits:
        return f"{pairs}; {waiting_sentence(report.gauntlet)}"
    if not report.pairs:
        return pairs
    return f"{pairs}, about {duration(report.elapsed_s / report.pairs * (report.slots - report.pairs))} left"


def cells(row: Compared) -> tuple[str, ...]:
    elo = row.elo
    return (
        row.first,
        row.second,
        str(row.pairs),
        counts_text(row.counts),
        "" if row.share is None else f"{100 * row.share:.1f} %",
        "" if elo is None else elo_text(elo.elo),
        "" if elo is None else f"{elo_text(elo.low)} to {elo_text(elo.high)}",
    )
