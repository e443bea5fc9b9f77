"""Showing the pages, until Ctrl-C: on a port of this machine, or on a socket.

How this works. This process looks whether all is well, listens and says where. Then it turns into the program that
answers (`cli.web.serving`): so the one that stays holds nothing in memory that only commands need.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from socket import socket
from typing import NoReturn

from cli.context import Context
from cli.web.finding import Given, open_browser, pages_of, with_key
from engine.interrupts import RUN
from ladder.errors import DatabaseDown
from ladder.web.key import key_in
from ladder.web.process.listening import address_of, listen, listening_at, port_of
from workers.embedded.state_file import Pages, last_found, name_of

FEW_ARENAS = {"MALLOC_ARENA_MAX": "2"}
"""With an arena for each of its threads the process would keep much more memory than it uses."""


def opened_already(context: Context) -> bool:
    """Open the pages of this ladder that another process shows, if one does."""
    pages = pages_of(context)
    if pages is None:
        return False
    web = context.settings.web
    address = web.public_url if web.is_served else with_key(context, pages)
    context.show_whole(address)
    open_browser(context, address)
    return True


def show_on(
    context: Context, host: str, port: int, tls: tuple[str, str] | None, *, opens: bool, supervised: bool
) -> NoReturn:
    """Show the pages on a port of this machine, and let other commands find them. `tls`: certificate and its key."""
    require_schema(context)
    files = tls or (None, None)
    with context.home.plain_errors():
        context.home.create()
        key_in(context.home.folder)
    last = last_found(context.home)
    served = context.settings.web.is_served
    with listen(host, port, exact=served, before=None if last is None else last.port) as listener:
        if not supervised:  # the log of a supervisor's child is no place for a key
            say_where(
                context, host, port, Pages(address_of(listener), port_of(listener), name_of(context.database_url))
            )
        turn_into_server(
            listener, Given(listener.fileno(), None, files[0], files[1], opens=opens, supervised=supervised)
        )


def say_where(context: Context, host: str, port: int, pages: Pages) -> None:
    """Print the address. `port`: the one that was asked for."""
    if context.settings.web.is_served:
        context.show_whole(context.settings.web.public_url)
        context.say(f"listening on port {pages.port} of {host}; Ctrl-C ends it")
        return
    if port not in {0, pages.port}:
        context.say(f"port {port} is in use; the pages are on port {pages.port}")
    context.show_whole(with_key(context, pages))
    context.say("Ctrl-C ends it")


def show_at(context: Context, path: Path) -> NoReturn:
    """Show the pages on a socket that only this account reaches."""
    require_schema(context)
    with listening_at(path) as listener:
        context.say(f"the pages are at {path} (`curl --unix-socket {path} http://localhost/`); Ctrl-C ends it")
        turn_into_server(
            listener, Given(listener.fileno(), str(path.absolute()), None, None, opens=False, supervised=False)
        )


def require_schema(context: Context) -> None:
    """Raise SchemaBehind or Refused where the database, if it answers, is not of this version of the program."""
    with suppress(DatabaseDown), context.database():
        pass


def turn_into_server(listener: socket, given: Given) -> NoReturn:
    """Turn this process into the one that answers on a socket."""
    listener.set_inheritable(True)
    sys.stdout.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # that program hears it as soon as it can answer
    command = (*RUN, "cli.web.serving", *given.words)
    os.execvpe(command[0], command, {**os.environ, **FEW_ARENAS})  # noqa: S606 - no shell is the point
