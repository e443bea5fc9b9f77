"""How strong versions are by all their matches at once, whatever the order, and how sure each rank is.

How this works. By Davidson's model (1970; Bradley and Terry's with draws) a win, draw and loss against another go as
e^(g/2) : v : e^(-g/2), where g is the gap between their strengths and v says how common draws are. Only how often two
met and with what results matters, so matches are first added up by pair. The log-likelihood is concave, and a wide
normal prior on every strength and on log v gives it one maximum even for those who never lost. Newton's method finds
it; most pairs never met, so its matrices are sparse and each step is found by conjugate gradients. The curvature at the
maximum is the precision of the estimate. Strengths drawn from the normal distribution with that precision are ranked
again and again: where a version's rank mostly lies is its interval.

A version that has just come has played little, and most versions are nearly as strong as the one before them. Where
that is to count, a version's own estimate is joined with what its predecessor's says of it: most likely close, now and
then, after a rewrite, far away. What a version did says nothing of its predecessor, nor of anybody else.

Matches count as independent and a strength as one number. But the two matches of a battle share a seed, and A may beat
B, B beat C and C beat A: intervals do not know of that.
"""

from math import log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import cg

from engine.errors import ArenaError
from engine.immutable import immutable

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

ELO = 400 / log(10)
"""Elo points in a unit of strength: 400 points more are ten wins for each loss."""
ELO_DIGITS = 6
"""Strengths that agree in this many digits of Elo are equal."""
PRIOR = 0.1
"""What is known before any match, as a precision: strengths scatter with a deviation of some 550 Elo points."""
CLOSE, FAR, REWRITES = 60.0, 250.0, 0.2
"""By how many Elo points a version differs from its predecessor, as deviations, and the share of those far away."""
NO_PREDECESSOR = -1
DRAWS = 1000
"""This many rankings are drawn to see where each rank lies."""
SEED = 1
SURE = 0.95
"""A rank lies in its interval with this probability."""
NEWTON_STEPS = 100
"""Ten are many."""
STEP_EXACT = 1e-9
"""Each step is found as exactly as this, compared with the slope."""
GAP_EXACT = 1e-4
"""The variance of a gap is found as exactly as this, compared with itself."""
ROUNDING = 1e-12
"""By this share of what is added up, a cost may be off. A step that raises it by more is too long, and is halved."""
SMALL_STEP = 1e-6
"""After a whole step that is shorter, what is left is about its square."""


@immutable
class Pairs:
    """How often versions met, by pair: each pair once, in order, `first` < `second`. Results are the first's."""

    first: Ints
    second: Ints
    wins: Floats
    draws: Floats
    losses: Floats

    @property
    def played(self) -> Floats:
        return self.wins + self.draws + self.losses


@immutable
class SettledStrength:
    """One version. `rank`, `rank_low`, `rank_high`: inside its group, 1 is the best; the interval holds 95 %.

    `version`: its number among those that were given. `group`: from 1, the largest first. `strength`: Elo points above
    the average of the group; `error`: its standard deviation.
    """

    version: int
    group: int
    rank: int
    rank_low: int
    rank_high: int
    strength: float
    error: float
    matches: int


