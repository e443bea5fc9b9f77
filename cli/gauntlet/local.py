"""`ladder gauntlet run --local`: a gauntlet that this process plays at once, with no services and leaving no trace.

How this works. It plays the same plan as the queue would, and judges after every pair. Pairs count in the order of the
plan however many matches are played at once, so the same seed gives the same answer on any number of cores.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from socket import gethostname
from typing import TYPE_CHECKING

from cli.context import Context
from cli.exit_status import ExitStatus
from cli.gauntlet.lineup import NOBODY, Field, field_of
from cli.options.seeds import checked_seed
from engine.conversation import Verdict
from engine.errors import HostBusy
from engine.match import MatchResult, MatchSpec
from engine.sandbox.bare import NAME as UNCONTAINED
from engine.series import Ground, Played, Task, Unplayed, built, in_order, jobs_or_all_cores, opened
from engine.toolchains.languages import find_language
from ladder.gauntlets.gauntlets import Gauntlet, PairRow
from ladder.gauntlets.order import number_of_pairs
from ladder.gauntlets.report import Faults, Report, report
from ladder.gauntlets.verdict import judge
from ladder.statistics.defaults import ELO_MODEL, ERROR_RATE

if TYPE_CHECKING:
    from engine.toolchains.build import Program
    from ladder.gauntlets.order import Wish
    from ladder.gauntlets.plan import Plan, Slot

DRAW_EVERY_S = 0.2


@dataclass(slots=True)
class Run:
    """A gauntlet while it is played. `void`: for each pair that the host was too busy for, how that was."""

    gauntlet: Gauntlet
    prior: frozenset[str]
    began: float = field(default_factory=time.monotonic)
    outcomes: dict[int, int] = field(default_factory=dict[int, int])
    pairs: list[PairRow] = field(default_factory=list[PairRow])
    faults: dict[int, Faults] = field(default_factory=dict[int, Faults])
    void: list[str] = field(default_factory=list[str])

    def take(self, slot: Slot, matches: tuple[Played, Played]) -> None:
        """Count a pair: a slot's two matches, in the first of which who plays the field sat in seat 0."""
        results = [match.result for match in matches if isinstance(match.result, MatchResult)]
        if len(results) < len(matches):
            self.void += [match.result.why for match in matches if isinstance(match.result, Unplayed)][:1]
            return
        first, second = results
        outcome = half_points(first, 0) + half_points(second, 1)
        starved = sum(match.starved > 0 for match in matches)
        self.outcomes[slot.number] = outcome
        self.pairs.append(PairRow(slot.number, outcome, [], [gethostname()] * 2, starved))
        self.count_faults(first, (slot.version_id, slot.opponent_id))
        self.count_faults(second, (slot.opponent_id, slot.version_id))

    def count_faults(self, result: MatchResult, version_ids: tuple[int, int]) -> None:
        """Count what the seats' versions did wrong in a match."""
        for version_id, verdict in zip(version_ids, result.outcome.verdicts, strict=True):
            if verdict.verdict is not Verdict.OK:
                row = self.faults.get(version_id) or Faults(self.gauntlet.name_of(version_id), 0, 0)
                is_timeout = verdict.verdict is Verdict.TIMEOUT
                self.faults[version_id] = replace(
                    row, timeouts=row.timeouts + is_timeout, faults=row.faults + (not is_timeout)
                )

    @property
    def is_answered(self) -> bool:
        """Say whether the pairs so far answer the question."""
        return judge(self.gauntlet.plan, self.gauntlet.test, self.outcomes, is_over=False).verdict is not None

    def report(self, state: str = "running") -> Report:
        """Sum up what was played. `state`: running, stopped or finished."""
        now = replace(self.gauntlet, state=state, ended_at=None if state == "running" else datetime.now(UTC))
        found = report(
            now,
            self.pairs,
            list(self.faults.values()),
            prior=set(self.prior),
            elapsed_s=time.monotonic() - self.began,
        )
        verdict = found.judgement.verdict if state == "finished" else None
        return replace(found, gauntlet=replace(now, verdict=verdict))


