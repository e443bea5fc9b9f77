"""`ladder bot`: what bots there are and how their versions did.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.context import this
from cli.options.names import bot_argument, game_option, league_option, version_argument
from cli.options.people import owner_named
from engine.text import counted
from ladder import actions
from ladder.names import read_name, read_version


def list_bots(
    typer_context: typer.Context,
    game: Annotated[str | None, game_option("Only this game.")] = None,
    all_bots: Annotated[bool, typer.Option("--all", "-a", help="Also bots that are retired.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """List the bots, but for retired ones.

    Example: ladder bot list --game ocean-of-code
    """
    from cli.bot.tables import bots_table
    from ladder.views import bots

    context = this(typer_context)
    if game is not None:
        context.game_named(game)
    found = context.read(bots.listed, game)
    shown = [row for row in found if all_bots or not row.bot.is_retired]
    context.show_json(shown) if as_json else context.show(bots_table(shown))
    if len(shown) < len(found):
        context.say(f"{counted(len(found) - len(shown), 'retired bot')} not shown: --all")


def show_bot(
    typer_context: typer.Context,
    bot: Annotated[str, bot_argument("The bot's name, or a version as in kraken@v3.")],
    game: Annotated[str | None, game_option("Its game, if several have a bot of that name.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show a bot, or one version of it, in detail.

    Its versions with their notes, their ratings and records in each league, what the compiler said of the latest
    version, what their latest gauntlets have said, and its latest matches. Records count only matches that rate; those
    of gauntlets and of `ladder match request` do not. Of a version that has had its battles and ranks below its
    league's boss, though it may well be the stronger one, it also says whether it plays on, or what would settle that.

    Example: ladder bot show kraken

    Example: ladder bot show kraken@v3
    """
    from cli.bot.detail_text import detail_parts
    from ladder.views.bots import read_bot

    context = this(typer_context)
    named = read_name(bot)
    found = context.read(read_bot, named, game)
    context.show_json(found) if as_json else context.show(*detail_parts(found))


def activate_version(
    typer_context: typer.Context,
    version: Annotated[str, version_argument("Which version, as in kraken@v3.")],
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
    context = this(typer_context)
    bot, number = read_version(version)
    done = context.act(actions.bots.activate, owner_named(player), bot, number, game)
    if as_json:
        context.show_json(done)
    elif done.was_active:
        context.show(f"{done.version} is on the board of {done.league} already")
    else:
        context.show(f"{done.version} is on the board of {done.league}{' again' if done.was_there else ''}")


def rewind_bot(
    typer_context: typer.Context,
    bot: Annotated[str, bot_argument("The bot's name.")],
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
    context = this(typer_context)
    done = context.act(actions.bots.rewind, owner_named(player), bot, game, to_league=to_league)
    if as_json:
        context.show_json(done)
    else:
        context.show(f"{done.version} went back from {done.from_league} to {done.to_league}")


def explain_bot(
    typer_context: typer.Context,
    bot: Annotated[str, bot_argument("The bot's name, or a version as in kraken@v3.")],
    game: Annotated[str | None, game_option("Its game, if several have a bot of that name.")] = None,
    league: Annotated[str | None, league_option("In which league. [default: where it is, or was last]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Explain in ten lines why a bot ranks where it does.

    Which matches moved its rating most, against which opponents it takes more or fewer points than ratings let expect
    (by more than chance would), and what it lost by time-outs and other faults.

    Example: ladder bot why kraken
    """
    from cli.rating.texts import explanation_text
    from ladder.views.bots import explained

    context = this(typer_context)
    named = read_name(bot)
    found = context.read(explained, named, game, league)
    if as_json:
        context.show_json(found)
    else:
        context.show(explanation_text(found.version, found.stay, found.story, context.width))
        context.say("look at a match with `ladder match view MATCH`")
