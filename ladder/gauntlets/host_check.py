"""Whether some machine's results differ from the others' by more than chance: it may be broken, busy, or tampered with.

How this works. Each machine's outcomes are compared with those of all others together (`residuals`). If all draw from
the same distribution of outcomes, the counts of one and of the others differ only by chance; the sum of
(seen - expected)^2 / expected over both has a chi-square distribution (K. Pearson). That holds where at least 5 are
expected in every cell, so neighbouring outcomes are taken together until they are (W. Cochran's rule). The more
machines are looked at, the likelier one of them is odd by chance; one is accused only where that has been allowed for.
All have to have been given the same mix of opponents, as they are when batches are handed out in turn.

One broken machine pollutes what the sound ones are compared with. So only the worst is accused, and the others are
compared again without it, until none stands out. If two are left, either can be the broken one, so both are named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtri

from engine.errors import UsageFault
from ladder.gauntlets.gauntlets import HostCheck
from ladder.statistics.elo import check_counts

LARGEST_RESIDUAL = 37.0
"""Beyond this many standard deviations there is no p-value above 0."""
LEAST_EXPECTED = 5.0
RARE = 0.001
"""So rarely is any machine accused in a gauntlet in which all are alike."""
Floats = NDArray[np.float64]
Counts = Mapping[str, tuple[int, ...]]


def check_hosts(counts_by_host: Counts) -> list[HostCheck]:
    """Compare each machine with the others, the accused with all and the others among themselves; the worst first."""
    accused = suspects(counts_by_host)
    sound = {host: counts for host, counts in counts_by_host.items() if host not in accused}
    p_values = residuals(counts_by_host) | residuals(sound)
    checks = [
        HostCheck(
            host,
            counts,
            p_value=p_values[host],
            residual=min(max(0.0, deviations), LARGEST_RESIDUAL),
            is_suspicious=host in accused,
        )
        for host, counts in counts_by_host.items()
        for deviations in [-float(ndtri(p_values[host] / 2))]
    ]
    return sorted(checks, key=lambda check: (not check.is_suspicious, check.p_value, check.host))


def suspects(counts_by_host: Counts) -> set[str]:
    """Return the machines that stand out. The more machines there are, the farther one has to."""
    others = dict(counts_by_host)
    suspects: set[str] = set()
    while len(others) > 1:
        p_values = residuals(others)
        worst = min(p_values, key=lambda host: p_values[host])
        if p_values[worst] >= RARE / len(counts_by_host):
            break
        if len(others) == 2:
            return suspects | set(others)
        suspects.add(worst)
        del others[worst]
    return suspects


def residuals(counts_by_host: Mapping[str, Sequence[int]]) -> dict[str, float]:
    """Return each machine's p-value against the others; 1 with too little to compare. Raises UsageFault."""
    for counts in counts_by_host.values():
        check_counts(counts)
    if len({len(counts) for counts in counts_by_host.values()}) > 1:
        raise UsageFault("the counts of all workers have to be of the same outcomes")
    total = np.array(list(counts_by_host.values()), dtype=np.float64).sum(axis=0)
    return {
        host: p_value(of_host := np.array(counts, dtype=np.float64), total - of_host)
        for host, counts in counts_by_host.items()
    }


def p_value(of_host: Floats, others: Floats) -> float:
    """Return how likely two sets of counts differ at least so much if both are drawn from one distribution."""
    table = merged(np.array([of_host, others]))
    if table.shape[1] < 2:
        return 1.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()  # if both were distributed alike
    distance = float(((table - expected) ** 2 / expected).sum())
    return float(chdtrc(table.shape[1] - 1, distance))


def merged(table: Floats) -> Floats:
    """Take neighbouring columns together, from the worst outcome up, until enough is expected in every cell."""
    columns: list[Floats] = []
    waiting = np.zeros(2)
    least_share = table.sum(axis=1).min() / table.sum() if table.any() else 0.0
    for column in table.T:
        waiting = waiting + column
        if least_share * waiting.sum() >= LEAST_EXPECTED:
            columns.append(waiting)
            waiting = np.zeros(2)
    if waiting.any() and columns:
        columns[-1] = columns[-1] + waiting
    return np.array(columns).T if columns else np.zeros((2, 0))
