"""The games that are kept in the ladder's database, for completion: quick, and silent where no database answers.

How this works. Where no services run and none are named, nothing is asked. Otherwise a thread asks, and a shell that
waits for names gets none where the answer takes too long; the thread ends with the program.

Imports inside functions: the library of the database takes a while to import, and most completions need no names.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

from engine.errors import ArenaError

if TYPE_CHECKING:
    from cli.context import Context

PATIENCE_S = 2.0
"""Somebody who pressed Tab waits no longer."""


def leagues_of_games(context: Context) -> Mapping[str, list[str]]:
    """Return the games whose referee is a program with the names of their leagues; none where nothing answers soon."""
    found: dict[str, list[str]] = {}
    try:
        address = context.database_url
    except ArenaError:
        return found
    asking = Thread(target=ask, args=(address, found), daemon=True)
    asking.start()
    asking.join(PATIENCE_S)
    return {} if asking.is_alive() else found


def ask(address: str, found: dict[str, list[str]]) -> None:
    """Put into `found` what a database knows; nothing where that fails, whatever the reason."""
    with suppress(Exception):  # a word of complaint would stand in the middle of the line that is typed
        from ladder.games.catalogue import leagues_of_games_at

        found.update(leagues_of_games_at(address))
