"""`ladder bot retire`, `rename`, `disqualify`, `reinstate`: bots that leave the boards, or get another name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from cli import texts
from cli.answer import Answer, Done
from cli.context import Context, this
from cli.options.names import ByOption, OwnerOption, game_option, operator_named, owner_named
from cli.options.numbers import reason_in
from engine.text import counted
from ladder import actions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.access import Actor
    from ladder.flows.leaving import Disqualified, Retired

BotArgument = Annotated[str, typer.Argument(help="The bot's name.", show_default=False)]
GameOption = Annotated[str | None, game_option("Its game, if several have a bot of that name.")]


def retire_bot(
    typer_context: typer.Context, bot: BotArgument, game: GameOption = None, player: OwnerOption = None
) -> Done:
    """Take your bot off the boards, until its next version.

    It leaves the boards, and what is queued for it is not played; what is being played is finished and counts. It
    keeps its history, and `ladder bot list` shows it with --all. Submitting its next version, or `ladder bot activate`,
    brings it back. The boss of a league cannot retire.

    Example: ladder bot retire kraken
    """
    context = this(typer_context)
    done = context.act(actions.bots.retire, owner_named(player), bot, game)
    return Answer(done, retired_text(done))


def retired_text(done: Retired) -> str:
    left = f"left the board of {done.league}" if done.league else "was on no board"
    void = f", {counted(done.void, 'queued match', 'queued matches')} of it will not be played" if done.void else ""
    back = f"`ladder bot activate {done.version}`" if done.version else "submitting its next version"
    return f"{done.bot} is retired: it {left}{void}; {back} brings it back"


def rename_bot(
    typer_context: typer.Context,
    bot: BotArgument,
    name: Annotated[str, typer.Argument(help="Its new name.", show_default=False)],
    game: GameOption = None,
    player: OwnerOption = None,
) -> Done:
    """Give your bot another name.

    The old name leads to the bot from then on wherever a bot is named, and no other bot of its game can take it. Boards
    of closed seasons show names as they were.

    Example: ladder bot rename kraken leviathan
    """
    context = this(typer_context)
    done = context.act(actions.bots.rename, owner_named(player), bot, name, game)
    return Answer(done, f"{done.before} is called {done.bot} now; {done.before} still leads to it")


def disqualify_bot(
    typer_context: typer.Context,
    bot: BotArgument,
    why: Annotated[str, typer.Option("--why", help="The reason; it is shown with the bot.", show_default=False)],
    game: GameOption = None,
    player: ByOption = None,
) -> Done:
    """Take a bot off the boards, so that its matches no longer count.

    Its leagues are rated again as though it had never played there, and what waits for it is not played. Its matches
    and sources stay to be looked at. `ladder bot reinstate` undoes all of that. It is an operator's deed, which `ladder
    deeds` shows with a name.

    Example: ladder bot disqualify kraken --why "a copy of somebody else's bot"
    """
    return judge(this(typer_context), bot, game, operator_named(player), reason_in(why))


def reinstate_bot(
    typer_context: typer.Context, bot: BotArgument, game: GameOption = None, player: ByOption = None
) -> Done:
    """Undo that a bot was disqualified.

    It is on the boards where it was, and its matches count again, each in its place: all ratings are what they would be
    had it never left. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder bot reinstate kraken
    """
    return judge(this(typer_context), bot, game, operator_named(player), None)


def judge(context: Context, bot: str, game: str | None, actor: Actor, why: str | None) -> Answer:
    progress = partial(texts.ratings.counting, context, "rating again")
    if why is None:
        done = context.act(actions.bots.reinstate, actor, bot, game, progress)
    else:
        done = context.act(actions.bots.disqualify, actor, bot, why, game, progress)
    return Answer(done, judged_texts(done))


def void_text(done: Disqualified) -> str:
    return f"; {counted(done.void, 'match', 'matches')} that waited will not be played" if done.void else ""


def judged_texts(done: Disqualified) -> Iterator[str]:
    if done.is_disqualified:
        yield f"{done.bot} is disqualified and on no board{void_text(done)}"
    else:
        yield f"{done.bot} is reinstated"
    for league in done.leagues:
        matches = counted(league.matches, "match", "matches")
        yield f"{league.league}: {matches} rated again, {counted(league.changed_standings, 'standing')} changed"
    if done.is_disqualified:
        yield f"`ladder bot reinstate {done.bot}` undoes that"
