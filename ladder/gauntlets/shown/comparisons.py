"""How a gauntlet of variants reads: its table, its title, how far it is. Pure."""

from __future__ import annotations

from engine.text import counted, duration
from ladder.gauntlets.comparing import ComparisonReport
from ladder.gauntlets.shown.table import counts_text, waiting_sentence
from ladder.gauntlets.variants import Compared, Comparison
from ladder.statistics.elo import elo_text

COLUMNS = ("variant", "against", "pairs", "worst to best", "score", "Elo", "95 %")
"""What `cells` writes."""


def title(comparison: Comparison) -> str:
    """Name what is compared."""
    rules = f"{comparison.game}, rules of {comparison.league}"
    return f"variants of {comparison.bot} ({rules}), {counted(comparison.pairs, 'pair')} each, seed {comparison.seed}"


def progress_line(report: ComparisonReport) -> str:
    """Say how far a comparison is, and how long it will take if it goes on as so far."""
    pairs = f"pairs {report.pairs} of {report.slots}"
    if report.gauntlet.waits:
        return f"{pairs}; {waiting_sentence(report.gauntlet)}"
    if not report.pairs:
        return pairs
    return f"{pairs}, about {duration(report.elapsed_s / report.pairs * (report.slots - report.pairs))} left"


def cells(row: Compared) -> tuple[str, ...]:
    """Write one line of the table."""
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
