"""What counts of pairs say, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.choices import GauntletVerdict
from ladder.statistics.pair_counts import PENTANOMIAL, TRINOMIAL

if TYPE_CHECKING:
    from ladder.views.pair_statistics import PairStatistics

MEANINGS: dict[GauntletVerdict, str] = {
    GauntletVerdict.PASSED: "passed, elo1 is the better explanation",
    GauntletVerdict.FAILED: "failed, elo0 is the better explanation",
    GauntletVerdict.UNDECIDED: "undecided, play on",
}

UNITS = {TRINOMIAL: "matches", PENTANOMIAL: "pairs"}
"""What is counted, by the number of outcomes; of more players it is seeds with every seat once."""


def statistics_text(found: PairStatistics, *, stopped: bool) -> str:
    """Say it in a few lines. `stopped`: the estimate is that after a sequential test, else that of a fixed length."""
    lower, upper = found.bounds
    elo, (low, high), los = found.elo, found.ci, found.los
    if stopped:
        elo, (low, high), los = found.sprt.elo, found.sprt.ci, found.sprt.LOS
    test = f"{found.elo0:g} to {found.elo1:g} Elo ({found.elo_model})"
    lines = (
        counts_text(found),
        f"Elo               {elo:+z.1f}, {low:+z.1f} to {high:+z.1f} (95 %), LOS {los:.1%}",
        f"SPRT              {test}: LLR {found.llr:z.2f} in {lower:.2f} to {upper:.2f}: {MEANINGS[found.state]}",
    )
    return "\n".join(lines)


def counts_text(found: PairStatistics) -> str:
    """Show the counts."""
    counts, ratio = found.results, found.pair_ratio
    middle = len(counts) // 2
    unit = UNITS.get(len(counts), "seeds")
    won = f", {ratio:.2f} won for each lost" if ratio is not None else ""
    return (
        f"{unit:18}{sum(counts)}: {sum(counts[middle + 1 :])} won, {counts[middle]} even, {sum(counts[:middle])} lost; "
        f"{found.draw_ratio:.1%} even{won}"
    )
