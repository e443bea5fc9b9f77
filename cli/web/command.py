"""The command `ladder web`.

Imports inside functions: a home and its database are looked at by much code, and help needs none of it.
"""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Annotated

import typer

from cli.context import this
from cli.options.numbers import Port
from engine.errors import UsageFault, plain_words
from engine.interrupts import interrupts_delayed
from ladder.settings import USUAL_PORT

LOOPBACK = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1", "[::1]": "::1"}
"""What may be typed for this machine, and its address."""


def web(
    typer_context: typer.Context,
    host: Annotated[str, typer.Option("--host", help="The address of this machine to listen on.")] = "127.0.0.1",
    port: Port = None,
    uds: Annotated[
        Path | None, typer.Option("--uds", help="Listen on a socket at this path instead, and ask for no key.")
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", help="The certificate, with its chain, of a served ladder (PEM).")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", help="The key of that certificate (PEM).")] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the pages in a browser.")] = False,
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
    context = this(typer_context)
    served = context.settings.web.is_served
    address = LOOPBACK.get(host, host) if served else loopback(host)
    tls = tls_files(tls_cert, tls_key, served=served)
    with interrupts_delayed():
        from cli.web.showing import opened_already, show_at, show_on
    if uds is not None:
        show_at(context, uds)
    elif not (open_ and port is None and opened_already(context)):
        wanted = context.settings.web.port if port is None else port
        show_on(context, address, wanted, tls, opens=open_, supervised=supervised)


def tls_files(certificate: Path | None, key: Path | None, *, served: bool) -> tuple[str, str] | None:
    """Return the files for TLS, None without it. Raises UsageFault where they cannot be used."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise UsageFault("--tls-cert and --tls-key belong together: name both files")
    if not served:
        raise UsageFault("--tls-cert is for a served ladder: set LADDER_WEB_MODE=served and LADDER_PUBLIC_URL")
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as error:  # also what is no certificate, or another one's key
        raise UsageFault(f"{certificate} and {key} cannot be used for TLS: {plain_words(error)}") from error
    return str(certificate.absolute()), str(key.absolute())


def loopback(host: str) -> str:
    """Return the address of this machine that is meant. Raises UsageFault for one that others could reach."""
    if host not in LOOPBACK:
        raise UsageFault(
            f"--host {host}: until there are accounts (LADDER_WEB_MODE=served), pages are shown on this machine alone "
            f"(127.0.0.1, ::1 or localhost); from elsewhere `ssh -L {USUAL_PORT}:127.0.0.1:{USUAL_PORT} MACHINE` leads "
            "to them"
        )
    return LOOPBACK[host]
