"""All that there is to say about a gauntlet, read once: for the terminal, scripts, JUnit and HTML alike."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from operator import add
from typing import ClassVar

import ladder
from engine.immutable import immutable
from ladder import statistics
from ladder.bots import versions
from ladder.choices import GauntletState, GauntletVerdict
from ladder.database.connection import Connection, Rows
from ladder.gauntlets import gauntlets
from ladder.gauntlets.gauntlets import Gauntlet, HostCheck, PairRow
from ladder.gauntlets.plan import Plan
from ladder.gauntlets.verdict import Judgement, counted, is_regression, judge
from ladder.ids import GauntletId, MatchId, VersionId
from ladder.names import read_version
from ladder.statistics import elo
from ladder.statistics.elo import Estimate, draw_ratio, outcomes_of, pair_ratio
from ladder.statistics.seats import BySeat, records, sentence
from ladder.statistics.sprt_settings import SprtSettings

MOST_STARVED = 0.01
"""With a larger share of matches for which the host was too busy, a gauntlet says so."""
MOST_POINTS = 40


@immutable
class FaultCounts:
    """How often a version lost a gauntlet's matches by time-out, or by another fault."""

    version: str
    timeouts: int
    faults: int


@immutable
class LostPair:
    """A pair that the candidate lost. `half_points`: 2 for each it left behind; `others`: had the other seats."""

    HIDDEN: ClassVar = ("players",)

    opponent: str
    seed: int
    half_points: int
    match_ids: list[MatchId]
    players: int = 2
    others: Sequence[str] = ()

    @property
    def against(self) -> list[str]:
        return opponents_met(self.opponent, self.others)

    @property
    def points(self) -> str:
        """Return the points that it took, of as many as there were matches: `0.5 of 2`."""
        return f"{self.half_points / (2 * (self.players - 1)):.3g} of {self.players}"


@immutable
class WorseMatch:
    """A match that the candidate lost and its baseline did not, in the same seat on the same seed; see LostPair."""

    opponent: str
    seed: int
    seat: int
    match_id: MatchId | None
    baseline_match_id: MatchId | None = None
    others: Sequence[str] = ()

    @property
    def against(self) -> list[str]:
        return opponents_met(self.opponent, self.others)


def opponents_met(opponent: str, others: Sequence[str]) -> list[str]:
    """Return who was met, each once. `others`: who had the other seats of a match of more than two."""
    return list(dict.fromkeys(others or (opponent,)))


@immutable
class Against:
    """How the candidate did against one opponent, or against all. `counts`: pairs by outcome, from worst to best.

    `is_prior`: an earlier version of the same bot; `is_regression`: one that is better, with confidence. `decides`: for
    the verdict; where it does so alone, only a gauntlet that has failed calls it a regression.
    """

    SHOWN: ClassVar = ("pairs", "score")

    opponent: str
    counts: tuple[int, ...]
    estimate: Estimate | None
    draw_ratio: float
    pair_ratio: float | None
    by_seat: BySeat
    is_prior: bool = False
    is_regression: bool = False
    decides: bool = True

    @property
    def pairs(self) -> int:
        return sum(self.counts)

    @property
    def score(self) -> float | None:
        half_points = sum(outcome * count for outcome, count in enumerate(self.counts))
        return half_points / ((len(self.counts) - 1) * self.pairs) if self.pairs else None


@immutable
class GauntletReport:
    """What came of a gauntlet. `decisive`: against those that decide; `words`, `options`: `ladder play` of a pair."""

    gauntlet: Gauntlet
    judgement: Judgement
    overall: Against
    decisive: Against
    opponents: list[Against]
    lost: list[LostPair]
    worse: list[WorseMatch]
    faults: list[FaultCounts]
    hosts: list[HostCheck]
    pairs: int
    slots: int
    starved: float
    elapsed_s: float
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    options: Sequence[str] = ()

    @property
    def regressions(self) -> list[Against]:
        return [against for against in self.opponents if against.is_regression]

    @property
    def seats_sentence(self) -> str:
        return sentence(self.gauntlet.candidate, self.overall.by_seat)

    @property
    def host_was_too_busy(self) -> bool:
        return self.starved > MOST_STARVED


