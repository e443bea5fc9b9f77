"""`ladder new`: a folder for a new bot."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

from cli.context import Context
from cli.options.files import file_argument
from cli.options.here import needed_game
from cli.options.names import game_option, starter_language_option
from cli.program.parameters import argument
from cli.terminal.words import quoted
from engine.errors import UsageFault
from engine.new_bot import NewBot, starter_language, write_bot_folder
from ladder.names import BOT

FURTHER = "then letters, digits, '_', '.' and '-' may follow, 39 characters at most"


def new_bot(
    context: Context,
    bot: Annotated[str, argument("What the bot is called.")],
    folder: Annotated[Path | None, file_argument("A folder that is empty or new. [default: the bot's name]")] = None,
    game: Annotated[str | None, game_option("Which game it plays. [default: LADDER_GAME]")] = None,
    language: Annotated[str | None, starter_language_option("What it is written in.")] = None,
) -> None:
    """Make a folder for a new bot.

    It holds a starter that plays by the rules, a README of the daily commands, and a `ladder.toml` that names game, bot
    and source, so that commands typed in the folder need not. A folder that holds something is refused with exit status
    3, and stays as it is.

    Example: ladder new kraken --game ocean-of-code --language cpp
    """
    if not BOT.fullmatch(bot):
        raise UsageFault(f"{bot!r} cannot be a bot's name: it has to begin with a letter or digit, {FURTHER}")
    found = context.games.find(needed_game(context.games, game))
    where = Path(bot) if folder is None else folder
    new = NewBot(bot, found, starter_language(found, language))
    for path in write_bot_folder(new, where):
        context.show(quoted(str(path)))
    context.say(
        quoted(f"next: cd {quote(str(where))}, then `ladder game show`; README.md there has the daily commands")
    )
