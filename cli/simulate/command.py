"""`ladder simulate`: how far a ladder's ranking is from the truth, on bots whose strength is known.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.options.files import file_option
from cli.options.numbers import LARGEST_TAU, MOST_JOBS, MOST_OWN_BATTLES, real_option, seed_number
from engine.errors import UnknownName, UsageFault
from ladder.choices import Matchmaking, RatingSystem, ScoreFormula

if TYPE_CHECKING:
    from ladder.matchmaking.simulation import Look, Plan, Return, Row

PLOTS = (".png", ".svg")
MOST_REPEATS = 10_000


BotsOption = Annotated[int, typer.Option("--bots", min=2, max=20_000, help="How many bots there are.")]
BattlesOption = Annotated[
    int, typer.Option("--battles", min=1, max=MOST_OWN_BATTLES, help="Battles of each bot; each is two matches.")
]
IdleOption = Annotated[
    int,
    typer.Option(
        "--idle", min=0, max=MOST_OWN_BATTLES, help="This many more per bot made by idle capacity; only with informed."
    ),
]
RepeatsOption = Annotated[int, typer.Option("--repeats", min=1, max=MOST_REPEATS, help="Ladders of each kind.")]
ResubmissionsOption = Annotated[
    int,
    typer.Option("--resubmissions", min=0, max=MOST_REPEATS, help="How often, in each, one bot is submitted again."),
]
LeaguesOption = Annotated[int, typer.Option("--leagues", min=1, max=20, help="Leagues, each with a boss.")]
MatchmakerOption = Annotated[
    list[str] | None,
    typer.Option("--matchmaker", help=f"random, {' or '.join(Matchmaking)}; can be given again. [default: all]"),
]
RatingOption = Annotated[
    list[str] | None,
    typer.Option("--rating", help=f"{', '.join(RatingSystem)} or settle; can be given again. [default: all]"),
]
DrawsOption = Annotated[float, real_option("--draws", 0, 0.9, "The share of draws between equals.")]
SpreadOption = Annotated[float, real_option("--spread", 0.01, 100, "The deviation of the bots' strengths, in betas.")]
PlacementOption = Annotated[
    int,
    typer.Option(
        "--placement", min=0, max=MOST_OWN_BATTLES, help="First battles over the whole board, with codingame."
    ),
]
NearRanksOption = Annotated[
    int, typer.Option("--near-ranks", min=1, max=MOST_OWN_BATTLES, help="How near later opponents are.")
]
TauOption = Annotated[float, real_option("--tau", 0, LARGEST_TAU, "The rating's tau.")]
ByMuOption = Annotated[bool, typer.Option("--by-mu", help="Rank by mu instead of mu - 3 sigma.")]
SureOption = Annotated[
    float | None,
    real_option("--sure", 0.5, 1, "The league setting: bots go up early with this chance of being above their boss."),
]
SeedOption = Annotated[
    int,
    typer.Option("--seed", "-s", callback=seed_number, help="The same seed gives the same figures."),
]
JobsOption = Annotated[
    int, typer.Option("--jobs", "-j", min=0, max=MOST_JOBS, help="Ladders at once; 0 is one per core.")
]
PlotOption = Annotated[Path | None, file_option("--plot", "Also draw it into this file, .png or .svg.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print rows as JSON.")]


def simulate(
    typer_context: typer.Context,
    bots: BotsOption = 300,
    battles: BattlesOption = 100,
    idle: IdleOption = 0,
    repeats: RepeatsOption = 20,
    resubmissions: ResubmissionsOption = 5,
    leagues: LeaguesOption = 1,
    matchmaker: MatchmakerOption = None,
    rating: RatingOption = None,
    draws: DrawsOption = 0.02,
    spread: SpreadOption = 1.0,
    placement: PlacementOption = 10,
    near_ranks: NearRanksOption = 20,
    tau: TauOption = 25 / 300,
    by_mu: ByMuOption = False,
    sure: SureOption = None,
    seed: SeedOption = 1,
    jobs: JobsOption = 0,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate ladders to choose their settings.

    Bots of known strength play by the real matchmaking, ratings and promotions, but no matches are played: they are
    drawn by lot. Printed is how far the ranking is from the truth, and what ranks a bot gets that is submitted again
    unchanged.

    Example: ladder simulate --bots 300 --battles 100 --repeats 20 --plot simulation.png
    """
    from ladder.matchmaking.simulation import MATCHMAKERS, RATINGS, Plan

    plan = Plan(
        bots=bots,
        battles=battles,
        idle=idle,
        repeats=repeats,
        resubmissions=resubmissions,
        leagues=leagues,
        draws=draws,
        spread=spread,
        placement_battles=placement,
        near_ranks=near_ranks,
        tau=tau,
        score_formula=ScoreFormula.MEAN if by_mu else ScoreFormula.CAUTIOUS,
        sure=sure,
        seed=seed,
    )
    if plot is not None:
        check_plot(plot)
    kinds = Kinds(known("matchmaker", matchmaker, MATCHMAKERS), known("rating", rating, RATINGS))
    check_idle(idle, kinds)
    context = this(typer_context)
    found = found_by(context, plan, kinds, jobs or len(os.sched_getaffinity(0)))
    print_result(context, plan, found, plot, as_json=as_json)


@dataclass(frozen=True, slots=True)
class Kinds:
    """Which ladders are simulated: every matchmaker with every rating. All by name."""

    matchmakers: list[str]
    ratings: list[str]


def found_by(context: Context, plan: Plan, kinds: Kinds, jobs: int) -> list[Row]:
    """Run all ladders and sum up what was found."""
    from ladder.matchmaking.simulation import rows

    looks, returns = simulated(context, plan, kinds, jobs)
    return [row for row in rows(looks, returns) if row.rating in kinds.ratings]


def print_result(context: Context, plan: Plan, found: list[Row], plot: Path | None, *, as_json: bool) -> None:
    """Print what was found, and draw it if that is asked for."""
    from cli.simulate.views import draw, table_of
    from ladder.views.simulations import SimulatedRow

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
    from ladder.matchmaking.simulation import USES_IDLE

    if idle and USES_IDLE not in kinds.matchmakers:
        raise UsageFault(f"only {USES_IDLE} makes idle battles: leave --idle out, or add --matchmaker {USES_IDLE}")


def check_plot(path: Path) -> None:
    """Find out before all the work whether a plot can be drawn there. Raises UsageFault."""
    if path.suffix not in PLOTS:
        raise UsageFault(f"a plot is drawn into a file that ends in {' or '.join(PLOTS)}, not into {path}")
    if not os.access(path if path.exists() else path.parent, os.W_OK) or path.is_dir():
        raise UsageFault(f"{path} cannot be written")


def simulated(context: Context, plan: Plan, kinds: Kinds, jobs: int) -> tuple[list[Look], list[Return]]:
    """Run all ladders, several at once, with progress on a terminal. The figures do not depend on how many at once."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from engine.parallel import in_processes
    from ladder.matchmaking.simulation import ONLINE, SETTLE

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
    from ladder.matchmaking.simulation import ONLINE, run

    plan, matchmaker, rating, repeat, with_settle = task
    return run(plan, matchmaker, rating, repeat, settle=with_settle and rating == ONLINE[0])