def report_of(
    connection: Connection, gauntlet: Gauntlet, pairs: Sequence[PairRow] | None = None, plan: Plan | None = None
) -> GauntletReport:
    """Read what there is about a gauntlet, in one snapshot. `pairs`, `plan`: its own, where others look at them too."""
    candidate = versions.find_version(connection, gauntlet.candidate_id)
    return report(
        gauntlet,
        gauntlets.pairs_of(connection, gauntlet.id) if pairs is None else pairs,
        faults_of(connection, gauntlet.id),
        prior=earlier(candidate.bot, candidate.number, gauntlet.opponents),
        elapsed_s=elapsed_s(gauntlet),
        plan=plan,
    )


def elapsed_s(gauntlet: Gauntlet) -> float:
    return ((gauntlet.ended_at or datetime.now(UTC)) - gauntlet.created_at).total_seconds()


def earlier(bot: str, number: int, names: Iterable[str]) -> set[str]:
    numbers = {name: read_version(name) for name in names}
    return {name for name, (other, version) in numbers.items() if other == bot and version < number}


def report(
    gauntlet: Gauntlet,
    pairs: Sequence[PairRow],
    faults: list[FaultCounts],
    *,
    prior: set[str],
    elapsed_s: float,
    plan: Plan | None = None,
) -> GauntletReport:
    """`prior`: names of earlier versions of the same bot. `plan`: the one whose slots others look at too."""
    plan = plan or gauntlet.plan
    outcomes = {pair.slot: pair.outcome for pair in pairs}
    judgement = judge(plan, gauntlet.test, outcomes, is_over=gauntlet.state == GauntletState.FINISHED)
    opponents: list[Against] = []
    for met_id in plan.met_ids:
        row = row_against(gauntlet.name_of(met_id), plan, judgement, pairs, [met_id])
        decides_alone = gauntlet.baseline_id is None and plan.all_deciding == [met_id]
        is_worse = row.opponent in prior and is_regression(row.estimate, row.pairs)
        flagged = is_worse and (not decides_alone or judgement.verdict == GauntletVerdict.FAILED)
        decides = plan.decides(met_id)
        opponents.append(replace(row, is_prior=row.opponent in prior, is_regression=flagged, decides=decides))
    return GauntletReport(
        gauntlet=gauntlet,
        judgement=judgement,
        overall=row_against("all", plan, judgement, pairs, plan.met_ids),
        decisive=row_against("all that decide", plan, judgement, pairs, plan.all_deciding),
        opponents=opponents,
        lost=lost_pairs(gauntlet, plan, pairs),
        worse=worse_matches(gauntlet, plan, pairs),
        faults=faults,
        hosts=ladder.gauntlets.host_check.check_hosts(counts_by_host(pairs, plan.players)),
        pairs=len(pairs),
        slots=plan.slots,
        starved=sum(pair.starved for pair in pairs) / (plan.players * len(pairs)) if pairs else 0.0,
        elapsed_s=elapsed_s,
    )


def row_against(
    opponent: str, plan: Plan, judgement: Judgement, pairs: Sequence[PairRow], opponent_ids: Sequence[VersionId]
) -> Against:
    """Where the verdict goes by these pairs alone, the row has its estimate. `opponent`: what they are called."""
    slots = ((pair, plan.slot(pair.slot)) for pair in pairs)
    met = [pair for pair, slot in slots if slot.version_id == plan.candidate_id and slot.opponent_id in opponent_ids]
    by_seat = records([pair.by_seat for pair in met], plan.players)
    counts = counted((pair.outcome for pair in met), plan.players)
    decide_alone = plan.baseline_id is None and set(opponent_ids) == set(plan.all_deciding)
    estimate = judgement.estimate if decide_alone else elo.estimate(counts) if any(counts) else None
    return Against(
        opponent, counts, estimate, draw_ratio=draw_ratio(counts), pair_ratio=pair_ratio(counts), by_seat=by_seat
    )


def counts_by_host(pairs: Sequence[PairRow], players: int) -> dict[str, tuple[int, ...]]:
    """Return the outcomes by the machine that played them; pairs that several machines shared are left out."""
    outcomes: dict[str, list[int]] = defaultdict(list)
    for pair in pairs:
        if len(set(pair.hosts)) == 1:
            outcomes[pair.hosts[0]].append(pair.outcome)
    return {host: counted(of_host, players) for host, of_host in outcomes.items()}


