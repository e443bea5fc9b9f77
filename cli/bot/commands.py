"""`ladder bot`: what bots there are and how their versions did."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import texts
from cli.answer import Answer, Done, Found, Remark, Rows
from cli.context import this
from cli.options.names import bot_argument, game_option, league_option, owner_named, version_argument
from engine.text import counted
from ladder import actions, views
from ladder.names import read_name, read_version


def list_bots(
    typer_context: typer.Context,
    game: Annotated[str | None, game_option("Only this game.")] = None,
    all_bots: Annotated[bool, typer.Option("--all", "-a", help="Also bots that are retired.")] = False,
) -> Rows:
    """List the bots, but for retired ones.

    Example: ladder bot list --game ocean-of-code
    """
    context = this(typer_context)
    if game is not None:
        context.game_named(game)
    found = context.read(views.bots.listed, game)
    shown = [row for row in found if all_bots or not row.bot.is_retired]
    hidden = len(found) - len(shown)
    after = [f"{counted(hidden, 'retired bot')} not shown: --all"] if hidden else []
    return Answer(shown, lambda: texts.bots.bots_table(shown), after)


def show_bot(
    typer_context: typer.Context,
    bot: Annotated[str, bot_argument("The bot's name, or a version as in kraken@v3.")],
    game: Annotated[str | None, game_option("Its game, if several have a bot of that name.")] = None,
) -> Annotated[Answer, "Print everything as JSON."]:
    """Show a bot, or one version of it, in detail.

    Its versions with their notes, their ratings and records in each league, what the compiler said of the latest
    version, what their latest gauntlets have said, and its latest matches. Records count only matches that rate; those
    of gauntlets and of `ladder match request` do not. Of a version that has had its battles and ranks below its
    league's boss, though it may well be the stronger one, it also says whether it plays on, or what would settle that.

    Example: ladder bot show kraken

    Example: ladder bot show kraken@v3
    """
    context = this(typer_context)
    named = read_name(bot)
    found = context.read(views.bots.read_bot, named, game)
    return Answer(found, lambda: list(texts.bots.detail_parts(found)))


def activate_version(
    typer_context: typer.Context,
    version: Annotated[str, version_argument("Which version, as in kraken@v3.")],
    game: Annotated[str | None, game_option("Its game, if several have a bot of that name.")] = None,
    player: Annotated[
        str | None, typer.Option("--player", "-p", help="Whose it is. [default: LADDER_PLAYER or your login name]")
    ] = None,
) -> Done:
    """Put another version on the board, in place of the present one.

    Where it has played before, its rating goes on; elsewhere it begins afresh, also one that a gauntlet has held back.
    A version that was rejected is refused with exit status 3, and so is somebody else's bot.

    Example: ladder bot activate kraken@v3
    """
    context = this(typer_context)
    bot, number = read_version(version)
    done = context.act(actions.bots.activate, owner_named(player), bot, number, game)
    when = " already" if done.was_active else " again" if done.was_there else ""
    return Answer(done, f"{done.version} is on the board of {done.league}{when}")


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
) -> Done:
    """Send your bot back a league.

    It goes on there with the rating it had, and has its battles again before it can be promoted. Where it cannot go
    back it is refused with exit status 3, and so is somebody else's bot.

    Example: ladder bot rewind kraken --to bronze
    """
    context = this(typer_context)
    done = context.act(actions.bots.rewind, owner_named(player), bot, game, to_league=to_league)
    return Answer(done, f"{done.version} went back from {done.from_league} to {done.to_league}")


def explain_bot(
    typer_context: typer.Context,
    bot: Annotated[str, bot_argument("The bot's name, or a version as in kraken@v3.")],
    game: Annotated[str | None, game_option("Its game, if several have a bot of that name.")] = None,
    league: Annotated[str | None, league_option("In which league. [default: where it is, or was last]")] = None,
) -> Found:
    """Explain in ten lines why a bot ranks where it does.

    Which matches moved its rating most, against which opponents it takes more or fewer points than ratings let expect
    (by more than chance would), and what it lost by time-outs and other faults.

    Example: ladder bot why kraken
    """
    context = this(typer_context)
    named = read_name(bot)
    found = context.read(views.bots.explained, named, game, league)
    return Answer(
        found,
        lambda: [
            texts.ratings.explanation_text(found.version, found.stay, found.story, context.width),
            Remark("look at a match with `ladder match view MATCH`"),
        ],
    )
