"""The ladders of `ladder simulate`: run, several at once, and shown."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from cli.answer import Answer, Rows, option
from cli.context import Context
from cli.options.files import file_option
from cli.options.numbers import LARGEST_TAU, MOST_OWN_BATTLES, jobs_option, real_option, seed_option
from cli.terminal.steps import bar
from cli.terminal.table import WORDS, Column, Columns, FittingTable, table_of
from engine.errors import UnknownName, UsageFault
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


def shown_table(plan: SimulationPlan, rows: list[Row]) -> FittingTable:
    in_leagues: Columns[Row] = [Column("right\nleague", lambda row: f"{row.right_league:.0%}", leaves=5)]
    again: Columns[Row] = [
        Column("again\n5-95 %", lambda row: None if row.low is None else f"{row.low:.0f}-{row.high:.0f}", leaves=6),
        Column("median", lambda row: None if row.middle is None else f"{row.middle:.0f}", leaves=3),
    ]
    on_the_way: Columns[Row] = [
        Column(
            "matches to\nits league",
            lambda row: None if row.matches_to_league is None else f"{row.matches_to_league:.0f}",
            leaves=2,
        ),
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
    return table_of(columns, rows, title_of(plan), ends=ends)


def title_of(plan: SimulationPlan) -> str:
    title = f"{plan.bots} bots, {counted(plan.repeats, 'ladder')} of each kind"
    if not plan.resubmissions:
        return title
    times = counted(plan.repeats * plan.resubmissions, "time")
    return f"{title}; a bot that is really number {plan.true_rank} submitted again {times}"


def draw(plan: SimulationPlan, rows: list[Row], path: Path) -> None:
    kinds = [drawn_of(plan, kind, own) for kind, own in by_kind(rows).items()]
    path.write_text(ranks_picture(plan.bots, kinds, plan.true_rank, plan.battles), "utf-8")


def drawn_of(plan: SimulationPlan, kind: tuple[str, str], own: list[Row]) -> Ladders:
    last = next((row for row in own if row.battles == plan.battles), own[-1])
    ranks = None
    if last.low is not None and last.middle is not None and last.high is not None:
        ranks = last.low, last.middle, last.high
    return Ladders(
        ", ".join(kind),
        COLOURS.get(kind[0], "#3a9d5d"),
        DASHES.get(kind[1], "8 3 2 3"),
        [(row.battles, row.rank_error) for row in own],
        ranks,
    )


def by_kind(rows: list[Row]) -> dict[tuple[str, str], list[Row]]:
    kinds: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        kinds.setdefault((row.matchmaker, row.rating), []).append(row)
    return kinds


@dataclass(frozen=True, slots=True)
class SimulatedRow:
    """One matchmaker and rating after a number of battles. `true_rank`: of the bot that is submitted again."""

    MERGED: ClassVar = ("row",)

    true_rank: int
    row: Row


@dataclass(frozen=True, slots=True)
class Kinds:
    """Which ladders are simulated: every matchmaker with every rating. All by name."""

    matchmakers: list[str]
    ratings: list[str]


def kinds_of(matchmakers: list[str] | None, ratings: list[str] | None) -> Kinds:
    meant = require_known("rating", ratings, matchmaking.simulation.RATINGS)
    for rating in meant if ratings else ():
        require_installed(rating)
    return Kinds(
        require_known("matchmaker", matchmakers, matchmaking.simulation.MATCHMAKERS),
        [rating for rating in meant if is_installed(rating)],
    )


def found_by(context: Context, plan: SimulationPlan, kinds: Kinds, jobs: int) -> list[Row]:
    looks, returns = simulated(context, plan, kinds, jobs)
    return [row for row in matchmaking.simulation.rows(looks, returns) if row.rating in kinds.ratings]


def answer_with(plan: SimulationPlan, found: list[Row], plot: Path | None) -> Answer:
    if plot is not None:
        draw(plan, found, plot)
    after = [] if plot is None else [f"the picture is in {plot}"]
    return Answer([SimulatedRow(plan.true_rank, row) for row in found], lambda: shown_table(plan, found), after)


def require_known(kind: str, names: list[str] | None, all_names: tuple[str, ...]) -> list[str]:
    for name in names or ():
        if name not in all_names:
            raise UnknownName.of(kind, name, all_names)
    return list(dict.fromkeys(names or all_names))


def check_idle(idle: int, kinds: Kinds) -> None:
    only = matchmaking.simulation.USES_IDLE
    if idle and only not in kinds.matchmakers:
        raise UsageFault(f"only {only} makes idle battles: leave --idle out, or add --matchmaker {only}")


def simulated(
    context: Context, plan: SimulationPlan, kinds: Kinds, jobs: int
) -> tuple[list[RankingError], list[Return]]:
    """Run all ladders, several at once, with progress on a terminal. The figures do not depend on how many at once."""
    with_settle, by_match = matchmaking.simulation.SETTLE in kinds.ratings, matchmaking.simulation.ONLINE
    online = [name for name in by_match if name in kinds.ratings or (with_settle and name == by_match[0])]
    each = [(matchmaker, rating) for matchmaker in kinds.matchmakers for rating in online]
    tasks = [(plan, *kind, repeat, with_settle) for kind in each for repeat in range(plan.repeats)]
    looks: list[RankingError] = []
    returns: list[Return] = []
    with bar(context.err) as progress, closing(in_processes(run_one, tasks, jobs)) as found:
        for more_looks, more_returns in progress.track(found, total=len(tasks), description="simulating"):
            looks += more_looks
            returns += more_returns
    return looks, returns


def run_one(task: tuple[SimulationPlan, str, str, int, bool]) -> tuple[list[RankingError], list[Return]]:
    """Run one ladder. TrueSkill's is the one at whose matches `settle` looks."""
    plan, matchmaker, rating, repeat, with_settle = task
    settle = with_settle and rating == matchmaking.simulation.ONLINE[0]
    return matchmaking.simulation.run(plan, matchmaker, rating, repeat, settle=settle)


