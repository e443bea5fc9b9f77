"""What a gauntlet's pairs say: whether its question is answered, and how.

A pair's outcome is counted from 0 to 4: the half points that who played the field took from its two matches. Of n
players it is counted from 0 to 2n(n - 1): two for each opponent that was left behind, one for each level. Outcomes
are known by the numbers of their slots (see `plan`).

How the question is put. "Is the candidate better than the version before?" is answered by the pairs that these two
played and by no others: a stronger opponent would pull a better version down, and a weaker one would lift one that is
no better. Who decides is settled when the gauntlet begins (`ladder.gauntlets.lineup.deciding_ids`), so the
sequential test sees exactly what it would see with that opponent alone, and its error rates are the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.immutable import immutable
from ladder import statistics
from ladder.choices import GauntletVerdict
from ladder.gauntlets.plan import Plan, Slot
from ladder.ids import VersionId
from ladder.statistics.elo import CONFIDENCE, Estimate, outcomes_of
from ladder.statistics.elo import estimate as plain_estimate
from ladder.statistics.sprt_settings import SprtSettings, bounds, decision_at

FEWEST_PAIRS = 5
"""Fewer prove nothing, however they end: of two equals one wins four pairs in a row once in sixteen times."""


@immutable
class Judgement:
    """What the outcomes say. `verdict`: None while it goes on; `llr`, `bounds`: None without a sequential test.

    `counts`: the candidate's pairs against those that decide, by outcome; `estimate`: how much better it is than they
    are, or than the baseline; None while too little is known.
    """

    verdict: GauntletVerdict | None
    counts: tuple[int, ...]
    estimate: Estimate | None
    llr: float | None = None
    bounds: tuple[float, float] | None = None


def judge(plan: Plan, test: SprtSettings | None, outcomes: Mapping[int, int], *, is_over: bool) -> Judgement:
    """Say what the outcomes, by slot number, mean. `is_over`: whether no more pairs will be played."""
    played = slots_of(plan, plan.candidate_id, outcomes)
    counts = counted((outcomes[slot.number] for slot in played if plan.decides(slot.opponent_id)), plan.players)
    if plan.baseline_id is None:
        llr, estimate = by_counts(counts, test)
    else:
        llr, estimate = by_comparison(common_tasks(plan, outcomes), test, plan.players)
    if test is None:
        return Judgement(fixed_verdict(estimate, sum(counts)) if is_over else None, counts, estimate)
    decision: GauntletVerdict = GauntletVerdict.UNDECIDED if llr is None else decision_at(llr, test)
    verdict = None if decision == GauntletVerdict.UNDECIDED and not is_over else decision
    return Judgement(verdict, counts, estimate, 0.0 if llr is None else llr, bounds(test))


def by_counts(counts: Sequence[int], test: SprtSettings | None) -> tuple[float | None, Estimate | None]:
    if not any(counts):
        return None, None
    if test is None:
        return None, plain_estimate(counts)
    return statistics.sprt.log_likelihood_ratio(counts, test), statistics.sprt.unbiased_estimate(counts, test)


def by_comparison(
    tasks: Sequence[tuple[int, int]], test: SprtSettings | None, players: int
) -> tuple[float | None, Estimate | None]:
    if not tasks:
        return None, None
    own, other = zip(*tasks, strict=True)
    joint = statistics.common_seeds.joint_counts(own, other, outcomes_of(players))
    if test is None:
        return None, statistics.common_seeds.estimate(joint)
    ratio = statistics.common_seeds.log_likelihood_ratio(joint, test)
    return ratio, statistics.common_seeds.unbiased_estimate(joint, test)


def fixed_verdict(estimate: Estimate | None, pairs: int) -> GauntletVerdict:
    if estimate is None or pairs < FEWEST_PAIRS or not is_clear(estimate):
        return GauntletVerdict.UNDECIDED
    return GauntletVerdict.PASSED if estimate.los > 0.5 else GauntletVerdict.FAILED


def is_clear(estimate: Estimate) -> bool:
    return not 1 - CONFIDENCE < estimate.los < CONFIDENCE


def slots_of(plan: Plan, version_id: VersionId, outcomes: Mapping[int, int]) -> Iterator[Slot]:
    for number in sorted(outcomes):
        slot = plan.slot(number)
        if slot.version_id == version_id:
            yield slot


def counted(outcomes: Iterable[int], players: int = 2) -> tuple[int, ...]:
    counts = [0] * outcomes_of(players)
    for outcome in outcomes:
        counts[outcome] += 1
    return tuple(counts)


def common_tasks(plan: Plan, outcomes: Mapping[int, int]) -> list[tuple[int, int]]:
    return [
        (outcomes[number], outcomes[number + 1])
        for number in sorted(outcomes)
        if number % len(plan.sides) == 0 and number + 1 in outcomes and plan.decides(plan.slot(number).opponent_id)
    ]


def is_regression(against: Estimate | None, pairs: int) -> bool:
    return against is not None and pairs >= FEWEST_PAIRS and against.los <= 1 - CONFIDENCE
