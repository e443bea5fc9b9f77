"""How long a sequential test will take, and how it is likely to end, by theory.

How this works. One pair moves the log-likelihood ratio by one of five jumps. If the walk ended exactly on a bound, its
mean length and its chances would follow from two martingales (A. Wald, "Sequential Analysis", appendix). But it ends a
little beyond, so that the test is longer than that and errs less. The mean excess over a far bound of a walk without
drift depends on the jumps alone, and Wald's formulas with both bounds moved out by it are right to within a percent or
so (D. Siegmund, "Sequential Analysis", chapter X; "Corrected diffusion approximations", 1979). That mean excess is

    E X^3 / 6  -  1/pi * integral of  log |2 (1 - g(u)) / u^2| / u^2  from 0 to infinity

for jumps X with deviation 1, whose characteristic function is g; 0.583 for normal ones, 1/2 for a coin.
"""

from dataclasses import dataclass
from math import expm1, log, pi

import numpy as np

from ladder.statistics import common_seeds, sprt
from ladder.statistics.common_seeds import SeedComparison
from ladder.statistics.sprt import Distribution, Floats
from ladder.statistics.sprt_settings import SprtSettings, bounds

STEP = 0.005
STEPS = 60_000
FLAT = 1e-9
"""A walk with so little drift is computed as one without."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What will come of a test: its mean number of `pairs`, and its chance to pass (0 to 1)."""

    pairs: float
    passes: float


def forecast(truth: Distribution, settings: SprtSettings, llr: float = 0.0) -> Forecast:
    """Return what to expect of a test if outcomes are distributed like `truth`. `llr`: where it stands now."""
    return forecast_of(sprt.jumps(truth.shares, truth.scores, settings), truth.shares, bounds(settings), llr)


def forecast_of_differences(truth: SeedComparison, settings: SprtSettings) -> Forecast:
    """Return what to expect of a test of differences on common seeds that are distributed like this."""
    return forecast_of(common_seeds.jumps(truth, settings), truth.differences.shares, bounds(settings))


def times_fewer(seen: SeedComparison) -> float:
    """Return how many times as many pairs two separate gauntlets, on seeds of their own, would need."""
    return (seen.candidate.variance + seen.baseline.variance) / seen.deviation**2


def forecast_of(moves: Floats, shares: Floats, ends: tuple[float, float], start: float = 0.0) -> Forecast:
    """Return what to expect of a walk that moves so with these shares, until it leaves the interval."""
    drift = float(shares @ moves)
    variance = float(shares @ (moves - drift) ** 2)
    if not ends[0] < start < ends[1]:
        return Forecast(0.0, float(start >= ends[1]))
    down = ends[0] - mean_overshoot(-moves, shares) - start
    up = ends[1] + mean_overshoot(moves, shares) - start
    bend = 2 * drift / variance
    if abs(bend) * (up - down) < FLAT:
        return Forecast(-up * down / variance, -down / (up - down))
    below, above = (expm1(min(max(-bend * end, -700.0), 700.0)) for end in (down, up))
    passes = below / (below - above)
    return Forecast((passes * up + (1 - passes) * down) / drift, passes)


def mean_overshoot(moves: Floats, shares: Floats) -> float:
    """Return by how much a walk without drift goes beyond a far bound above it, on the average."""
    apart = moves - float(shares @ moves)
    deviation = float(np.sqrt(shares @ apart**2))
    apart = apart / deviation
    return deviation * (float(shares @ apart**3) / 6 - log_integral(apart, shares) / pi)


def log_integral(apart: Floats, shares: Floats) -> float:
    """Return the integral, by midpoints as it has poles; beyond the last point log |1 - g| is 0 on the average."""
    points = (np.arange(STEPS) + 0.5) * STEP
    transform = sum(share * np.exp(1j * points * move) for share, move in zip(shares, apart, strict=True))
    values = np.log(2 * np.abs(1 - transform) / points**2) / points**2
    last = STEPS * STEP
    return float(values.sum()) * STEP + (log(2) - 2 * (log(last) + 1)) / last
