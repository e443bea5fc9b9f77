"""The process behind the pages: its priority, its log and its end.

How this works. The pool connects anew by itself. Until then each request is soon refused with the reason. The log gets
one line when the database goes and one when it is back; the pool's own line for each attempt is not written.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import uvicorn
from psycopg import OperationalError
from psycopg.errors import QueryCanceled
from psycopg_pool import PoolTimeout

from ladder.database.connection import Connection, Pool, first_line, open_pool
from ladder.event_log import Outage, Unbuffered, event, log_to
from ladder.health import SignOfLife
from ladder.web.app import application
from ladder.web.site import Site
from ladder.web.watcher import Live

PATIENCE_S = 2.0
"""For a connection; with it a page waits no longer than for a statement."""


class Connections:
    """A pool that says when its database goes and when it is back."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._outage = Outage("database")

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        try:
            with self._pool.connection() as connection:
                self._outage.ends()
                yield connection
        except QueryCanceled:
            raise
        except (OperationalError, PoolTimeout) as error:
            self._outage.begins(first_line(error))
            raise

    def close(self) -> None:
        self._pool.close()


@contextmanager
def connected(database_url: str, most: int) -> Iterator[Connections]:
    """Open a pool for the block; the database need not answer. Raises UsageFault for an address without sense."""
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    connections = Connections(open_pool(database_url, most=most, wait_s=PATIENCE_S))
    try:
        yield connections
    finally:
        connections.close()


ENDING_S = 2
"""How long answers that are under way may take at the end."""


class Server(uvicorn.Server):
    """A server that sends what it has at once, and whose streams end as soon as it is asked to end."""

    def __init__(self, config: uvicorn.Config, live: Live, sign: SignOfLife | None = None) -> None:
        super().__init__(config)
        self._live, self._sign = live, sign

    async def on_tick(self, counter: int) -> bool:
        """Is called by the server's own loop, several times a second."""
        if self._sign is not None:
            self._sign.renew()
        return await super().on_tick(counter)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve. TCP_NODELAY, as each body would otherwise wait 40 ms until its head is confirmed."""
        for listener in sockets or ():
            if listener.family != socket.AF_UNIX:
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all streams, for which the server would otherwise wait, then the rest."""
        self._live.close()
        await super().shutdown(sockets)


def give_way(nice: int) -> None:
    """Let this process get less of the cores than others, and its session, between which Linux may share them."""
    os.nice(nice)
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(nice))


def server_for(
    site: Site, certificate: str | None = None, tls_key: str | None = None, sign: SignOfLife | None = None
) -> uvicorn.Server:
    """Return the server of a site; `run(sockets=[...])` serves until it is asked to end. With a certificate by TLS.

    `sign`: of this process.
    """
    app = application(site)
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # whose word counts is decided where it is known who our proxies are
        ssl_certfile=certificate,
        ssl_keyfile=tls_key,
        timeout_graceful_shutdown=ENDING_S,
    )
    return Server(config, app.state.live, sign)


def serve(
    site: Site,
    listener: socket.socket,
    certificate: str | None = None,
    tls_key: str | None = None,
    sign: SignOfLife | None = None,
) -> None:
    """Show a site until Ctrl-C or SIGTERM. For the main thread."""
    log_to(Unbuffered())
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # it would log a line for each malformed request
    signal.signal(signal.SIGTERM, interrupt)  # the server passes signals on when it has ended
    event("pages_started")
    with suppress(KeyboardInterrupt):
        server_for(site, certificate, tls_key, sign).run(sockets=[listener])
    if sign is not None:
        sign.end()


def interrupt(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt
