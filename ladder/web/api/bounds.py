"""How much one request may ask of a view that goes through all matches of leagues: this process answers others too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from threading import Lock
from typing import Any

from engine.errors import Refused, Unavailable
from ladder.database.connection import Connection
from ladder.leagues.leagues import League
from ladder.views.ratings import Progress
from ladder.views.sent import whole

MOST_MATCHES = 10_000
"""Rating these again takes some seconds."""
RATING = Lock()
"""Is held by the one request that does."""


@contextmanager
def bounded(_connection: Connection, _leagues: Sequence[League]) -> Iterator[Callable[[], None]]:
    """Give what is to be called after each match. Raises Unavailable where another request does the same just now.

    What it gives raises Refused when there are too many.
    """
    if not RATING.acquire(blocking=False):
        raise Unavailable("this server rates matches again for somebody else just now: try again in a moment")
    done = count(1)

    def on_match() -> None:
        if next(done) > MOST_MATCHES:
            raise Refused(
                f"this takes more than {MOST_MATCHES:,} matches, and a server rates no more for one request: ask for "
                "less, with --league or --where, or type it where the ladder's database is"
            )

    try:
        yield on_match
    finally:
        RATING.release()


def bounds_for(view: whole.View) -> dict[str, Any]:
    """Return the bound by the name under which a view takes what is called after each match, if it does."""
    return {name: bounded for name, hint in whole.types_of(view).items() if hint == Progress}
