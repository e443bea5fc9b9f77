"""What `ladder simulate` has found, as a table and as a drawing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from cli.terminal.table import FittingTable
from engine.text import counted
from ladder.plots.simulated_ranks import Ladders, ranks_picture

if TYPE_CHECKING:
    from ladder.matchmaking.simulation import Plan, Row


TAU, RANK_ERROR, RIGHT_LEAGUE, AGAIN = "Kendall's\ntau", "rank\nerror", "right\nleague", "again\n5-95 %"
TO_LEAGUE, WRONGLY_UP = "matches to\nits league", "wrongly\nup"
MEDIAN = "median"
DASHES = {"trueskill": None, "openskill": "2 3", "settle": "6 3"}
COLOURS = {"random": "#7a8591", "codingame": "#2f7fd6", "informed": "#d64541"}


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
    kinds = [drawn_of(plan, kind, own) for kind, own in by_kind(rows).items()]
    path.write_text(ranks_picture(plan.bots, kinds, plan.true_rank, plan.battles), "utf-8")


def drawn_of(plan: Plan, kind: tuple[str, str], own: list[Row]) -> Ladders:
    """Return the ladders of one kind as they are drawn; what has no style of its own shares one."""
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
    """Return the rows of each matchmaker and rating."""
    kinds: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        kinds.setdefault((row.matchmaker, row.rating), []).append(row)
    return kinds
