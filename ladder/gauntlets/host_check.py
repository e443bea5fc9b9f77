"""Whether some machine's results differ from the others' by more than chance: it may be broken, busy, or tampered with.

How this works. Each machine's outcomes are compared with those of all others together (see worker_residuals). One
broken machine pollutes what the sound ones are compared with. So only the worst is accused, and the others are compared
again without it, until none stands out. If two are left, either can be the broken one, so both are named.
"""

from __future__ import annotations

from collections.abc import Mapping

from scipy.special import ndtri

from ladder.gauntlets.gauntlets import HostCheck
from ladder.statistics.residuals import RARE, residuals

LARGEST_RESIDUAL = 37.0
"""Beyond this many standard deviations there is no p-value above 0."""

Counts = Mapping[str, tuple[int, ...]]


def check_hosts(counts_by_host: Counts) -> list[HostCheck]:
    """Compare each machine with the others, the accused with all and the others among themselves; the worst first."""
    accused = suspects(counts_by_host)
    sound = {host: counts for host, counts in counts_by_host.items() if host not in accused}
    p_values = residuals(counts_by_host) | residuals(sound)
    checks = [
        HostCheck(host, counts, p_values[host], deviations(p_values[host]), host in accused)
        for host, counts in counts_by_host.items()
    ]
    return sorted(checks, key=lambda check: (not check.is_suspicious, check.p_value, check.host))


def suspects(counts_by_host: Counts) -> set[str]:
    """Return the machines that stand out. The more machines there are, the farther one has to."""
    left = dict(counts_by_host)
    found: set[str] = set()
    while len(left) > 1:
        p_values = residuals(left)
        worst = min(p_values, key=lambda host: p_values[host])
        if p_values[worst] >= RARE / len(counts_by_host):
            break
        if len(left) == 2:
            return found | set(left)
        found.add(worst)
        del left[worst]
    return found


def deviations(p_value: float) -> float:
    return min(max(0.0, -float(ndtri(p_value / 2))), LARGEST_RESIDUAL)