def pairs_of(first: Ints, second: Ints, half_points: Ints, times: Ints | Floats | None = None) -> Pairs:
    """Add up matches by pair, in whatever order. `half_points`: the first's, 0 to 2; `times`: weights, else 1."""
    weights = np.ones(len(first)) if times is None else times.astype(np.float64)
    size = int(max(first.max(), second.max())) + 1 if len(first) else 1
    keys, place = np.unique(np.minimum(first, second) * size + np.maximum(first, second), return_inverse=True)
    for_lower = np.where(first < second, half_points, 2 - half_points)
    losses, draws, wins = (total(place, weights * (for_lower == points), len(keys)) for points in (0, 1, 2))
    return Pairs(keys // size, keys % size, wins, draws, losses)


def total(numbers: Ints, values: Floats, size: int) -> Floats:
    """Add up values that have the same number, from 0 to below `size`."""
    return np.asarray(np.bincount(numbers, values, size), dtype=np.float64)


def settle(
    pairs: Pairs,
    versions: int,
    listed: Bools | None = None,
    predecessors: Ints | None = None,
    *,
    together: bool = False,
) -> list[SettledStrength]:
    """Fit all matches of versions numbered from 0 and rank those that are listed (default: all), group by group.

    Versions are in one group if they met, or are joined by others that did. Between groups nothing can be compared;
    `together`: all are ranked in one all the same, where the wide prior alone says how they compare.
    `predecessors`: of each version the number of the one before it, which counts as `inherited` says, or
    NO_PREDECESSOR.
    """
    shown = np.ones(versions, dtype=np.bool_) if listed is None else listed
    estimate, factor = fit(pairs, versions)
    scattered = deviations(factor)
    if predecessors is not None:
        estimate, scattered = inherited(estimate, scattered, predecessors)
    drawn = estimate[:, None] + scattered
    matches = total(pairs.first, pairs.played, versions) + total(pairs.second, pairs.played, versions)
    rows: list[SettledStrength] = []
    joined = [np.arange(versions)] if together else groups(pairs, versions)
    comparable = [members for members in joined if shown[members].any()]
    for group, members in enumerate(comparable, 1):
        centred = drawn[members] - drawn[members].mean(axis=0)
        rows += ranked(group, members, ELO * estimate[members], ELO * centred, matches[members], shown[members])
    return rows


def inherited(estimate: Floats, scattered: Floats, predecessors: Ints) -> tuple[Floats, Floats]:
    """Join each version's strength with what its predecessor's says of it; in units of strength, as `fit` has them.

    `scattered`: how far strengths may be from their estimate, a row for each version; a predecessor has a lower number
    than its successors, so it has its own predecessor's in it. What is joined is normal; what a predecessor says is a
    mixture of two normal distributions about its strength, `CLOSE` and `FAR`, and the result goes by how likely each
    of them is then. A version's scatter shrinks as its variance does.
    """
    estimate, scattered = estimate.copy(), scattered.copy()
    for version in np.flatnonzero(predecessors != NO_PREDECESSOR):
        before = predecessors[version]
        own_variance, its = scattered[version].var(), scattered[before].var()
        spreads = (np.array([CLOSE, FAR]) / ELO) ** 2 + its
        wide = spreads + own_variance
        gap = estimate[before] - estimate[version]
        likely = np.array([1 - REWRITES, REWRITES]) * np.exp(-(gap**2) / (2 * wide)) / np.sqrt(wide)
        likely /= likely.sum()
        means = estimate[version] + gap * own_variance / wide
        mean = likely @ means
        variance = likely @ (own_variance * spreads / wide + (means - mean) ** 2)
        estimate[version] = mean
        scattered[version] *= np.sqrt(variance / own_variance)
    return estimate, scattered


def groups(pairs: Pairs, versions: int) -> list[Ints]:
    """Return the members of each group of versions that are joined by matches, the largest group first."""
    links = coo_array((np.ones(len(pairs.first)), (pairs.first, pairs.second)), (versions, versions))
    count, labels = connected_components(links, directed=False)
    members = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels, minlength=count))[:-1])
    return sorted((group for group in members if len(group)), key=lambda group: (-len(group), int(group[0])))


def ranked(
    group: int, members: Ints, strengths: Floats, drawn: Floats, matches: Floats, shown: Bools
) -> list[SettledStrength]:
    """Rank the shown members of one group, the strongest first. `drawn`: a column for each strengths drawn."""
    errors = drawn.std(axis=1)
    members, strengths = members[shown], strengths[shown]
    errors, matches = errors[shown], matches[shown]
    order = np.lexsort((members, -strengths.round(ELO_DIGITS)))
    drawn_ranks = (-drawn[shown]).argsort(axis=0).argsort(axis=0) + 1
    tail = (1 - SURE) / 2
    low, high = np.quantile(drawn_ranks, (tail, 1 - tail), axis=1, method="inverted_cdf")
    return [
        SettledStrength(
            version=int(members[member]),
            group=group,
            rank=rank,
            rank_low=min(rank, int(low[member])),
            rank_high=max(rank, int(high[member])),
            strength=float(strengths[member]),
            error=float(errors[member]),
            matches=int(matches[member]),
        )
        for rank, member in enumerate(order, 1)
    ]


def fit(pairs: Pairs, versions: int) -> tuple[Floats, Floats]:
    """Return the likeliest strengths and their precision's Cholesky factor, draws' level last. Raises ArenaError."""
    strengths, precision = most_likely(pairs, versions)
    in_place = precision.toarray().T  # symmetric, so this is the same matrix, as LAPACK wants it: it makes no copy
    return strengths, cholesky(in_place, lower=True, overwrite_a=True)


