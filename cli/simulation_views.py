"""What `ladder simulate` has found, as a table and as a drawing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from cli.fitting_table import FittingTable

if TYPE_CHECKING:
    from ladder.simulation import Plan, Row


TAU, RANK_ERROR, RIGHT_LEAGUE, AGAIN = "Kendall's\ntau", "rank\nerror", "right\nleague", "again\n5-95 %"


def table_of(plan: Plan, rows: list[Row]) -> FittingTable:
    """Draw the table."""
    in_leagues = (RIGHT_LEAGUE,) if plan.leagues > 1 else ()
    return FittingTable(
        ("matchmaker", "rating", "battles", TAU, RANK_ERROR, *in_leagues, AGAIN, "median"),
        [row_cells(plan, row) for row in rows],
        names=(),
        leaving=("median", TAU, *in_leagues, AGAIN),
        title=f"{plan.bots} bots, {plan.repeats} ladders of each kind; a bot that is really number {plan.true_rank} "
        f"submitted again {plan.repeats * plan.resubmissions} times",
        words=("matchmaker", "rating"),
        ends=[number for number, (row, next_row) in enumerate(pairwise(rows)) if next_row.battles <= row.battles],
    )


def row_cells(plan: Plan, row: Row) -> tuple[str, ...]:
    """Return the cells of one line."""
    return (
        row.matchmaker,
        row.rating,
        str(row.battles),
        f"{row.tau:.3f}",
        f"{row.rank_error:.1f}",
        *((f"{row.right_league:.0%}",) if plan.leagues > 1 else ()),
        "" if row.low is None or row.high is None else f"{row.low:.0f}-{row.high:.0f}",
        "" if row.middle is None else f"{row.middle:.0f}",
    )


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
