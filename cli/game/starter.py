"""`ladder game starter`: a small bot to begin with.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.context import this
from cli.options.here import language_here
from cli.options.names import game_argument, starter_language_option


def print_starter(
    typer_context: typer.Context,
    game: Annotated[str, game_argument()],
    language: Annotated[str | None, starter_language_option("Which language. [default: the folder's]")] = None,
) -> None:
    """Print a starter: a small bot that plays by the rules.

    Nothing but its source is printed. `ladder new` makes a whole folder of it.

    Example: ladder game starter ocean-of-code --language cpp > kraken.cpp
    """
    from engine.new_bot.folder import starter, starter_language

    found = this(typer_context).games.find(game)
    wanted = language_here() if language is None else language
    typer.echo(starter(found, starter_language(found, wanted)), nl=False)