def most_likely(pairs: Pairs, versions: int) -> tuple[Floats, csr_array]:
    """Return the most likely strengths and their precision, a sparse matrix; see `fit`."""
    model = Davidson(pairs, versions)
    point = np.zeros(versions + 1)
    cost, rounding, slope = model.cost(point)
    for _ in range(NEWTON_STEPS):
        precision = model.curvature(point)
        alone = diags_array(1 / precision.diagonal())
        step = np.asarray(cg(precision, slope, rtol=STEP_EXACT, M=alone)[0], dtype=np.float64)
        is_last = np.abs(step).max() < SMALL_STEP
        while (next_cost := model.cost(point - step))[0] > cost + rounding:
            step /= 2
        point, (cost, rounding, slope) = point - step, next_cost
        if is_last:
            return point[:-1], precision
    raise ArenaError(f"the fit of {versions} versions' matches did not converge in {NEWTON_STEPS} steps")


def gaps_to(pairs: Pairs, versions: int, other: int, of: Ints) -> tuple[Floats, Floats, Floats]:
    """Return strengths, gaps of some to another version and their deviations, by the sparse matrix alone."""
    strengths, precision = most_likely(pairs, versions)
    alone = diags_array(1 / precision.diagonal())
    errors = np.empty(len(of))
    for number, version in enumerate(of):
        apart = np.zeros(versions + 1)
        apart[version], apart[other] = 1, -1
        errors[number] = np.sqrt(apart @ cg(precision, apart, rtol=GAP_EXACT, M=alone)[0])
    return strengths, strengths[of] - strengths[other], errors


def deviations(factor: Floats) -> Floats:
    """Draw how far strengths may be from their estimate: a row for each version, always the same for the same fit."""
    noise = np.random.default_rng(SEED).standard_normal((len(factor), DRAWS))
    drawn: Floats = solve_triangular(factor, noise, lower=True, trans=1)
    return drawn[:-1]


class Davidson:
    """Minus log likelihood and prior, and how it bends, at a point of strengths and, last, log of draws' share."""

    def __init__(self, pairs: Pairs, versions: int) -> None:
        self._pairs = pairs
        self._versions = versions
        self._played = pairs.played

    def cost(self, point: Floats) -> tuple[float, float, Floats]:
        """Return it, how far it may be off by rounding, and its slope."""
        pairs, gap, whole = self._pairs, *self._chances(point)
        balance, draws = pairs.wins - pairs.losses, pairs.draws
        added = self._played @ whole  # of a version that has won each of its many matches nearly all is taken off again
        cost = added - balance @ gap - draws.sum() * point[-1] + PRIOR / 2 * point @ point
        too_high = self._played * (np.exp(gap - whole) - np.exp(-gap - whole)) - balance
        too_drawn = self._played * np.exp(point[-1] - whole) - draws
        slope = np.append(self._by_version(too_high / 2), too_drawn.sum()) + PRIOR * point
        return float(cost), ROUNDING * float(added), slope

    def curvature(self, point: Floats) -> csr_array:
        """Return the matrix of the cost's second derivatives: the precision of the estimate, if taken there."""
        pairs, each = self._pairs, np.arange(self._versions)
        of_gap, of_both, of_draws = self._bends(point)
        diagonal = total(pairs.first, of_gap / 4, self._versions) + total(pairs.second, of_gap / 4, self._versions)
        values = np.concatenate([-of_gap / 4, self._by_version(of_both / 2)])
        rows = np.concatenate([pairs.first, each])
        columns = np.append(pairs.second, np.full_like(each, self._versions))
        above = coo_array((values, (rows, columns)), (self._versions + 1, self._versions + 1))
        return (above + above.T + diags_array(np.append(diagonal, of_draws.sum()) + PRIOR)).tocsr()

    def _bends(self, point: Floats) -> tuple[Floats, Floats, Floats]:
        """Return each pair's second derivatives: by half its gap, by that and the draws' level, by the level."""
        gap, whole = self._chances(point)
        lead, draw = np.exp(gap - whole) - np.exp(-gap - whole), np.exp(point[-1] - whole)
        return self._played * (1 - draw - lead**2), -self._played * lead * draw, self._played * draw * (1 - draw)

    def _chances(self, point: Floats) -> tuple[Floats, Floats]:
        """Return half the gap of each pair, and the logarithm of what the three results' weights sum to."""
        gap: Floats = (point[self._pairs.first] - point[self._pairs.second]) / 2
        return gap, np.logaddexp(np.logaddexp(gap, -gap), point[-1])

    def _by_version(self, of_pairs: Floats) -> Floats:
        """Add up by version what counts for the first of each pair and against the second."""
        pairs = self._pairs
        return total(pairs.first, of_pairs, self._versions) - total(pairs.second, of_pairs, self._versions)
