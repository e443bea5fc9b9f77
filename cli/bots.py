"""`ladder bot`: what bots there are and how their versions did."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from cli.context import this

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Bots and their versions.")

LATEST_MATCHES = 10


@app.command("list")
def list_bots(
    typer_context: typer.Context,
    game: Annotated[str | None, typer.Option("--game", "-g", help="Only this game.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """List the bots.

    Example: ladder bot list --game ocean-of-code
    """
    from cli.render import bots_table
    from engine.games import find_game
    from ladder.storage import bots

    context = this(typer_context)
    if game is not None:
        find_game(game)
    with context.database() as connection:
        found = bots.bots(connection, game)
    if as_json:
        context.show_json([asdict(bot) for bot in found])
    else:
        context.show(bots_table(found))


@app.command("show")
def show_bot(
    typer_context: typer.Context,
    bot: Annotated[str, typer.Argument(help="The bot's name.", show_default=False)],
    game: Annotated[
        str | None, typer.Option("--game", "-g", help="Its game, if several have a bot of that name.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show a bot in detail.

    Its versions, their ratings and records in each league, and its latest matches.

    Example: ladder bot show kraken
    """
    from cli.render import matches_table, versions_table
    from ladder.storage import bots, matches, standings, versions

    context = this(typer_context)
    with context.database() as connection:
        found = bots.find_bot(connection, bot, game)
        own = versions.versions_of(connection, found.id)
        stays = standings.stays_of(connection, found.id)
        latest = matches.latest_matches(connection, LATEST_MATCHES, found.id)
        seats = matches.seats_of(connection, [match.id for match in latest])
    if as_json:
        context.show_json(
            asdict(found)
            | {
                "versions": [asdict(version) for version in own],
                "standings": [asdict(stay) for stay in stays],
                "latest_matches": [
                    asdict(match) | {"seats": [asdict(seat) for seat in seats if seat.match_id == match.id]}
                    for match in latest
                ],
            }
        )
        return
    guards = f", the boss of {found.league}" if found.boss_of else f", in {found.league}"
    context.show(f"{found.name} plays {found.game} for {found.player}{guards}", versions_table(own, stays))
    for version in own:
        if version.state == "rejected":
            context.show(f"{version.name} was rejected: {version.message}")
    if latest:
        context.show("latest matches", matches_table(latest, seats))
