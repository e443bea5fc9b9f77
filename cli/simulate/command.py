"""`ladder simulate`: how far a ladder's ranking is from the truth, on bots whose strength is known.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from cli.answer import Rows
from cli.context import this
from cli.options.files import file_option
from cli.options.numbers import LARGEST_TAU, MOST_JOBS, MOST_OWN_BATTLES, real_option, seed_number
from engine.errors import UsageFault
from ladder.choices import Matchmaking, RatingSystem, ScoreFormula

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
    typer.Option(
        "--rating", help=f"{', '.join(RatingSystem)} or settle; can be given again. [default: all that are installed]"
    ),
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
SpareOption = Annotated[
    bool, typer.Option("--spare", help="With --sure: battles are spared of which no result can change anything.")
]
SeedOption = Annotated[
    int,
    typer.Option("--seed", "-s", callback=seed_number, help="The same seed gives the same figures."),
]
JobsOption = Annotated[
    int, typer.Option("--jobs", "-j", min=0, max=MOST_JOBS, help="Ladders at once; 0 is one per core.")
]
PlotOption = Annotated[Path | None, file_option("--plot", "Also draw it into this file, which ends in .svg.")]


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
    spare: SpareOption = False,
    seed: SeedOption = 1,
    jobs: JobsOption = 0,
    plot: PlotOption = None,
) -> Rows:
    """Simulate ladders to choose their settings.

    Bots of known strength play by the real matchmaking, ratings and promotions, but no matches are played: they are
    drawn by lot. Printed is how far the ranking is from the truth, and what ranks a bot gets that is submitted again
    unchanged.

    Example: ladder simulate --bots 300 --battles 100 --repeats 20 --plot simulation.svg
    """
    from cli.simulate.running import answer_with, check_idle, found_by, kinds_of
    from ladder.matchmaking.simulation import Plan

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
        spare=spare,
        seed=seed,
    )
    if spare and sure is None:
        raise UsageFault("--spare goes with --sure: without it every bot has all its battles")
    if plot is not None:
        check_plot(plot)
    kinds = kinds_of(matchmaker, rating)
    check_idle(idle, kinds)
    context = this(typer_context)
    found = found_by(context, plan, kinds, jobs or len(os.sched_getaffinity(0)))
    return answer_with(plan, found, plot)


def check_plot(path: Path) -> None:
    """Find out before all the work whether a plot can be drawn there. Raises UsageFault."""
    if path.suffix != ".svg":
        raise UsageFault(f"a plot is drawn into a file that ends in .svg, not into {path}")
    if not os.access(path if path.exists() else path.parent, os.W_OK) or path.is_dir():
        raise UsageFault(f"{path} cannot be written")