def lost_pairs(gauntlet: Gauntlet, plan: Plan, pairs: Sequence[PairRow]) -> list[LostPair]:
    """Return the pairs that the candidate lost: first those against opponents that decide, and of them the worst."""
    even = plan.players * (plan.players - 1)
    names = {met_id: gauntlet.name_of(met_id) for met_id in plan.met_ids}
    lost = [(plan.slot(pair.slot), pair) for pair in pairs if pair.outcome < even]
    return [
        LostPair(
            names[slot.opponent_id],
            slot.seed,
            half_points=pair.outcome,
            match_ids=pair.match_ids,
            players=gauntlet.players,
            others=[gauntlet.name_of(version_id) for version_id in slot.others],
        )
        for slot, pair in sorted(lost, key=lambda row: (not plan.decides(row[0].opponent_id), row[1].outcome))
        if slot.version_id == plan.candidate_id
    ]


def worse_matches(gauntlet: Gauntlet, plan: Plan, pairs: Sequence[PairRow]) -> list[WorseMatch]:
    played = {pair.slot: pair for pair in pairs}
    common = [number for number in played if number % len(plan.sides) == 0 and number + 1 in played]
    return [
        WorseMatch(
            gauntlet.name_of(slot.opponent_id),
            slot.seed,
            seat,
            match_id=match_in(pair, seat),
            baseline_match_id=match_in(baseline_pair, seat),
            others=[gauntlet.name_of(version_id) for version_id in slot.others],
        )
        for number in sorted(common)
        if plan.baseline_id is not None
        for slot, pair, baseline_pair in [(plan.slot(number), played[number], played[number + 1])]
        for seat in range(plan.players)
        if pair.by_seat[seat] == 0 < baseline_pair.by_seat[seat]
    ]


def match_in(pair: PairRow, seat: int) -> MatchId | None:
    return pair.match_ids[-seat % len(pair.match_ids)] if pair.match_ids else None


def faults_of(connection: Connection, gauntlet_id: GauntletId) -> list[FaultCounts]:
    query = """
        SELECT version_name(seats.version_id, seats.params) AS version,
               count(*) FILTER (WHERE verdict = 'timeout')::int AS timeouts,
               count(*) FILTER (WHERE verdict <> 'timeout')::int AS faults
        FROM matches JOIN seats ON seats.match_id = matches.id
        WHERE gauntlet_id = %s AND matches.state = 'finished' AND verdict <> 'ok'
        GROUP BY seats.version_id, seats.params
        """
    return Rows(connection, FaultCounts).all(query, [gauntlet_id])


@immutable
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
    outcomes = [pair.outcome for pair in pairs if plan.decides(plan.slot(pair.slot).opponent_id)]
    places = points_of_path(len(outcomes))
    if not places:
        return []
    between = [counted(outcomes[begin:end], plan.players) for begin, end in pairwise([0, *places])]
    counts = list(accumulate(between, lambda before, more: tuple(map(add, before, more))))
    ratios = statistics.sprt.log_likelihood_ratios(counts, test)
    return [PathPoint(place, ratio) for place, ratio in zip(places, ratios, strict=True)]


def path_of_tasks(plan: Plan, pairs: Sequence[PairRow], test: SprtSettings) -> list[PathPoint]:
    """Return the path of a candidate that is compared with a baseline: a pair counts when both have played it."""
    played: dict[int, int] = {}
    tasks: list[tuple[int, int]] = []
    for pair in pairs:
        played[pair.slot] = pair.outcome
        first = pair.slot - pair.slot % len(plan.sides)
        if first in played and first + 1 in played and plan.decides(plan.slot(first).opponent_id):
            tasks.append((played[first], played[first + 1]))
    path: list[PathPoint] = []
    for place in points_of_path(len(tasks)):
        candidate, baseline = zip(*tasks[:place], strict=True)
        joint = statistics.common_seeds.joint_counts(candidate, baseline, outcomes_of(plan.players))
        path.append(PathPoint(place, statistics.common_seeds.log_likelihood_ratio(joint, test)))
    return path


def points_of_path(played: int) -> list[int]:
    """Return after how many of these pairs the path has a point: at equal distances, the last after all."""
    if played < 2:
        return []
    return sorted({max(1, played * number // MOST_POINTS) for number in range(1, MOST_POINTS + 1)})
