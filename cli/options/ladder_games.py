"""The games of the ladder that is meant, for completion: quick, and silent where neither database nor server answers.

How this works. Where no services run and none are named, nothing is asked. Otherwise a thread asks, and a shell that
waits for names gets none where the answer takes too long; the thread ends with the program. While a line is completed
no command runs that could find out which ladder it means; so that is found here.

Imports inside functions: the library of the database takes a while to import, and most completions need no names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from cli import ladders
from cli.context import Context, this
from cli.ladders.server import server_meant
from cli.meant import WITH_NO_LADDER, is_local
from engine.errors import ArenaError

if TYPE_CHECKING:
    import typer

PATIENCE_S = 2.0
"""Somebody who pressed Tab waits no longer."""


def leagues_of_games(typer_context: typer.Context) -> Mapping[str, list[str]]:
    """Return the games that are kept in the ladder's database, of a server all, with the names of their leagues.

    None where nothing answers soon.
    """
    found: dict[str, list[str]] = {}
    try:
        question = question_for(typer_context)
    except ArenaError:
        return found
    asking = Thread(target=ask, args=(question, found), daemon=True)
    asking.start()
    asking.join(PATIENCE_S)
    return {} if asking.is_alive() else found


def question_for(typer_context: typer.Context) -> Callable[[], Mapping[str, list[str]]]:
    """Return what asks the ladder that a line means. Raises ArenaError where there is none."""
    context, root = this(typer_context), typer_context.find_root()
    if not names_here(typer_context):
        context.server = server_meant(root.params.get("server"))
    if context.server is not None:
        return partial(leagues_there, context)
    return partial(leagues_at, context.database_url)


def names_here(typer_context: typer.Context) -> bool:
    """Say whether a command is about this machine, or about no ladder."""
    command = " ".join(typer_context.command_path.split()[1:])
    return is_local(command) or command in WITH_NO_LADDER


def leagues_there(context: Context) -> Mapping[str, list[str]]:
    """Return what the server knows."""
    try:
        return ladders.games.leagues_of(context)
    finally:
        context.at_end.close()


def leagues_at(address: str) -> Mapping[str, list[str]]:
    """Return what a database knows."""
    from ladder.games.catalogue import leagues_of_games_at

    return leagues_of_games_at(address)


def ask(question: Callable[[], Mapping[str, list[str]]], found: dict[str, list[str]]) -> None:
    """Put the answer to a question into `found`; nothing where that fails, whatever the reason."""
    with suppress(Exception):  # a word of complaint would stand in the middle of the line that is typed
        found.update(question())
