"""Showing the pages, until Ctrl-C: on a port of this machine, or on a socket."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from pathlib import Path
from socket import socket

from cli.context import Context
from cli.web.browser import open_browser
from cli.web.finding import pages_of, with_key
from ladder.errors import DatabaseDown
from ladder.web.key import Key, key_in
from ladder.web.process.connections import connected
from ladder.web.process.listening import address_of, listen, listening_at, port_of
from ladder.web.process.server import give_way, serve
from ladder.web.site import MOST_CONNECTIONS, Site
from workers.beside import services_beside
from workers.embedded.control import plain_errors
from workers.embedded.pages import Pages, announced, last_found, name_of

NICE = 10
"""Matches come before pages."""


def opened_already(context: Context) -> bool:
    """Open the pages of this ladder that another process shows, if one does."""
    pages = pages_of(context)
    if pages is None:
        return False
    address = with_key(context, pages)
    context.show_whole(address)
    open_browser(context, address)
    return True


def show_on(context: Context, host: str, port: int, *, opens: bool, supervised: bool) -> None:
    """Show the pages on a port of this machine, and let other commands find them."""
    require_schema(context)

    with plain_errors(context.home):
        context.home.create()
        key = key_in(context.home.folder)
    last = last_found(context.home)
    with listen(host, port, None if last is None else last.port) as listener:
        pages = Pages(address_of(listener), port_of(listener), name_of(context.database_url))
        if not supervised:  # the log of a supervisor's child is no place for a key
            say_where(context, port, pages, opens=opens)
        with announced(context.home, pages):
            show(context, listener, key, supervised=supervised)


def say_where(context: Context, port: int, pages: Pages, *, opens: bool) -> None:
    """Print the address, and open it if that is wanted. `port`: the one that was asked for."""
    if port not in {0, pages.port}:
        context.say(f"port {port} is in use; the pages are on port {pages.port}")
    address = with_key(context, pages)
    context.show_whole(address)
    sys.stdout.flush()
    context.say("Ctrl-C ends it")
    if opens:  # in a thread, as some browsers of terminals are waited for
        threading.Thread(target=open_browser, args=(context, address), daemon=True).start()


def show_at(context: Context, path: Path) -> None:
    """Show the pages on a socket that only this account reaches."""
    require_schema(context)
    with listening_at(path) as listener:
        context.say(f"the pages are at {path} (`curl --unix-socket {path} http://localhost/`); Ctrl-C ends it")
        show(context, listener, None, supervised=False)


def require_schema(context: Context) -> None:
    """Raise SchemaBehind or Refused where the database, if it answers, is not of this version of the program."""
    with suppress(DatabaseDown), context.database():
        pass


def show(context: Context, listener: socket, key: Key | None, *, supervised: bool) -> None:
    """Show the pages until Ctrl-C. The variables of a supervisor's child name the embedded services."""

    settings = context.settings.embedded() if supervised else context.settings
    if supervised:  # only now: a start that gives way takes ten times as long while matches are played
        give_way(NICE)
    with connected(context.database_url, MOST_CONNECTIONS) as connections:
        serve(Site(connections, context.games, key, lambda: services_beside(context.home, settings)), listener)
