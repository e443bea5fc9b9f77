"""`ladder simulate`: how far a ladder's ranking is from the truth, on bots whose strength is known."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this

if TYPE_CHECKING:
    from rich.table import Table

    from ladder.simulation import Look, Plan, Return, Row

PLOTS = (".png", ".svg")


def simulate(
    typer_context: typer.Context,
    bots: Annotated[int, typer.Option("--bots", min=2, max=20_000, help="How many bots there are.")] = 300,
    battles: Annotated[int, typer.Option("--battles", min=1, help="Battles of each bot; each is two matches.")] = 100,
    idle: Annotated[
        int, typer.Option("--idle", min=0, help="So many more per bot made by idle capacity, with informed.")
    ] = 0,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Ladders of each kind.")] = 20,
    resubmissions: Annotated[
        int, typer.Option("--resubmissions", min=0, help="In each, so many times one bot is submitted again.")
    ] = 5,
    leagues: Annotated[int, typer.Option("--leagues", min=1, max=20, help="Leagues, each with a boss.")] = 1,
    matchmaker: Annotated[
        list[str] | None,
        typer.Option("--matchmaker", help="random, codingame or informed; can be given again. [default: all]"),
    ] = None,
    rating: Annotated[
        list[str] | None,
        typer.Option("--rating", help="trueskill, openskill or settle; can be given again. [default: all]"),
    ] = None,
    draws: Annotated[float, typer.Option("--draws", min=0, max=0.9, help="The share of draws between equals.")] = 0.02,
    spread: Annotated[
        float, typer.Option("--spread", min=0.01, max=100, help="The deviation of the bots' strengths, in betas.")
    ] = 1.0,
    placement: Annotated[
        int, typer.Option("--placement", min=0, help="First battles over the whole board, with codingame.")
    ] = 10,
    near_ranks: Annotated[int, typer.Option("--near-ranks", min=1, help="How near later opponents are.")] = 20,
    tau: Annotated[float, typer.Option("--tau", min=0, help="The rating's tau.")] = 25 / 300,
    by_mu: Annotated[bool, typer.Option("--by-mu", help="Rank by mu instead of mu - 3 sigma.")] = False,
    seed: Annotated[int, typer.Option("--seed", "-s", help="The same seed gives the same figures.")] = 1,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Ladders at once; 0 is one per core.")] = 0,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Also draw it into this file, .png or .svg.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """Simulate ladders to choose their settings.

    Bots of known strength play by the real matchmaking, ratings and promotions, but no matches are played: they are
    drawn by lot. Printed is how far the ranking is from the truth, and what ranks a bot gets that is submitted again
    unchanged.

    Example: ladder simulate --bots 300 --battles 100 --repeats 20 --plot simulation.png
    """
    from ladder.simulation import MATCHMAKERS, RATINGS, Plan, rows

    context = this(typer_context)
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
        score_formula="mu" if by_mu else "mu - 3 sigma",
        seed=seed,
    )
    if plot is not None:
        check_plot(plot)
    chosen = known("matchmaker", matchmaker, MATCHMAKERS)
    wanted = known("rating", rating, RATINGS)
    looks, returns = simulated(context, plan, chosen, wanted, jobs or len(os.sched_getaffinity(0)))
    found = [row for row in rows(looks, returns) if row.rating in wanted]
    if as_json:
        context.show_json([{"true_rank": plan.true_rank, **asdict(row)} for row in found])
    else:
        context.show(table_of(plan, found))
    if plot is not None:
        draw(plan, found, plot)


def known(kind: str, names: list[str] | None, all_names: tuple[str, ...]) -> list[str]:
    """Return the names that are asked for, or all. Raises UnknownName."""
    from engine.errors import UnknownName

    for name in names or ():
        if name not in all_names:
            raise UnknownName.of(kind, name, all_names)
    return list(dict.fromkeys(names or all_names))


def check_plot(path: Path) -> None:
    """Find out before all the work whether a plot can be drawn there. Raises UsageFault."""
    from engine.errors import UsageFault

    if path.suffix not in PLOTS:
        raise UsageFault(f"a plot is drawn into a file that ends in {' or '.join(PLOTS)}, not into {path}")
    if not os.access(path if path.exists() else path.parent, os.W_OK) or path.is_dir():
        raise UsageFault(f"{path} cannot be written")


def simulated(
    context: Context, plan: Plan, matchmakers: list[str], ratings: list[str], jobs: int
) -> tuple[list[Look], list[Return]]:
    """Run all ladders, several at once, with progress on a terminal. The figures do not depend on how many at once."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from ladder.simulation import ONLINE, SETTLE

    with_settle = SETTLE in ratings
    online = [name for name in ONLINE if name in ratings or (with_settle and name == ONLINE[0])]
    kinds = [(name, rating) for name in matchmakers for rating in online]
    tasks = [(plan, *kind, repeat, with_settle) for kind in kinds for repeat in range(plan.repeats)]
    columns = ("simulating", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    looks: list[Look] = []
    returns: list[Return] = []
    with Progress(*columns, console=context.err, transient=True, disable=not context.err.is_terminal) as progress:
        for more_looks, more_returns in progress.track(each_run(tasks, jobs), total=len(tasks)):
            looks += more_looks
            returns += more_returns
    return looks, returns


def each_run(tasks: list[tuple[Plan, str, str, int, bool]], jobs: int) -> Iterator[tuple[list[Look], list[Return]]]:
    """Run the ladders in this process or in several, and give what was found in order."""
    if jobs == 1:
        yield from map(run_one, tasks)
        return
    with ProcessPoolExecutor(min(jobs, len(tasks)), initializer=end_with_ctrl_c) as executor:
        yield from executor.map(run_one, tasks)


def end_with_ctrl_c() -> None:
    """Let Ctrl-C end a process at once and without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_one(task: tuple[Plan, str, str, int, bool]) -> tuple[list[Look], list[Return]]:
    """Run one ladder. TrueSkill's is the one at whose matches `settle` looks."""
    from ladder.simulation import ONLINE, run

    plan, matchmaker, rating, repeat, with_settle = task
    return run(plan, matchmaker, rating, repeat, settle=with_settle and rating == ONLINE[0])


def table_of(plan: Plan, rows: list[Row]) -> Table:
    """Draw the table."""
    from rich.table import Table

    title = (
        f"{plan.bots} bots, {plan.repeats} ladders of each kind; a bot that is really number {plan.true_rank} "
        f"submitted again {plan.repeats * plan.resubmissions} times"
    )
    table = Table(title=title, title_justify="left")
    in_leagues = ["right league"] if plan.leagues > 1 else []
    names = ["matchmaker", "rating", "battles", "Kendall's tau", "rank error", *in_leagues, "again 5-95 %", "median"]
    for name in names:
        table.add_column(name, justify="left" if name in {"matchmaker", "rating"} else "right")
    for number, row in enumerate(rows):
        is_last = number + 1 == len(rows) or rows[number + 1].battles <= row.battles
        table.add_row(
            row.matchmaker,
            row.rating,
            str(row.battles),
            f"{row.tau:.3f}",
            f"{row.rank_error:.1f}",
            *([f"{row.right_league:.0%}"] if in_leagues else []),
            "" if row.low is None or row.high is None else f"{row.low:.0f}-{row.high:.0f}",
            "" if row.middle is None else f"{row.middle:.0f}",
            end_section=is_last,
        )
    return table


def draw(plan: Plan, rows: list[Row], path: Path) -> None:
    """Draw both: the rank error against battles, and the ranks of the bot that is submitted again."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import StrMethodFormatter

    figure = Figure(figsize=(10, 4), layout="constrained")
    errors, ranks = figure.subplots(1, 2)
    styles = {"trueskill": "-", "openskill": ":", "settle": "--"}
    colours = {"random": "tab:gray", "codingame": "tab:blue", "informed": "tab:red"}
    kinds = list(dict.fromkeys((row.matchmaker, row.rating) for row in rows))
    for place, (matchmaker, rating) in enumerate(kinds):
        own = [row for row in rows if (row.matchmaker, row.rating) == (matchmaker, rating)]
        line = {"color": colours[matchmaker], "linestyle": styles[rating]}
        errors.plot(
            [row.battles for row in own],
            [row.rank_error for row in own],
            marker=".",
            label=f"{matchmaker}, {rating}",
            **line,
        )
        last = next((row for row in own if row.battles == plan.battles), own[-1])
        if last.low is not None and last.high is not None and last.middle is not None:
            ranks.plot([last.low, last.high], [place, place], linewidth=3, **line)
            ranks.plot([last.middle], [place], marker="o", color=colours[matchmaker])
    errors.set(xlabel="battles per bot", ylabel="mean rank error", yscale="log", title=f"{plan.bots} bots")
    for axis_format in (errors.yaxis.set_major_formatter, errors.yaxis.set_minor_formatter):
        axis_format(StrMethodFormatter("{x:g}"))
    errors.legend(fontsize="small")
    ranks.axvline(plan.true_rank, color="black", linewidth=1)
    ranks.set_yticks(range(len(kinds)), [", ".join(kind) for kind in kinds])
    ranks.invert_yaxis()
    ranks.set(xlabel=f"rank after {plan.battles} battles, 5-95 %", title=f"bot number {plan.true_rank} submitted again")
    figure.savefig(path, dpi=80)