MOST_REPEATS = 10_000


BotsOption = Annotated[int, option("--bots", "How many bots there are.", min=2, max=20_000)]
BattlesOption = Annotated[
    int, option("--battles", "Battles of each bot; each is two matches.", min=1, max=MOST_OWN_BATTLES)
]
IdleOption = Annotated[
    int,
    option("--idle", "This many more per bot made by idle capacity; only with informed.", min=0, max=MOST_OWN_BATTLES),
]
RepeatsOption = Annotated[int, option("--repeats", "Ladders of each kind.", min=1, max=MOST_REPEATS)]
ResubmissionsOption = Annotated[
    int, option("--resubmissions", "How often, in each, one bot is submitted again.", min=0, max=MOST_REPEATS)
]
LeaguesOption = Annotated[int, option("--leagues", "Leagues, each with a boss.", min=1, max=20)]
MatchmakerOption = Annotated[
    list[str] | None, option("--matchmaker", f"random, {' or '.join(Matchmaking)}; can be given again. [default: all]")
]
RatingOption = Annotated[
    list[str] | None,
    option("--rating", f"{', '.join(RatingSystem)} or settle; can be given again. [default: all that are installed]"),
]
DrawsOption = Annotated[float, real_option("--draws", 0, 0.9, "The share of draws between equals.")]
SpreadOption = Annotated[float, real_option("--spread", 0.01, 100, "The deviation of the bots' strengths, in betas.")]
PlacementOption = Annotated[
    int, option("--placement", "First battles over the whole board, with codingame.", min=0, max=MOST_OWN_BATTLES)
]
NearRanksOption = Annotated[int, option("--near-ranks", "How near later opponents are.", min=1, max=MOST_OWN_BATTLES)]
TauOption = Annotated[float, real_option("--tau", 0, LARGEST_TAU, "The rating's tau.")]
ByMuOption = Annotated[bool, option("--by-mu", "Rank by mu instead of mu - 3 sigma.")]
SureOption = Annotated[
    float | None,
    real_option("--sure", 0.5, 1, "The league setting: bots go up early with this chance of being above their boss."),
]
SpareOption = Annotated[
    bool, option("--spare", "With --sure: battles are spared of which no result can change anything.")
]
SettledOption = Annotated[
    bool, option("--settled", "Bots go up by the settled fit, and with --sure wait when they are surely below.")
]
SeedOption = Annotated[int, seed_option("The same seed gives the same figures.")]
JobsOption = Annotated[int, jobs_option("Ladders at once")]
PlotOption = Annotated[Path | None, file_option("--plot", "Also draw it into this file, which ends in .svg.")]


def simulate(
    context: Context,
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
    settled: SettledOption = False,
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
        check_plot(plot)
    kinds = kinds_of(matchmaker, rating)
    check_idle(idle, kinds)
    found = found_by(context, plan, kinds, jobs or len(os.sched_getaffinity(0)))
    return answer_with(plan, found, plot)


def check_plot(path: Path) -> None:
    if path.suffix != ".svg":
        raise UsageFault(f"a plot is drawn into a file that ends in .svg, not into {path}")
    if not os.access(path if path.exists() else path.parent, os.W_OK) or path.is_dir():
        raise UsageFault(f"{path} cannot be written")
