"""What `ladder simulate` has found, as a table and as a drawing.

Imports inside functions: Matplotlib takes half a second to import, and only `--plot` needs it.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.terminal.table import FittingTable
from engine.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ladder.matchmaking.simulation import Plan, Row


TAU, RANK_ERROR, RIGHT_LEAGUE, AGAIN = "Kendall's\ntau", "rank\nerror", "right\nleague", "again\n5-95 %"
TO_LEAGUE, WRONGLY_UP = "matches to\nits league", "wrongly\nup"
MEDIAN = "median"
STYLES = {"trueskill": "-", "openskill": ":", "settle": "--"}
COLOURS = {"random": "tab:gray", "codingame": "tab:blue", "informed": "tab:red"}


def table_of(plan: Plan, rows: list[Row]) -> FittingTable:
    """Draw the table."""
    in_leagues, on_the_way = ((RIGHT_LEAGUE,), (TO_LEAGUE, WRONGLY_UP)) if plan.leagues > 1 else ((), ())
    again = (AGAIN, MEDIAN) if plan.resubmissions else ()
    return FittingTable(
        ("matchmaker", "rating", "battles", TAU, RANK_ERROR, *in_leagues, *again, *on_the_way),
        [row_cells(plan, row) for row in rows],
        names=(),
        leaving=(*on_the_way[::-1], *again[1:], TAU, *in_leagues, *again[:1]),
        title=title_of(plan),
        words=("matchmaker", "rating"),
        ends=[number for number, (row, next_row) in enumerate(pairwise(rows)) if next_row.battles <= row.battles],
    )


def title_of(plan: Plan) -> str:
    """Say what was simulated."""
    title = f"{plan.bots} bots, {counted(plan.repeats, 'ladder')} of each kind"
    if not plan.resubmissions:
        return title
    times = counted(plan.repeats * plan.resubmissions, "time")
    return f"{title}; a bot that is really number {plan.true_rank} submitted again {times}"


def row_cells(plan: Plan, row: Row) -> tuple[str, ...]:
    """Return the cells of one line."""
    return (
        row.matchmaker,
        row.rating,
        str(row.battles),
        f"{row.tau:.3f}",
        f"{row.rank_error:.1f}",
        *((f"{row.right_league:.0%}",) if plan.leagues > 1 else ()),
        *(() if row.low is None or row.high is None else (f"{row.low:.0f}-{row.high:.0f}",)),
        *(() if row.middle is None else (f"{row.middle:.0f}",)),
        *(on_the_way_cells(row) if plan.leagues > 1 else ()),
    )


def on_the_way_cells(row: Row) -> tuple[str, str]:
    """Return how many matches bots took to their league, and how many promotions were wrong."""
    matches = "" if row.matches_to_league is None else f"{row.matches_to_league:.0f}"
    return matches, f"{row.wrong_promotions:.1%}"


def draw(plan: Plan, rows: list[Row], path: Path) -> None:
    """Draw the rank error against battles and, if a bot is submitted again, its ranks beside that."""
    from matplotlib.figure import Figure

    many = 2 if plan.resubmissions else 1
    figure = Figure(figsize=(5 * many, 4), layout="constrained")
    errors, *ranks = figure.subplots(1, many, squeeze=False)[0]
    draw_errors(plan, rows, errors)
    for axes in ranks:
        draw_ranks(plan, rows, axes)
    figure.savefig(path, dpi=80)


def draw_errors(plan: Plan, rows: list[Row], axes: Axes) -> None:
    """Draw how the rank error falls with battles, a line for each kind of ladder."""
    from matplotlib.ticker import StrMethodFormatter

    for kind, own in by_kind(rows).items():
        battles, errors = [row.battles for row in own], [row.rank_error for row in own]
        axes.plot(battles, errors, marker=".", label=", ".join(kind), **style(*kind))
    axes.set(xlabel="battles per bot", ylabel="mean rank error", yscale="log", title=f"{plan.bots} bots")
    for axis_format in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        axis_format(StrMethodFormatter("{x:g}"))
    axes.legend(fontsize="small")


def draw_ranks(plan: Plan, rows: list[Row], axes: Axes) -> None:
    """Draw between which ranks the bot comes that is submitted again, a bar for each kind of ladder."""
    kinds = by_kind(rows)
    for place, (kind, own) in enumerate(kinds.items()):
        last = next((row for row in own if row.battles == plan.battles), own[-1])
        if last.low is not None and last.high is not None and last.middle is not None:
            axes.plot([last.low, last.high], [place, place], linewidth=3, **style(*kind))
            axes.plot([last.middle], [place], marker="o", color=COLOURS[kind[0]])
    axes.axvline(plan.true_rank, color="black", linewidth=1)
    axes.set_yticks(range(len(kinds)), [", ".join(kind) for kind in kinds])
    axes.invert_yaxis()
    axes.set(xlabel=f"rank after {plan.battles} battles, 5-95 %", title=f"bot number {plan.true_rank} submitted again")


def by_kind(rows: list[Row]) -> dict[tuple[str, str], list[Row]]:
    """Return the rows of each matchmaker and rating."""
    kinds: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        kinds.setdefault((row.matchmaker, row.rating), []).append(row)
    return kinds


def style(matchmaker: str, rating: str) -> dict[str, Any]:
    """Return what a line of such ladders looks like; what has no style of its own shares one."""
    return {"color": COLOURS.get(matchmaker, "tab:green"), "linestyle": STYLES.get(rating, "-.")}
