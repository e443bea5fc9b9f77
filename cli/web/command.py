"""The command `ladder web`.

Imports inside functions: a web server takes most of a second to import, and no other command needs it.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.services import services_beside
from cli.web.browser import open_browser
from cli.web.finding import pages_of, with_key
from engine.errors import UsageFault
from engine.interrupts import interrupts_delayed
from ladder.errors import DatabaseDown

if TYPE_CHECKING:
    from socket import socket

    from ladder.web.key import Key
    from workers.embedded.pages import Pages

LOOPBACK = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1", "[::1]": "::1"}
"""What may be typed for this machine, and its address."""
PORT = 8210
NICE = 10
"""Matches come before pages."""


def web(
    typer_context: typer.Context,
    host: Annotated[str, typer.Option("--host", help="The address of this machine to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port; if it is taken, the next free one of twenty.")
    ] = PORT,
    uds: Annotated[
        Path | None, typer.Option("--uds", help="Listen on a socket at this path instead, and ask for no key.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the pages in a browser.")] = False,
    supervised: Annotated[bool, typer.Option("--supervised", hidden=True)] = False,
) -> None:
    """Show the ladder in a browser, until Ctrl-C.

    Boards, bots, gauntlets, and matches with their viewer, live; and the same data as JSON below /api/v1/. It only
    reads. `ladder up` runs it already, and `ladder web --open` then opens those pages. It prints the address with the
    key from LADDER_HOME/web.key: other accounts of this machine reach the port, and see nothing without it. There are
    no accounts of players yet, so it listens on this machine alone. The socket of --uds has mode 0600: no other account
    reaches it. While the database does not answer the pages say so, and then come back by themselves.

    Example: ladder web --open
    """
    context = this(typer_context)
    address = loopback(host)
    if uds is not None:
        show_at(context, uds)
    elif not (open_ and port == PORT and opened_already(context)):
        show_on(context, address, port, opens=open_, supervised=supervised)


def loopback(host: str) -> str:
    """Return the address of this machine that is meant. Raises UsageFault for one that others could reach."""
    if host not in LOOPBACK:
        raise UsageFault(
            f"--host {host}: until there are accounts, pages are shown on this machine alone (127.0.0.1, ::1 or "
            f"localhost); from elsewhere `ssh -L {PORT}:127.0.0.1:{PORT} MACHINE` leads to them"
        )
    return LOOPBACK[host]


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
    with interrupts_delayed():
        from ladder.web.key import key_in
        from ladder.web.listening import address_of, listen, port_of
    from workers.embedded.control import plain_errors
    from workers.embedded.pages import Pages, announced, last_found, name_of

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
    with interrupts_delayed():
        from ladder.web.listening import listening_at
    with listening_at(path) as listener:
        context.say(f"the pages are at {path} (`curl --unix-socket {path} http://localhost/`); Ctrl-C ends it")
        show(context, listener, None, supervised=False)


def require_schema(context: Context) -> None:
    """Raise SchemaBehind or Refused where the database, if it answers, is not of this version of the program."""
    with suppress(DatabaseDown), context.database():
        pass


def show(context: Context, listener: socket, key: Key | None, *, supervised: bool) -> None:
    """Show the pages until Ctrl-C. The variables of a supervisor's child name the embedded services."""
    from ladder.web.connections import connected
    from ladder.web.server import give_way, serve
    from ladder.web.site import MOST_CONNECTIONS, Site

    settings = context.settings.embedded() if supervised else context.settings
    if supervised:  # only now: a start that gives way takes ten times as long while matches are played
        give_way(NICE)
    with connected(context.database_url, MOST_CONNECTIONS) as connections:
        serve(Site(connections, context.games, key, lambda: services_beside(Context(settings))), listener)
