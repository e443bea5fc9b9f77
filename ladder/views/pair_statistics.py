"""What counts of pairs say: the sequential test, Elo with its interval, the likelihood of superiority."""

from collections.abc import Sequence

from engine.errors import UsageFault
from engine.immutable import immutable
from ladder.choices import GauntletVerdict
from ladder.statistics.elo import check_counts, draw_ratio, estimate, pair_ratio
from ladder.statistics.sprt import log_likelihood_ratio, unbiased_estimate
from ladder.statistics.sprt_settings import SprtSettings, bounds, decision_at


@immutable
class AfterStop:
    """The estimate if the test had stopped there. `ci`: its interval; `LOS`: likelihood of superiority."""

    elo: float
    ci: tuple[float, float]
    LOS: float


@immutable
class PairStatistics:
    """All that counts say. `elo`, its interval `ci`, half its width and `los`: as if the length was fixed before."""

    results: tuple[int, ...]
    elo_model: str
    elo0: float
    elo1: float
    alpha: float
    beta: float
    llr: float
    bounds: tuple[float, float]
    state: GauntletVerdict
    elo: float
    ci: tuple[float, float]
    elo_95_half_width: float
    los: float
    sprt: AfterStop
    draw_ratio: float
    pair_ratio: float | None


def pair_statistics(counts: Sequence[int], settings: SprtSettings) -> PairStatistics:
    """Compute everything. Raises UsageFault for counts of which nothing can be said."""
    check_counts(counts)
    if not any(counts):
        raise UsageFault("all counts are 0: nothing was played")
    llr = log_likelihood_ratio(counts, settings)
    fixed, stopped = estimate(counts), unbiased_estimate(counts, settings)
    return PairStatistics(
        results=tuple(counts),
        elo_model=settings.model,
        elo0=settings.elo0,
        elo1=settings.elo1,
        alpha=settings.alpha,
        beta=settings.beta,
        llr=llr,
        bounds=bounds(settings),
        state=decision_at(llr, settings),
        elo=fixed.elo,
        ci=(fixed.low, fixed.high),
        elo_95_half_width=fixed.half_width,
        los=fixed.los,
        sprt=AfterStop(stopped.elo, (stopped.low, stopped.high), stopped.los),
        draw_ratio=draw_ratio(counts),
        pair_ratio=pair_ratio(counts),
    )
