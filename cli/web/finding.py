"""The address of the pages of a running ladder, for other commands."""

from __future__ import annotations

import time

from cli.context import Context
from ladder.web.key import key_in
from ladder.web.process.listening import listen
from workers.commands import WEB
from workers.embedded import pages
from workers.embedded.pages import Pages
from workers.embedded.state_file import Running

LOOK_EVERY_S = 0.02
START_LIMIT_S = 4.0
"""The process behind the pages needs about a second, and longer while bots are built."""


def pages_of(context: Context) -> Pages | None:
    """Return where the pages of this context's ladder are, None if this home shows none."""
    return pages.found(context.home, context.database_url)


def pages_that_start(context: Context) -> Pages | None:
    """Wait until the supervisor's pages are there, and return where; None after START_LIMIT_S."""
    deadline = time.monotonic() + START_LIMIT_S
    while (found := pages_of(context)) is None and time.monotonic() < deadline:
        time.sleep(LOOK_EVERY_S)
    return found


def require_port(context: Context, port: int | None) -> None:
    """Raise Unavailable where a served ladder could not listen. `port`: None for that of the settings."""
    web = context.settings.web
    if web.is_served:
        listen("127.0.0.1", web.port if port is None else port, exact=True).close()


def for_people(context: Context, found: Pages) -> str:
    """Say where people find pages: the address with its key, or a served ladder's public one and where it leads."""
    web = context.settings.web
    return (
        f"{web.public_url} (they listen on {found.host}, port {found.port})"
        if web.is_served
        else with_key(context, found)
    )


def with_key(context: Context, found: Pages) -> str:
    """Return the address that lets a browser in. Raises Refused where the home's file holds no key."""
    try:
        return f"{found.address}?key={key_in(context.home.folder).text}"
    except OSError as error:
        raise context.home.trouble(error) from error


def where_pages_are(context: Context, running: Running) -> list[str]:
    """Say where the pages of services that have just started are; nothing if these serve no pages."""
    if WEB not in running.children:
        return []
    found = pages_that_start(context)
    if found is None:
        return [f"the pages are not there yet; {context.home.log(WEB)} says why if they do not come"]
    return [f"the pages: {for_people(context, found)}"]
