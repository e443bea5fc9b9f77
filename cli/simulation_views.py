"""What `ladder simulate` has found, as a table and as a drawing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:
    from ladder.simulation import Plan, Row


def table_of(plan: Plan, rows: list[Row]) -> Table:
    """Draw the table."""
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
