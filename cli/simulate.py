"""The ladders of `ladder simulate`: run, several at once, and shown."""

from __future__ import annotations

import os
from contextlib import closing
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from cli.answer import Answer, Rows, option
from cli.context import Context
from cli.options.files import file_option
from cli.options.numbers import LARGEST_TAU, MOST_OWN_BATTLES, jobs_option, real_option, seed_option
from cli.terminal.steps import bar
from cli.terminal.table import WORDS, Column, Columns, FittingTable, figure
from engine.errors import UnknownName, UsageFault
from engine.immutable import immutable
from engine.parallel import in_processes
from engine.text import counted
from ladder import matchmaking
from ladder.choices import Matchmaking, RatingSystem, ScoreFormula
from ladder.plots.curves import Ladders, ranks_picture
from ladder.ratings.models import is_installed, require_installed

if TYPE_CHECKING:
    from ladder.matchmaking.simulation import RankingError, Return, Row, SimulationPlan

DASHES = {"trueskill": None, "openskill": "2 3", "settle": "6 3"}
COLOURS = {"random": "#7a8591", "codingame": "#2f7fd6", "informed": "#d64541"}
MOST_REPEATS = 10_000


@immutable
class SimulatedRow:
    """One matchmaker and rating after a number of battles. `true_rank`: of the bot that is submitted again."""

    MERGED: ClassVar = ("row",)

    true_rank: int
    row: Row


def table_of_rows(plan: SimulationPlan, rows: list[Row]) -> FittingTable[Row]:
    in_leagues: Columns[Row] = [Column("right\nleague", lambda row: f"{row.right_league:.0%}", leaves=5)]
    again: Columns[Row] = [
        Column("again\n5-95 %", lambda row: None if row.low is None else f"{row.low:.0f}-{row.high:.0f}", leaves=6),
        Column("median", lambda row: figure(row.middle, ".0f"), leaves=3),
    ]
    on_the_way: Columns[Row] = [
        Column("matches to\nits league", lambda row: figure(row.matches_to_league, ".0f"), leaves=2),
        Column("wrongly\nup", lambda row: f"{row.wrong_promotions:.1%}", leaves=1),
    ]
    columns: Columns[Row] = [
        Column("matchmaker", lambda row: row.matchmaker, WORDS),
        Column("rating", lambda row: row.rating, WORDS),
        Column("battles", lambda row: row.battles),
        Column("Kendall's\ntau", lambda row: f"{row.tau:.3f}", leaves=4),
        Column("rank\nerror", lambda row: f"{row.rank_error:.1f}"),
        *(in_leagues if plan.leagues > 1 else ()),
        *(again if plan.resubmissions else ()),
        *(on_the_way if plan.leagues > 1 else ()),
    ]
    ends = [number for number, (row, next_row) in enumerate(pairwise(rows)) if next_row.battles <= row.battles]
    title = f"{plan.bots} bots, {counted(plan.repeats, 'ladder')} of each kind"
    if plan.resubmissions:
        times = counted(plan.repeats * plan.resubmissions, "time")
        title += f"; a bot that is really number {plan.true_rank} submitted again {times}"
    return FittingTable(columns, rows, title, ends=ends)


def drawn_of(plan: SimulationPlan, kind: tuple[str, str], rows: list[Row]) -> Ladders:
    last = next((row for row in rows if row.battles == plan.battles), rows[-1])
    ranks = None
    if last.low is not None and last.middle is not None and last.high is not None:
        ranks = last.low, last.middle, last.high
    matchmaker, rating = kind
    errors = [(row.battles, row.rank_error) for row in rows]
    colour, dashes = COLOURS.get(matchmaker, "#3a9d5d"), DASHES.get(rating, "8 3 2 3")
    return Ladders(f"{matchmaker}, {rating}", colour, dashes, errors, ranks)


def require_known(kind: str, names: list[str] | None, all_names: tuple[str, ...]) -> list[str]:
    for name in names or ():
        if name not in all_names:
            raise UnknownName.of(kind, name, all_names)
    return list(dict.fromkeys(names or all_names))


def simulate_all(
    context: Context, plan: SimulationPlan, matchmakers: list[str], ratings: list[str], jobs: int
) -> list[Row]:
    """Run all ladders, several at once, with progress on a terminal. The figures do not depend on how many at once."""
    simulation = matchmaking.simulation
    with_settle = simulation.SETTLE in ratings
    online = [name for name in simulation.ONLINE if name in ratings or (with_settle and name == simulation.ONLINE[0])]
    kinds = [(matchmaker, rating) for matchmaker in matchmakers for rating in online]
    tasks = [(plan, *kind, repeat, with_settle) for kind in kinds for repeat in range(plan.repeats)]
    looks: list[RankingError] = []
    returns: list[Return] = []
    with bar(context.err) as progress, closing(in_processes(run_one, tasks, jobs)) as ladders:
        for more_looks, more_returns in progress.track(ladders, total=len(tasks), description="simulating"):
            looks += more_looks
            returns += more_returns
    return [row for row in simulation.rows(looks, returns) if row.rating in ratings]


