"""`ladder board`: the leaderboards."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.options.names import game_option, league_option
from cli.options.numbers import MOST_ROWS

if TYPE_CHECKING:
    from ladder.database.connection import Connection
    from ladder.leagues.leagues import League
    from ladder.ratings.standings import Mark, Standing

WATCH_EVERY_S = 1.0
PEOPLES_ROWS = 100
"""People are shown so many rows of a board, unless they ask for another number."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a league's board. `first_rank`: of the first of them; `more`: how many rows come after the last."""

    league: League
    rows: list[Standing]
    first_rank: int
    more: int


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
            "--limit", "-n", min=1, max=MOST_ROWS, help="So many rows of a board. [default: 100; as JSON and CSV all]"
        ),
    ] = None,
    after: Annotated[
        str | None, typer.Option("--after", help="Go on after that row: its `cursor`, which the page before told.")
    ] = None,
) -> None:
    """Show the leaderboards.

    The highest league comes first. A board ranks by its league's score formula: mu - 3 sigma, unless the league is
    set to mu (`ladder league show` tells). Its column of matches counts matches; a battle is two, on one seed with the
    seats swapped. Of a long board the first rows are shown, with the command for those that come next. Boards of closed
    seasons: `ladder season show`.

    Example: ladder board --game ocean-of-code --league bronze --limit 20
    """
    from cli import render
    from engine.errors import UsageFault
    from ladder.ratings.standings import Mark

    if as_json + as_csv + watch > 1:
        raise UsageFault("--json, --csv and --watch cannot be used together: choose one")
    context = this(typer_context)
    mark = None if after is None else Mark.read(after)
    if watch:
        keep_showing(context, game, league, mark, limit)
        return
    if as_json or as_csv:
        pages = read_pages(context, game, league, mark, limit)
        rows = [row for page in pages for row in render.board_rows(page.league, page.rows, page.first_rank)]
        context.show_json(rows) if as_json else typer.echo(render.as_csv(rows), nl=False)
        return
    pages = read_pages(context, game, league, mark, limit or PEOPLES_ROWS)
    for page in pages:
        context.show(render.board_table(page.league, page.rows, page.first_rank))
        if page.more:
            context.show(next_page(page, limit))
    if not pages:
        context.say("nobody plays yet: hand in a bot with `ladder submit`")


def read_pages(
    context: Context,
    game: str | None = None,
    league: str | None = None,
    after: Mark | None = None,
    limit: int | None = None,
) -> list[Page]:
    """Read the boards that are asked for, the highest league first, each at most so far.

    Raises UnknownName for a game or league, and UsageFault where a mark is not for one board, or several games have
    such a league and none is named.
    """
    from engine.errors import UsageFault
    from ladder.leagues import leagues

    if game is not None:
        context.games.find(game)
    if after is not None and league is None:
        raise UsageFault("--after goes on with one board: say which with --game and --league")
    with context.database() as connection:
        if league is not None:
            wanted = [leagues.find_league_in(connection, game, league)]
        else:
            wanted = leagues.leagues(connection, game)[::-1]
        pages = [read_page(connection, found, after, limit) for found in wanted]
    return [page for page in pages if page.rows or league is not None]


def read_page(connection: Connection, league: League, after: Mark | None, limit: int | None) -> Page:
    """Read one board, or a part of it."""
    from ladder.ratings import standings

    begin = after or standings.TOP
    rows = standings.board(connection, league.id, begin, limit)
    is_cut = limit is not None and len(rows) == limit
    more = standings.count_after(connection, league.id, rows[-1].mark(begin.rank + len(rows))) if is_cut else 0
    return Page(league, rows, begin.rank + 1, more)


def next_page(page: Page, limit: int | None) -> str:
    """Say how to see what comes after a page."""
    mark = page.rows[-1].mark(page.first_rank + len(page.rows) - 1)
    which = f"--game {page.league.game} --league {page.league.name}"
    rows = f" --limit {limit}" if limit else ""
    return f"{page.more:,} more: ladder board {which} --after {mark.text}{rows}"


def keep_showing(context: Context, game: str | None, league: str | None, after: Mark | None, limit: int | None) -> None:
    """Show the boards and refresh them until interrupted."""
    from rich.console import Group
    from rich.live import Live

    from cli.render import board_table

    with Live(console=context.out, auto_refresh=False, screen=context.out.is_terminal) as live:
        while True:
            pages = read_pages(context, game, league, after, limit or PEOPLES_ROWS)
            tables = [board_table(page.league, page.rows, page.first_rank) for page in pages]
            live.update(Group(*tables), refresh=True)
            time.sleep(WATCH_EVERY_S)
