"""What counts of pairs say, as text and as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import UsageFault
from ladder.statistics.early_stopping import unbiased_estimate
from ladder.statistics.elo import Estimate, estimate
from ladder.statistics.pair_counts import PENTANOMIAL, check, draw_ratio, pair_ratio
from ladder.statistics.sprt import log_likelihood_ratio
from ladder.statistics.sprt_settings import Decision, SprtSettings, bounds, decision_at

MEANINGS: dict[Decision, str] = {
    "passed": "passed, elo1 is the better explanation",
    "failed": "failed, elo0 is the better explanation",
    "undecided": "undecided, play on",
}


@dataclass(frozen=True, slots=True)
class Statistics:
    """All that counts say. `fixed`: as if the length was fixed before; `stopped`: as if the test had stopped there."""

    counts: tuple[int, ...]
    settings: SprtSettings
    llr: float
    fixed: Estimate
    stopped: Estimate

    @property
    def state(self) -> Decision:
        """What the test says."""
        return decision_at(self.llr, self.settings)


def statistics(counts: Sequence[int], settings: SprtSettings) -> Statistics:
    """Compute everything. Raises UsageFault for counts of which nothing can be said."""
    check(counts)
    if not any(counts):
        raise UsageFault("all counts are 0: nothing was played")
    return Statistics(
        tuple(counts),
        settings,
        log_likelihood_ratio(counts, settings),
        estimate(counts),
        unbiased_estimate(counts, settings),
    )


def statistics_row(found: Statistics) -> dict[str, Any]:
    """Return it as plain values, for JSON."""
    settings = found.settings
    return {
        "results": found.counts,
        "elo_model": settings.model,
        "elo0": settings.elo0,
        "elo1": settings.elo1,
        "alpha": settings.alpha,
        "beta": settings.beta,
        "llr": found.llr,
        "bounds": bounds(settings),
        "state": found.state,
        "elo": found.fixed.elo,
        "elo_95_half_width": found.fixed.half_width,
        "los": found.fixed.los,
        "sprt": {
            "elo": found.stopped.elo,
            "ci": (found.stopped.low, found.stopped.high),
            "LOS": found.stopped.los,
        },
        "draw_ratio": draw_ratio(found.counts),
        "pair_ratio": pair_ratio(found.counts),
    }


def statistics_text(found: Statistics) -> str:
    """Tell it in a few lines."""
    settings, fixed, stopped = found.settings, found.fixed, found.stopped
    lower, upper = bounds(settings)
    interval = f"{stopped.low:+.1f} to {stopped.high:+.1f} (95 %)"
    test = f"{settings.elo0:g} to {settings.elo1:g} Elo ({settings.model})"
    lines = (
        counts_text(found.counts),
        f"Elo               {fixed.elo:+.1f} ± {fixed.half_width:.1f} (95 %), LOS {fixed.los:.1%}",
        f"... if it stopped {stopped.elo:+.1f}, {interval}, LOS {stopped.los:.1%}",
        f"SPRT              {test}: LLR {found.llr:.2f} in {lower:.2f} to {upper:.2f}: {MEANINGS[found.state]}",
    )
    return "\n".join(lines)


def counts_text(counts: Sequence[int]) -> str:
    """Tell the counts."""
    middle = len(counts) // 2
    unit = "pairs" if len(counts) == PENTANOMIAL else "matches"
    ratio = pair_ratio(counts)
    won = f", {ratio:.2f} won for each lost" if ratio is not None else ""
    return (
        f"{unit:18}{sum(counts)}: {sum(counts[middle + 1 :])} won, {counts[middle]} even, {sum(counts[:middle])} lost; "
        f"{draw_ratio(counts):.1%} even{won}"
    )
