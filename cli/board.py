"""`ladder board`: the leaderboards."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.options.names import game_option, league_option
from cli.options.numbers import MOST_ROWS
from engine.errors import UsageFault

if TYPE_CHECKING:
    from ladder.ratings.standings import BoardCursor
    from ladder.views.boards import Page

WATCH_EVERY_S = 1.0
PEOPLES_ROWS = 100
"""People see this many rows of a board, unless they ask for another number."""


def board(
    typer_context: typer.Context,
    game: Annotated[str | None, game_option("Only this game.")] = None,
    league: Annotated[
        str | None, league_option("Only this league; --game says of which game, if several have one of that name.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print rows as CSV.")] = False,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Keep it up to date until Ctrl-C.")] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", "-n", min=1, max=MOST_ROWS, help="How many rows of a board. [default: 100; as JSON and CSV all]"
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            "--after", help="Start after this row. Takes the `cursor` printed at the end of the previous page."
        ),
    ] = None,
) -> None:
    """Show the leaderboards.

    The highest league comes first. A board ranks by its league's score formula: mu - 3 sigma, unless the league is
    set to mu (`ladder league show` says). Its column of matches counts matches; a battle is two, on one seed with the
    seats swapped. Of a long board the first rows are shown, with the command for those that come next. Boards of closed
    seasons: `ladder season show`.

    Example: ladder board --game ocean-of-code --league bronze --limit 20
    """
    from cli.render import board_table
    from ladder.ratings.standings import BoardCursor
    from ladder.views.boards import check_choice
    from ladder.views.plain import to_csv

    if as_json + as_csv + watch > 1:
        raise UsageFault("--json, --csv and --watch cannot be used together: choose one")
    context = this(typer_context)
    mark = None if after is None else BoardCursor.read(after)
    check_choice(league, mark)
    if watch:
        keep_showing(context, game, league, mark, limit)
        return
    pages = pages_of(context, game, league, mark, limit if as_json or as_csv else limit or PEOPLES_ROWS)
    if as_json or as_csv:
        rows = [row for page in pages for row in page.rows]
        context.show_json(rows) if as_json else typer.echo(to_csv(rows), nl=False)
        return
    for page in pages:
        context.show(board_table(page.league, page.rows))
        if page.more:
            context.show(next_page(page, limit))
    if not pages:
        context.say("nobody plays yet: hand in a bot with `ladder submit`")


def pages_of(
    context: Context,
    game: str | None = None,
    league: str | None = None,
    after: BoardCursor | None = None,
    limit: int | None = None,
) -> list[Page]:
    """Read the boards that are asked for as they are now."""
    from ladder.views.boards import read_pages

    with context.database() as connection:
        return read_pages(connection, game, league, after, limit)


def next_page(page: Page, limit: int | None) -> str:
    """Say how to see what comes after a page."""
    which = f"--game {page.league.game} --league {page.league.name}"
    rows = f" --limit {limit}" if limit else ""
    return f"{page.more:,} more: ladder board {which} --after {page.rows[-1].cursor}{rows}"


def keep_showing(
    context: Context, game: str | None, league: str | None, after: BoardCursor | None, limit: int | None
) -> None:
    """Show the boards and refresh them until interrupted."""
    from rich.console import Group
    from rich.live import Live

    from cli.render import board_table

    with Live(console=context.out, auto_refresh=False, screen=context.out.is_terminal) as live:
        while True:
            pages = pages_of(context, game, league, after, limit or PEOPLES_ROWS)
            tables = [board_table(page.league, page.rows) for page in pages]
            live.update(Group(*tables), refresh=True)
            time.sleep(WATCH_EVERY_S)