def run_local(
    context: Context, wish: Wish, jobs: int, tier: str | None, *, as_json: bool = False, bot: str | None = None
) -> int:
    """Play a gauntlet here until its question is answered, print the result and return the exit status.

    `jobs`: matches at once, 0 for one per core; `tier`: of the sandbox; `bot`: of which bot the candidate is to be the
    next version, by default of the one that the file is named like. Interrupted, it tells what was found by then.
    Raises UsageFault, UnknownName, Refused, BuildRefused, MissingTool, SandboxFault, Unavailable; and HostBusy where
    not one pair could be played.
    """
    from cli.gauntlet.following import tell
    from cli.render import sandbox_text

    pairs = number_of_pairs(wish.pairs, wish.seeds, wish.test)
    seed = checked_seed(wish.seed)
    who = field_of(context, wish, bot)
    run = Run(gauntlet_of(wish, who, pairs, seed), who.prior)
    with context.err.status("building"):
        programs = {one.id: built(one.source, find_language(one.language), tier) for one in who.entrants}
    if opened(tier).name == UNCONTAINED:
        context.say(sandbox_text(UNCONTAINED))
    ground = Ground(who.rules.conditions, jobs_or_all_cores(jobs), tier)
    state = play_through(context, run, who, programs, ground)
    if run.void:
        missing = "1 pair is" if len(run.void) == 1 else f"{len(run.void)} pairs are"
        context.say(f"{missing} missing: the host was too busy for them ({run.void[-1]})")
    if run.void and not run.pairs and state == "finished":
        raise HostBusy("not one pair could be played: this machine is too busy")
    status = tell(context, run.report(state), as_json=as_json)
    return status if state == "finished" else ExitStatus.INTERRUPTED


def play_through(context: Context, run: Run, who: Field, programs: Mapping[int, Program], ground: Ground) -> str:
    """Play until the question is answered or Ctrl-C, with progress on a terminal; return the state it then is in."""
    from rich.live import Live

    from cli.gauntlet.following import picture

    drawn = 0.0
    spec = who.rules.spec(0)
    try:
        with (
            Live(console=context.err, auto_refresh=False, transient=True) as live,
            closing(each_pair(run.gauntlet.plan, spec, programs, ground)) as played,
        ):
            for slot, matches in played:
                run.take(slot, matches)
                if run.is_answered:
                    break
                if context.err.is_terminal and time.monotonic() - drawn > DRAW_EVERY_S:
                    live.update(picture(run.report()), refresh=True)
                    drawn = time.monotonic()
    except KeyboardInterrupt:
        return "stopped"
    return "finished"


def each_pair(
    plan: Plan, spec: MatchSpec, programs: Mapping[int, Program], ground: Ground
) -> Generator[tuple[Slot, tuple[Played, Played]], None, None]:
    """Play a plan's pairs and give them in order, each with its two matches. `spec`: of all, but for the seed."""
    tasks = (task for number in range(plan.slots) for task in tasks_of(plan.slot(number), spec, programs))
    with closing(in_order(tasks, ground)) as results:
        for number in range(plan.slots):
            yield plan.slot(number), (next(results), next(results))


def tasks_of(slot: Slot, spec: MatchSpec, programs: Mapping[int, Program]) -> tuple[Task, Task]:
    """Return a pair's two matches: one seed, both seat orders."""
    player, opponent = programs[slot.version_id], programs[slot.opponent_id]
    seeded = replace(spec, seed=slot.seed)
    return Task(seeded, (player, opponent)), Task(seeded, (opponent, player))


def half_points(result: MatchResult, seat: int) -> int:
    """Return what a seat took from a match: 2 for a win, 1 for a draw."""
    winner = result.outcome.winner
    return 1 if winner is None else 2 * (winner == seat)


def gauntlet_of(wish: Wish, who: Field, pairs: int, seed: int) -> Gauntlet:
    """Return the gauntlet as the database would hold it if it were there. `seed`: where the pairs' seeds come from."""
    test, baseline = wish.test, who.baseline
    return Gauntlet(
        id=NOBODY,
        game=who.rules.game.name,
        league_id=NOBODY,
        league=who.rules.league,
        candidate_id=who.candidate.id,
        candidate=who.candidate.name,
        baseline_id=baseline.id if baseline else None,
        baseline=baseline.name if baseline else None,
        opponent_ids=[one.id for one in who.opponents],
        opponents=[one.name for one in who.opponents],
        asked_by=wish.asked_by,
        seed=seed,
        seeds=None if wish.seeds is None else list(wish.seeds),
        pairs=pairs,
        elo0=test.elo0 if test else None,
        elo1=test.elo1 if test else None,
        elo_model=test.model if test else ELO_MODEL,
        alpha=test.alpha if test else ERROR_RATE,
        beta=test.beta if test else ERROR_RATE,
        gates=False,
        state="running",
        verdict=None,
        created_at=datetime.now(UTC),
        ended_at=None,
        deciding_ids=None if who.deciding_ids is None else list(who.deciding_ids),
    )