def run_one(task: tuple[SimulationPlan, str, str, int, bool]) -> tuple[list[RankingError], list[Return]]:
    """Run one ladder. TrueSkill's is the one at whose matches `settle` looks."""
    plan, matchmaker, rating, repeat, with_settle = task
    settle = with_settle and rating == matchmaking.simulation.ONLINE[0]
    return matchmaking.simulation.run(plan, matchmaker, rating, repeat, settle=settle)


battles_option = partial(option, min=0, max=MOST_OWN_BATTLES)
WHO_PAIRS = f"random, {' or '.join(Matchmaking)}; can be given again. [default: all]"
WHAT_RATES = f"{', '.join(RatingSystem)} or settle; can be given again. [default: all that are installed]"
SURE = "The league setting: bots go up early with this chance of being above their boss."


def simulate(
    context: Context,
    bots: Annotated[int, option("--bots", "How many bots there are.", min=2, max=20_000)] = 300,
    battles: Annotated[
        int, option("--battles", "Battles of each bot; each is two matches.", min=1, max=MOST_OWN_BATTLES)
    ] = 100,
    idle: Annotated[
        int, battles_option("--idle", "This many more per bot made by idle capacity; only with informed.")
    ] = 0,
    repeats: Annotated[int, option("--repeats", "Ladders of each kind.", min=1, max=MOST_REPEATS)] = 20,
    resubmissions: Annotated[
        int, option("--resubmissions", "How often, in each, one bot is submitted again.", min=0, max=MOST_REPEATS)
    ] = 5,
    leagues: Annotated[int, option("--leagues", "Leagues, each with a boss.", min=1, max=20)] = 1,
    matchmaker: Annotated[list[str] | None, option("--matchmaker", WHO_PAIRS)] = None,
    rating: Annotated[list[str] | None, option("--rating", WHAT_RATES)] = None,
    draws: Annotated[float, real_option("--draws", 0, 0.9, "The share of draws between equals.")] = 0.02,
    spread: Annotated[
        float, real_option("--spread", 0.01, 100, "The deviation of the bots' strengths, in betas.")
    ] = 1.0,
    placement: Annotated[
        int, battles_option("--placement", "First battles over the whole board, with codingame.")
    ] = 10,
    near_ranks: Annotated[
        int, option("--near-ranks", "How near later opponents are.", min=1, max=MOST_OWN_BATTLES)
    ] = 20,
    tau: Annotated[float, real_option("--tau", 0, LARGEST_TAU, "The rating's tau.")] = 25 / 300,
    by_mu: Annotated[bool, option("--by-mu", "Rank by mu instead of mu - 3 sigma.")] = False,
    sure: Annotated[float | None, real_option("--sure", 0.5, 1, SURE)] = None,
    spare: Annotated[
        bool, option("--spare", "With --sure: battles are spared of which no result can change anything.")
    ] = False,
    settled: Annotated[
        bool, option("--settled", "Bots go up by the settled fit, and with --sure wait when they are surely below.")
    ] = False,
    seed: Annotated[int, seed_option("The same seed gives the same figures.")] = 1,
    jobs: Annotated[int, jobs_option("Ladders at once")] = 0,
    plot: Annotated[Path | None, file_option("--plot", "Also draw it into this file, which ends in .svg.")] = None,
) -> Rows:
    """Simulate ladders to choose their settings.

    Bots of known strength play by the real matchmaking, ratings and promotions, but no matches are played: they are
    drawn by lot. Printed is how far the ranking is from the truth, and what ranks a bot gets that is submitted again
    unchanged.

    Example: ladder simulate --bots 300 --battles 100 --repeats 20 --plot simulation.svg
    """
    plan = matchmaking.simulation.SimulationPlan(
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
        settled=settled,
        seed=seed,
    )
    if spare and sure is None:
        raise UsageFault("--spare goes with --sure: without it every bot has all its battles")
    if settled and leagues == 1:
        raise UsageFault("--settled goes with --leagues: in one league nobody goes up")
    if plot is not None:
        if plot.suffix != ".svg":
            raise UsageFault(f"a plot is drawn into a file that ends in .svg, not into {plot}")
        if not os.access(plot if plot.exists() else plot.parent, os.W_OK) or plot.is_dir():
            raise UsageFault(f"{plot} cannot be written")
    ratings = require_known("rating", rating, matchmaking.simulation.RATINGS)
    for name in ratings if rating else ():
        require_installed(name)
    matchmakers = require_known("matchmaker", matchmaker, matchmaking.simulation.MATCHMAKERS)
    only = matchmaking.simulation.USES_IDLE
    if idle and only not in matchmakers:
        raise UsageFault(f"only {only} makes idle battles: leave --idle out, or add --matchmaker {only}")
    jobs = jobs or len(os.sched_getaffinity(0))
    rows = simulate_all(context, plan, matchmakers, list(filter(is_installed, ratings)), jobs)
    after = []
    if plot is not None:
        by_kind: dict[tuple[str, str], list[Row]] = {}
        for row in rows:
            by_kind.setdefault((row.matchmaker, row.rating), []).append(row)
        kinds = [drawn_of(plan, kind, of_kind) for kind, of_kind in by_kind.items()]
        plot.write_text(ranks_picture(plan.bots, kinds, plan.true_rank, plan.battles), "utf-8")
        after = [f"the picture is in {plot}"]
    return Answer([SimulatedRow(plan.true_rank, row) for row in rows], lambda: table_of_rows(plan, rows), after)
