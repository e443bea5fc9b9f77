"""`ladder bot`: what bots there are and how their versions did."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from cli.context import this
from cli.options.names import game_option, league_option
from cli.options.people import player_named
from cli.terminal.quoting import quoted

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Bots and their versions.\n\nExample: ladder bot show kraken",
)

LATEST_MATCHES = 10


@app.command("list")
def list_bots(
    typer_context: typer.Context,
    game: Annotated[str | None, game_option("Only this game.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """List the bots.

    Example: ladder bot list --game ocean-of-code
    """
    from cli.render import bots_table
    from ladder.bots import bots

    context = this(typer_context)
    if game is not None:
        context.games.find(game)
    with context.database() as connection:
        found = bots.bots(connection, game)
    if as_json:
        context.show_json([asdict(bot) for bot in found])
    else:
        context.show(bots_table(found))


@app.command("show")
def show_bot(
    typer_context: typer.Context,
    bot: Annotated[str, typer.Argument(help="The bot's name, or a version as in kraken@v3.", show_default=False)],
    game: Annotated[str | None, game_option("Its game, if several have a bot of that name.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show a bot, or one version of it, in detail.

    Its versions, their ratings and records in each league, what the compiler said of the latest version, what their
    latest gauntlets have said, and its latest matches. Records count only matches that rate; those of gauntlets and of
    `ladder match request` do not. Of a version that has had its battles and ranks below its league's boss, though it
    may well be the stronger one, it also says whether it plays on, or what would settle that.

    Example: ladder bot show kraken

    Example: ladder bot show kraken@v3
    """
    from cli.bot.order_text import open_order_text
    from cli.gauntlet.results import result_text, results
    from cli.match.failure_texts import host_faults_text
    from cli.render import matches_table, versions_table
    from ladder.bots import bots, versions
    from ladder.matches import host_faults, match_rows
    from ladder.names import read_name
    from ladder.ratings import standings
    from ladder.views.progress import open_orders_of

    context = this(typer_context)
    named = read_name(bot)
    with context.database() as connection:
        found = bots.find_bot(connection, named.bot, game)
        one = None if named.number is None else versions.numbered(connection, found, named.number)
        own = versions.versions_of(connection, found.id) if one is None else [one]
        version_id = None if one is None else one.id
        stays = standings.stays_of(connection, found.id, version_id)
        latest = match_rows.latest_matches(connection, LATEST_MATCHES, found.id, version_id=version_id)
        seats = match_rows.seats_of(connection, [match.id for match in latest])
        gauntlets = results(connection, own)
        faults = host_faults.of_bot(connection, found.id)
        orders = [order for order in open_orders_of(connection, found) if order.version_id in {one.id for one in own}]
    if as_json:
        context.show_json(
            asdict(found)
            | {
                "versions": [asdict(version) for version in own],
                "standings": [asdict(stay) for stay in stays],
                "open_orders": [asdict(order) | {"plays_on": order.plays_on} for order in orders],
                "gauntlets": [asdict(result) for result in gauntlets],
                "host_faults": [asdict(fault) for fault in faults],
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
            context.show(quoted(f"{version.name} was rejected: {version.message}"))
    for order in orders:
        context.show(open_order_text(order, next(one.name for one in own if one.id == order.version_id)))
    latest_version = max(own, key=lambda version: version.number, default=None)
    if latest_version and latest_version.warnings:
        context.show(quoted(f"{latest_version.name}: its compiler said\n{latest_version.warnings}"))
    for result in gauntlets:
        context.show(result_text(result))
    for fault in faults:
        if fault.own or fault.opponents:
            context.show(host_faults_text(fault))
    if latest:
        context.show("latest matches", matches_table(latest, seats))


@app.command("activate")
def activate_version(
    typer_context: typer.Context,
    version: Annotated[str, typer.Argument(help="Which version, as in kraken@v3.", show_default=False)],
    game: Annotated[str | None, game_option("Its game, if several have a bot of that name.")] = None,
    player: Annotated[
        str | None, typer.Option("--player", "-p", help="Whose it is. [default: LADDER_PLAYER or your login name]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Put another version on the board, in place of the present one.

    Where it has played before, its rating goes on; elsewhere it begins afresh, also one that a gauntlet has held back.
    A version that was rejected is refused with exit status 3, and so is somebody else's bot.

    Example: ladder bot activate kraken@v3
    """
    from ladder.database.connection import transaction
    from ladder.names import read_version
    from ladder.promotions.lifecycle import activate

    context = this(typer_context)
    bot, number = read_version(version)
    with context.pool() as pool, transaction(pool) as connection:
        done = activate(connection, bot, number, player_named(player), game)
    if as_json:
        context.show_json({"version": done.version, "league": done.league, "was_active": done.was_active})
    elif done.was_active:
        context.show(f"{done.version} is on the board of {done.league} already")
    else:
        context.show(f"{done.version} is on the board of {done.league}{' again' if done.was_there else ''}")


@app.command("rewind")
def rewind_bot(
    typer_context: typer.Context,
    bot: Annotated[str, typer.Argument(help="The bot's name.", show_default=False)],
    to_league: Annotated[
        str | None, typer.Option("--to", help="Which lower league. [default: the next lower one]")
    ] = None,
    game: Annotated[str | None, game_option("Its game, if several have a bot of that name.")] = None,
    player: Annotated[
        str | None, typer.Option("--player", "-p", help="Whose it is. [default: LADDER_PLAYER or your login name]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Send your bot back a league.

    It goes on there with the rating it had, and has its battles again before it can be promoted. Where it cannot go
    back it is refused with exit status 3, and so is somebody else's bot.

    Example: ladder bot rewind kraken --to bronze
    """
    from ladder.database.connection import transaction
    from ladder.promotions.lifecycle import rewind

    context = this(typer_context)
    with context.pool() as pool, transaction(pool) as connection:
        done = rewind(connection, bot, player_named(player), game, to_league=to_league)
    if as_json:
        context.show_json(asdict(done))
    else:
        context.show(f"{done.version} went back from {done.from_league} to {done.to_league}")


@app.command("why")
def explain_bot(
    typer_context: typer.Context,
    bot: Annotated[str, typer.Argument(help="The bot's name, or a version as in kraken@v3.", show_default=False)],
    game: Annotated[str | None, game_option("Its game, if several have a bot of that name.")] = None,
    league: Annotated[str | None, league_option("In which league. [default: where it is, or was last]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Tell in ten lines why a bot stands where it does.

    Which matches moved its rating most, against which opponents it takes more or fewer points than ratings let expect
    (by more than chance would), and what it lost by time-outs and other faults.

    Example: ladder bot why kraken
    """
    from cli.rating.texts import story_text
    from ladder.names import read_name
    from ladder.ratings.explain import stay_to_tell, story_of

    context = this(typer_context)
    named = read_name(bot)
    with context.database() as connection:
        version, stay = stay_to_tell(connection, named, game, league)
        story = story_of(connection, version.id, stay.league_id)
    if as_json:
        context.show_json({"version": version.name, **asdict(stay), **asdict(story)})
    else:
        context.show(story_text(version.name, stay, story))
