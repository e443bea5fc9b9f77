"""`ladder bot versus`: how a bot did against each opponent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.answer import Rows, listing
from cli.context import this
from cli.options.names import bot_argument, game_option
from cli.terminal.table import FittingTable
from ladder import views
from ladder.names import read_name

if TYPE_CHECKING:
    from ladder.ratings.versus import Versus
    from ladder.views.bots import Opponents


def show_opponents(
    typer_context: typer.Context,
    bot: Annotated[str, bot_argument("The bot's name, or a version as in kraken@v3.")],
    opponent: Annotated[
        str | None, typer.Argument(help="Another bot, to see each of its versions. [default: all]", show_default=False)
    ] = None,
    game: Annotated[str | None, game_option("Its game, if several have a bot of that name.")] = None,
) -> Rows:
    """Show how a bot did against each opponent, by seat.

    Won, drawn and lost as player 0 and as player 1, on how many pairs of matches, its points and those that the ratings
    before each match let expect, and the latest match. Only rated matches count. With an opponent: each version of the
    bot against each version of the other.

    Example: ladder bot versus kraken

    Example: ladder bot versus kraken@v3 wahoo
    """
    context = this(typer_context)
    found = context.read(views.bots.opponents_of, read_name(bot), opponent, game)
    nothing = f"{found.name} has no rated match{f' against {opponent}' if opponent else ''} yet"
    return listing(found.rows, lambda _: [versus_table(found), look_text(found)], nothing)


def versus_table(found: Opponents) -> FittingTable:
    own = ["version"] if any(row.version for row in found.rows) else []
    seats = range(max(len(row.by_seat) for row in found.rows))
    return FittingTable(
        heads=(
            *own,
            "opponent",
            *(f"as player {seat}\nw-d-l" for seat in seats),
            "pairs",
            "points",
            "expected",
            "match",
        ),
        rows=[[*([row.version] if own else []), *cells(row, len(seats))] for row in found.rows],
        names={"opponent", "version"},
        leaving=("pairs",),
        title=f"{found.name} against each opponent (w-d-l: won, drawn, lost; match: the latest)",
    )


def cells(row: Versus, seats: int) -> list[str]:
    by_seat = [record.text for record in row.by_seat] + [""] * (seats - len(row.by_seat))
    numbers = [str(row.pairs), f"{row.points:g}", f"{row.expected:.1f}", str(row.latest_match)]
    return [row.opponent, *by_seat, *numbers]


def look_text(found: Opponents) -> str:
    first = found.rows[0]
    opponent = first.opponent.partition("@")[0]
    return (
        f"`ladder match list --bot {found.name} --against {opponent}` lists matches, "
        f"`ladder match view {first.latest_match}` shows one"
    )
