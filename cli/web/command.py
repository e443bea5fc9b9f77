"""The command `ladder web`.

How this works. This process looks whether all is well, listens and says where. Then it turns into the program that
answers (`cli.web.process`): so the one that stays holds nothing in memory that only commands need.
"""

import os
import signal
import ssl
import sys
from contextlib import suppress
from pathlib import Path
from socket import socket
from typing import Annotated, NoReturn

import typer

from cli.answer import option
from cli.context import Context
from cli.options.numbers import Port
from cli.web.address import Given, open_browser, pages_of, with_key
from engine.errors import UsageFault, plain_words
from engine.interrupts import RUN
from ladder.errors import DatabaseDown
from ladder.event_log import log_settings
from ladder.settings import USUAL_PORT
from ladder.views.encoding import to_json
from ladder.web.entrance import address_of, key_in, listen, listening_at, port_of
from workers.embedded.state_file import Pages, last_found, name_of

LOOPBACK = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1", "[::1]": "::1"}
"""What may be typed for this machine, and its address."""


CERTIFICATE = "The certificate, with its chain, of a served ladder (PEM)."


def web(
    context: Context,
    host: Annotated[str, option("--host", "The address of this machine to listen on.")] = "127.0.0.1",
    port: Port = None,
    uds: Annotated[Path | None, option("--uds", "Listen on a socket at this path instead, and ask for no key.")] = None,
    tls_cert: Annotated[Path | None, option("--tls-cert", CERTIFICATE)] = None,
    tls_key: Annotated[Path | None, option("--tls-key", "The key of that certificate (PEM).")] = None,
    open_: Annotated[bool, option("--open", "Open the pages in a browser.")] = False,
    supervised: Annotated[bool, typer.Option("--supervised", hidden=True)] = False,
) -> None:
    """Show the ladder in a browser, until Ctrl-C.

    Boards, bots, gauntlets, and matches with their viewer, live; and the same data as JSON below /api/v1/. `ladder up`
    runs it already, and `ladder web --open` then opens those pages. It prints the address with the key from
    LADDER_HOME/web.key: other accounts of this machine reach the port, and see nothing without it. It listens on this
    machine alone. With LADDER_WEB_MODE=served players log in with accounts instead, and it listens where --host says,
    behind a proxy that does TLS or with --tls-cert and --tls-key; if the port is taken it refuses to start. The socket
    of --uds has mode 0600: no other account reaches it. While the database does not answer the pages say so, and then
    come back by themselves.

    Example: ladder web --open
    """
    log_settings(os.environ)
    served = context.settings.web.is_served
    if not served and host not in LOOPBACK:
        alone = "until there are accounts (LADDER_WEB_MODE=served), pages are shown on this machine alone"
        ssh = f"from elsewhere `ssh -L {USUAL_PORT}:127.0.0.1:{USUAL_PORT} MACHINE` leads to them"
        raise UsageFault(f"--host {host}: {alone} (127.0.0.1, ::1 or localhost); {ssh}")
    address = LOOPBACK.get(host, host)
    certificate, key = tls_files(tls_cert, tls_key, served=served)
    if uds is not None:
        require_schema(context)
        with listening_at(uds) as listener:
            context.say(f"the pages are at {uds} (`curl --unix-socket {uds} http://localhost/`); Ctrl-C ends it")
            turn_into_server(listener, Given(path=str(uds.absolute())))
    elif open_ and port is None and (pages := pages_of(context)) is not None:
        there = context.settings.web.public_url if served else with_key(context, pages)
        context.show_whole(there)
        open_browser(context, there)
    else:
        port = context.settings.web.port if port is None else port
        given = Given(certificate=certificate, tls_key=key, opens=open_, supervised=supervised)
        show_on(context, address, port, given)


def tls_files(certificate: Path | None, key: Path | None, *, served: bool) -> tuple[str, str] | tuple[None, None]:
    """Return the two files, if they are named and can be used. Raises UsageFault."""
    if certificate is None and key is None:
        return None, None
    if certificate is None or key is None:
        raise UsageFault("--tls-cert and --tls-key belong together: name both files")
    if not served:
        raise UsageFault("--tls-cert is for a served ladder: set LADDER_WEB_MODE=served and LADDER_PUBLIC_URL")
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as error:  # also what is not a certificate, or another one's key
        raise UsageFault(f"{certificate} and {key} cannot be used for TLS: {plain_words(error)}") from error
    return str(certificate.absolute()), str(key.absolute())


def show_on(context: Context, host: str, port: int, given: Given) -> NoReturn:
    require_schema(context)
    with context.home.plain_errors():
        context.home.create()
        key_in(context.home.folder)
    last = last_found(context.home)
    served = context.settings.web.is_served
    with listen(host, port, exact=served, before=None if last is None else last.port) as listener:
        pages = Pages(address_of(listener), port_of(listener), name_of(context.database_url))
        if served and not given.supervised:
            context.show_whole(context.settings.web.public_url)
            context.say(f"listening on port {pages.port} of {host}; Ctrl-C ends it")
        elif not given.supervised:  # the log of a supervisor's child is not a place for a key
            if port not in {0, pages.port}:
                context.say(f"port {port} is in use; the pages are on port {pages.port}")
            context.show_whole(with_key(context, pages))
            context.say("Ctrl-C ends it")
        turn_into_server(listener, given)


def require_schema(context: Context) -> None:
    with suppress(DatabaseDown), context.database():
        pass


def turn_into_server(listener: socket, given: Given) -> NoReturn:
    listener.set_inheritable(True)
    sys.stdout.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # that program hears it as soon as it can answer
    command = (*RUN, "cli.web.process", str(listener.fileno()), to_json(given, compact=True))
    # With an arena for each of its threads the process would keep much more memory than it uses.
    os.execvpe(command[0], command, {**os.environ, "MALLOC_ARENA_MAX": "2"})  # noqa: S606 - no shell is the point
