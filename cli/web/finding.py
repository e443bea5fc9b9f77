"""Where the pages of a ladder are that runs, for other commands.

Imports inside functions: a command that shows no address does not look for one.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from cli.context import Context

if TYPE_CHECKING:
    from workers.embedded.pages import Pages

LOOK_EVERY_S = 0.02
START_LIMIT_S = 6.0
"""The process behind the pages needs about a second, and longer while bots are built."""


def pages_of(context: Context) -> Pages | None:
    """Return where the pages of this context's ladder are, if this home shows them."""
    from workers.embedded import pages

    return pages.found(context.home, context.database_url)


def pages_that_start(context: Context) -> Pages | None:
    """Return where the pages are that the supervisor has begun to show; None if that takes unreasonably long."""
    deadline = time.monotonic() + START_LIMIT_S
    while (found := pages_of(context)) is None and time.monotonic() < deadline:
        time.sleep(LOOK_EVERY_S)
    return found


def with_key(context: Context, pages: Pages) -> str:
    """Return the address that lets a browser in. Raises Refused where the home's file holds no key."""
    from ladder.web.key import key_in
    from workers.embedded.control import plain_errors

    with plain_errors(context.home):
        return f"{pages.address}?key={key_in(context.home.folder).text}"
