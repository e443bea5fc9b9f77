"""`ladder board`: the leaderboards."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this

if TYPE_CHECKING:
    from ladder.storage.leagues import League
    from ladder.storage.standings import Standing

WATCH_EVERY_S = 1.0


def board(
    typer_context: typer.Context,
    game: Annotated[str | None, typer.Option("--game", "-g", help="Only this game.")] = None,
    league: Annotated[str | None, typer.Option("--league", help="Only this league.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print rows as CSV.")] = False,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Keep it up to date until Ctrl-C.")] = False,
) -> None:
    """Show the leaderboards.

    The highest league comes first. Boards rank by mu - 3 sigma.

    Example: ladder board --game ocean-of-code --league bronze
    """
    from cli import render

    context = this(typer_context)
    if watch:
        keep_showing(context, game, league)
        return
    boards = read_boards(context, game, league)
    if as_json or as_csv:
        rows = [row for found, standings in boards for row in render.board_rows(found, standings)]
        context.show_json(rows) if as_json else typer.echo(render.as_csv(rows), nl=False)
        return
    for found, standings in boards:
        context.show(render.board_table(found, standings))
    if not boards:
        context.say("nobody plays yet: hand in a bot with `ladder submit`")


def read_boards(context: Context, game: str | None, league: str | None) -> list[tuple[League, list[Standing]]]:
    """Read the boards that are asked for, the highest league first. Raises UnknownName for a game or league."""
    from engine.errors import UsageFault
    from engine.games import GAMES, find_game
    from ladder.storage import leagues, standings

    if game is not None:
        find_game(game)
    if league is not None and game is None:
        if len(GAMES) > 1:
            raise UsageFault("several games have leagues: say which with --game")
        game = next(iter(GAMES))
    with context.database() as connection:
        if league is not None and game is not None:
            wanted = [leagues.find_league(connection, game, league)]
        else:
            wanted = leagues.leagues(connection, game)[::-1]
        boards = [(found, standings.board(connection, found.id)) for found in wanted]
    return [(found, rows) for found, rows in boards if rows or league is not None]


def keep_showing(context: Context, game: str | None, league: str | None) -> None:
    """Show the boards and refresh them until interrupted."""
    from rich.console import Group
    from rich.live import Live

    from cli.render import board_table

    with Live(console=context.out, auto_refresh=False, screen=context.out.is_terminal) as live:
        while True:
            tables = [board_table(found, rows) for found, rows in read_boards(context, game, league)]
            live.update(Group(*tables), refresh=True)
            time.sleep(WATCH_EVERY_S)
