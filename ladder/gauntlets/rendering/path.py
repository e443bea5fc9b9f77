"""How the log-likelihood ratio of a sequential test went. It says no more than the counts of pairs at its end. Pure.

Imports inside functions: NumPy and SciPy take up to half a second to import, and most gauntlets are shown without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import add

from ladder.gauntlets.gauntlets import PairRow
from ladder.gauntlets.plan import Plan
from ladder.gauntlets.verdict import counted
from ladder.statistics.elo import outcomes_of
from ladder.statistics.sprt_settings import SprtSettings

MOST_POINTS = 40


@dataclass(frozen=True, slots=True)
class PathPoint:
    """The log-likelihood ratio after this many of the pairs that decide; with a baseline, pairs of both."""

    pairs: int
    llr: float


def llr_path(plan: Plan, test: SprtSettings | None, pairs: Sequence[PairRow]) -> list[PathPoint]:
    """Return how a gauntlet's test went as `pairs` of `pairs_of` ended; empty without a test or before two."""
    in_order = sorted(pairs, key=lambda pair: (pair.ended_at is not None and pair.ended_at.timestamp(), pair.slot))
    if test is None:
        return []
    return path_of_counts(plan, in_order, test) if plan.baseline_id is None else path_of_tasks(plan, in_order, test)


def path_of_counts(plan: Plan, pairs: Sequence[PairRow], test: SprtSettings) -> list[PathPoint]:
    from ladder.statistics.sprt import log_likelihood_ratios

    outcomes = [pair.outcome for pair in pairs if plan.decides(plan.slot(pair.slot).opponent_id)]
    places = chosen(len(outcomes))
    if not places:
        return []
    between = [counted(outcomes[begin:end], plan.players) for begin, end in pairwise([0, *places])]
    counts = list(accumulate(between, lambda one, other: tuple(map(add, one, other))))
    ratios = log_likelihood_ratios(counts, test)
    return [PathPoint(place, ratio) for place, ratio in zip(places, ratios, strict=True)]


def path_of_tasks(plan: Plan, pairs: Sequence[PairRow], test: SprtSettings) -> list[PathPoint]:
    """Return the path of a candidate that is compared with a baseline: a pair counts when both have played it."""
    from ladder.statistics import common_seeds

    played: dict[int, int] = {}
    tasks: list[tuple[int, int]] = []
    for pair in pairs:
        played[pair.slot] = pair.outcome
        first = pair.slot - pair.slot % len(plan.sides)
        if first in played and first + 1 in played and plan.decides(plan.slot(first).opponent_id):
            tasks.append((played[first], played[first + 1]))
    found: list[PathPoint] = []
    for place in chosen(len(tasks)):
        own, other = zip(*tasks[:place], strict=True)
        joint = common_seeds.joint_counts(own, other, outcomes_of(plan.players))
        found.append(PathPoint(place, common_seeds.log_likelihood_ratio(joint, test)))
    return found


def chosen(played: int) -> list[int]:
    """Return after how many of these pairs the path has a point: at equal distances, the last after all."""
    if played < 2:
        return []
    return sorted({max(1, played * number // MOST_POINTS) for number in range(1, MOST_POINTS + 1)})
