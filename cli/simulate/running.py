"""The ladders of `ladder simulate`: run, several at once, and shown."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from cli.context import Context
from cli.simulate.views import draw, table_of
from engine.errors import UnknownName, UsageFault
from engine.parallel import in_processes
from ladder.matchmaking.simulation import (
    MATCHMAKERS,
    ONLINE,
    RATINGS,
    SETTLE,
    USES_IDLE,
    Look,
    Plan,
    Return,
    Row,
    rows,
    run,
)
from ladder.ratings.models import is_installed, require_installed
from ladder.views.simulations import SimulatedRow


@dataclass(frozen=True, slots=True)
class Kinds:
    """Which ladders are simulated: every matchmaker with every rating. All by name."""

    matchmakers: list[str]
    ratings: list[str]


def kinds_of(matchmakers: list[str] | None, ratings: list[str] | None) -> Kinds:
    """Return the kinds of ladders that are asked for; None: all that are here. Raises UnknownName, MissingTool."""
    meant = known("rating", ratings, RATINGS)
    for rating in meant if ratings else ():
        require_installed(rating)
    return Kinds(known("matchmaker", matchmakers, MATCHMAKERS), [rating for rating in meant if is_installed(rating)])


def found_by(context: Context, plan: Plan, kinds: Kinds, jobs: int) -> list[Row]:
    """Run all ladders and sum up what was found."""
    looks, returns = simulated(context, plan, kinds, jobs)
    return [row for row in rows(looks, returns) if row.rating in kinds.ratings]


def print_result(context: Context, plan: Plan, found: list[Row], plot: Path | None, *, as_json: bool) -> None:
    """Print what was found, and draw it if that is asked for."""
    if as_json:
        context.show_json([SimulatedRow(plan.true_rank, row) for row in found])
    else:
        context.show(table_of(plan, found))
    if plot is not None:
        draw(plan, found, plot)
        context.say(f"the picture is in {plot}")


def known(kind: str, names: list[str] | None, all_names: tuple[str, ...]) -> list[str]:
    """Return the names that are asked for, or all. Raises UnknownName."""
    for name in names or ():
        if name not in all_names:
            raise UnknownName.of(kind, name, all_names)
    return list(dict.fromkeys(names or all_names))


def check_idle(idle: int, kinds: Kinds) -> None:
    """Raises UsageFault for idle battles that none of the matchmakers would make."""
    if idle and USES_IDLE not in kinds.matchmakers:
        raise UsageFault(f"only {USES_IDLE} makes idle battles: leave --idle out, or add --matchmaker {USES_IDLE}")


def simulated(context: Context, plan: Plan, kinds: Kinds, jobs: int) -> tuple[list[Look], list[Return]]:
    """Run all ladders, several at once, with progress on a terminal. The figures do not depend on how many at once."""
    with_settle = SETTLE in kinds.ratings
    online = [name for name in ONLINE if name in kinds.ratings or (with_settle and name == ONLINE[0])]
    each = [(matchmaker, rating) for matchmaker in kinds.matchmakers for rating in online]
    tasks = [(plan, *kind, repeat, with_settle) for kind in each for repeat in range(plan.repeats)]
    columns = ("simulating", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    looks: list[Look] = []
    returns: list[Return] = []
    bar = Progress(*columns, console=context.err, transient=True, disable=not context.err.is_terminal)
    with bar, closing(in_processes(run_one, tasks, jobs)) as found:
        for more_looks, more_returns in bar.track(found, total=len(tasks)):
            looks += more_looks
            returns += more_returns
    return looks, returns


def run_one(task: tuple[Plan, str, str, int, bool]) -> tuple[list[Look], list[Return]]:
    """Run one ladder. TrueSkill's is the one at whose matches `settle` looks."""
    plan, matchmaker, rating, repeat, with_settle = task
    return run(plan, matchmaker, rating, repeat, settle=with_settle and rating == ONLINE[0])
