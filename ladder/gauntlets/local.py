"""A gauntlet that one process plays by itself, with no services and leaving no trace.

How this works. It plays the same plan as the queue would, and judges after every pair. Pairs count in the order of the
plan however many matches are played at once, so the same seed gives the same answer on any number of cores.
"""

import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from socket import gethostname

from engine.bot.conditions import Conditions
from engine.conversation import FOR_TWO, TimeLimits, Verdict, seat_orders
from engine.game import Game
from engine.immutable import immutable
from engine.match import MatchResult, MatchSpec
from engine.series import PlayedTask, PlaySettings, Task, UnplayedTask, in_order
from engine.toolchains.params import with_params
from engine.toolchains.program import Program
from ladder.choices import GauntletState
from ladder.gauntlets.gauntlets import Gauntlet, PairRow, columns_of_test
from ladder.gauntlets.lineup import NO_ID, GauntletRequest, Lineup
from ladder.gauntlets.order import number_of_players
from ladder.gauntlets.plan import Plan, Schedule, Slot
from ladder.gauntlets.report import FaultCounts, GauntletReport, report
from ladder.gauntlets.verdict import judge
from ladder.ids import GauntletId, LeagueId, VersionId


@immutable
class PlayRules:
    """What is played. `league`: its title; `limits`: of time; `players`: the numbers that matches can have, rising."""

    game: Game
    league: str
    rules_level: int
    conditions: Conditions
    limits: TimeLimits
    players: Sequence[int] = FOR_TWO

    def spec(self, seed: int) -> MatchSpec:
        first_ms, turn_ms = self.game.limits_said(self.limits)
        return MatchSpec(self.game, self.rules_level, seed, first_ms, turn_ms)


@dataclass(slots=True)
class Run:
    """A gauntlet while it is played. `faults`: by version, and whether by time; `void`: how a busy host made pairs."""

    gauntlet: Gauntlet
    prior: frozenset[str]
    began: float = field(default_factory=time.monotonic)
    outcomes: dict[int, int] = field(default_factory=dict[int, int])
    pairs: list[PairRow] = field(default_factory=list[PairRow])
    faults: Counter[tuple[VersionId, bool]] = field(default_factory=Counter[tuple[VersionId, bool]])
    void: list[str] = field(default_factory=list[str])

    def take(self, slot: Slot, matches: Sequence[PlayedTask]) -> None:
        results = [match.result for match in matches if isinstance(match.result, MatchResult)]
        if len(results) < len(matches):
            self.void += [match.result.why for match in matches if isinstance(match.result, UnplayedTask)][:1]
            return
        played = list(zip(seat_orders(len(slot.player_ids)), results, strict=True))
        points = {order.index(0): half_points(result, order.index(0)) for order, result in played}
        by_seat = [points[seat] for seat in sorted(points)]
        outcome = sum(by_seat)
        self.outcomes[slot.number] = outcome
        pair = PairRow(
            slot.number,
            outcome,
            match_ids=[],
            hosts=[gethostname()] * len(matches),
            starved=sum(match.starved > 0 for match in matches),
            by_seat=by_seat,
        )
        self.pairs.append(pair)
        for order, result in played:
            for number, seat in zip(order, result.outcome.verdicts, strict=True):
                if seat.verdict is not Verdict.OK:
                    self.faults[slot.player_ids[number], seat.verdict is Verdict.TIMEOUT] += 1

    @property
    def is_answered(self) -> bool:
        return judge(self.gauntlet.plan, self.gauntlet.test, self.outcomes, is_over=False).verdict is not None

    def report(self, state: str = GauntletState.RUNNING) -> GauntletReport:
        now = replace(
            self.gauntlet, state=state, ended_at=None if state == GauntletState.RUNNING else datetime.now(UTC)
        )
        faults = [
            FaultCounts(self.gauntlet.name_of(id_), self.faults[id_, True], self.faults[id_, False])
            for id_ in dict.fromkeys(version_id for version_id, _ in self.faults)
        ]
        so_far = report(now, self.pairs, faults, prior=set(self.prior), elapsed_s=time.monotonic() - self.began)
        verdict = so_far.judgement.verdict if state == GauntletState.FINISHED else None
        return replace(so_far, gauntlet=replace(now, verdict=verdict))


def gauntlet_of(request: GauntletRequest, rules: PlayRules, chosen: Lineup, pairs: int, seed: int) -> Gauntlet:
    """Return it as the database would hold it. `seed`: where the pairs' seeds come from. Raises UsageFault."""
    baseline = chosen.baseline
    opponents = (*chosen.opponents, *chosen.context)
    return Gauntlet(
        id=GauntletId(NO_ID),
        game=rules.game.name,
        league_id=LeagueId(NO_ID),
        league=rules.league,
        candidate_id=chosen.candidate.id,
        candidate=chosen.candidate.name,
        baseline_id=baseline.id if baseline else None,
        baseline=baseline.name if baseline else None,
        opponent_ids=[opponent.id for opponent in opponents],
        opponents=[opponent.name for opponent in opponents],
        asked_by=request.asked_by,
        seed=seed,
        seeds=None if request.seeds is None else list(request.seeds),
        pairs=pairs,
        **columns_of_test(request.question),
        gates=False,
        state=GauntletState.RUNNING,
        verdict=None,
        created_at=datetime.now(UTC),
        ended_at=None,
        deciding_ids=None if chosen.deciding_ids is None else list(chosen.deciding_ids),
        context_ids=[opponent.id for opponent in chosen.context],
        seed_bits=rules.game.seed_bits,
        players=number_of_players(request.players, rules.players, rules.game.name),
    )


def each_pair(
    plan: Schedule, spec: MatchSpec, programs: Mapping[VersionId, Program], settings: PlaySettings, first: int = 0
) -> Generator[tuple[Slot, list[PlayedTask]], None, None]:
    """Play a plan's slots from `first` on, each given with its matches. `spec`: of all but seed and players."""
    tasks = (task for number in range(first, plan.slots) for task in tasks_of(plan.slot(number), spec, programs))
    with closing(in_order(tasks, settings)) as results:
        for number in range(first, plan.slots):
            slot = plan.slot(number)
            yield slot, list(islice(results, len(slot.player_ids)))


def timed_pair(plan: Plan, spec: MatchSpec, programs: Mapping[VersionId, Program], settings: PlaySettings) -> float:
    """Return about how long each pair that decides takes here, in seconds, by playing the first one alone."""
    began = time.monotonic()
    with closing(each_pair(plan, spec, programs, replace(settings, jobs=1))) as played:
        next(played)
    return (time.monotonic() - began) * plan.matches_for_each / plan.players / settings.jobs


def tasks_of(slot: Slot, spec: MatchSpec, programs: Mapping[VersionId, Program]) -> list[Task]:
    players = [programs[version_id] for version_id in slot.player_ids]
    if slot.params:
        players = [with_params(program, params) for program, params in zip(players, slot.params, strict=True)]
    of_slot = replace(spec, seed=slot.seed, players=len(players))
    return [Task(of_slot, tuple(players[number] for number in order)) for order in seat_orders(len(players))]


def half_points(result: MatchResult, seat: int) -> int:
    """Return what a seat took from a match: 2 for each opponent that it left behind, 1 for each that is level."""
    places = result.outcome.places
    below = sum(place > places[seat] for place in places)
    level = places.count(places[seat]) - 1
    return 2 * below + level
