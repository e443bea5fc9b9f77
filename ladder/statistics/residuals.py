"""Does one worker's machine bring other results than the rest? A chi-square test of each worker against all others.

How this works. If all workers draw from the same distribution of outcomes, the counts of one and of the others differ
only by chance; the sum of (seen - expected)^2 / expected over both has a chi-square distribution (K. Pearson). That
holds where at least 5 are expected in every cell, so neighbouring outcomes are taken together until they are (W.
Cochran's rule). The more workers are looked at, the likelier one of them is odd by chance; a worker is flagged only
where that has been allowed for.

Workers have to have been given the same mix of opponents, as they are when batches are handed out in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import chdtrc

from engine.errors import UsageFault
from ladder.statistics.pair_counts import Floats, check

LEAST_EXPECTED = 5.0
RARE = 0.001
"""So rarely is any worker flagged in a gauntlet in which all are alike."""


def residuals(counts_by_worker: Mapping[str, Sequence[int]]) -> dict[str, float]:
    """Return each worker's p-value against the others; 1 with too little to compare. Raises UsageFault."""
    for counts in counts_by_worker.values():
        check(counts)
    if len({len(counts) for counts in counts_by_worker.values()}) > 1:
        raise UsageFault("the counts of all workers have to be of the same outcomes")
    total = np.array(list(counts_by_worker.values()), dtype=np.float64).sum(axis=0)
    return {
        worker: p_value(own := np.array(counts, dtype=np.float64), total - own)
        for worker, counts in counts_by_worker.items()
    }


def p_value(own: Floats, others: Floats) -> float:
    """Return how likely two sets of counts differ at least so much if both are drawn from one distribution."""
    table = merged(np.array([own, others]))
    if table.shape[1] < 2:
        return 1.0
    expected = expected_counts(table)
    distance = float(((table - expected) ** 2 / expected).sum())
    return float(chdtrc(table.shape[1] - 1, distance))


def merged(table: Floats) -> Floats:
    """Take neighbouring columns together, from the worst outcome up, until enough is expected in every cell."""
    columns: list[Floats] = []
    waiting = np.zeros(2)
    for column in table.T:
        waiting = waiting + column
        if is_enough(table, waiting):
            columns.append(waiting)
            waiting = np.zeros(2)
    if waiting.any() and columns:
        columns[-1] = columns[-1] + waiting
    return np.array(columns).T if columns else np.zeros((2, 0))


def is_enough(table: Floats, column: Floats) -> bool:
    total = float(table.sum())
    least = float(table.sum(axis=1).min())
    return total > 0 and least / total * float(column.sum()) >= LEAST_EXPECTED


def expected_counts(table: Floats) -> Floats:
    """Return the counts that both would have if they were distributed alike."""
    expected: Floats = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return expected
