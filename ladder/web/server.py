"""The process behind the pages: its priority, its log and its end.

How this works. The pool connects anew by itself. Until then each request is soon refused with the reason. The log gets
one line when the database goes and one when it is back; the pool's own line for each attempt is not written. Where no
connection comes free in time, but none was lost and no attempt to connect failed since one was last lent, the database
is there and more is asked than the pages can do: that is an overload, of which the log says once a minute.
"""

import asyncio
import logging
import os
import resource
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import h11
import uvicorn
from psycopg import OperationalError
from psycopg.errors import QueryCanceled
from psycopg_pool import ConnectionPool, PoolTimeout
from uvicorn.protocols.http.h11_impl import H11Protocol

from ladder.database.connection import Connection, first_line, open_pool
from ladder.errors import Overloaded
from ladder.event_log import Outage, Unbuffered, event, log_to
from ladder.health import SignOfLife
from ladder.web.app import application
from ladder.web.site import Site
from ladder.web.watcher import Live

PATIENCE_S = 2.0
"""For a connection; with it a page waits no longer than for a statement."""
LOSSES = ("connections_errors", "connections_lost", "returns_bad")
"""What the pool counts that happens without a database alone."""
OVERLOAD_EVERY_S = 60.0
HEAD_LIMIT_S, BODY_LIMIT_S = 30.0, 300.0
"""For a request to come whole: its head, and the largest body by a slow line."""
IDLE_LIMIT_S = 130
"""How long a connection stays open between two requests: longer than proxies keep one to use it again (Caddy for 120 s,
nginx for 60), so the end that closes is theirs, and none of their requests meets a connection that was just closed."""
ENDING_S = 2
"""How long answers that are under way may take at the end."""


class Connections:
    """A pool that says when its database goes and when it is back."""

    def __init__(self, pool: ConnectionPool[Connection], most: int) -> None:
        self._pool, self._most = pool, most
        self._outage = Outage("database")
        self._losses = 0
        self._overload_due = 0.0

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        try:
            with self._pool.connection() as connection:
                self._outage.ends()
                self._losses = self._losses_until_now()
                yield connection
        except QueryCanceled:
            raise
        except PoolTimeout as error:
            if self._losses_until_now() == self._losses:
                raise self._overload() from error
            self._outage.begins(first_line(error))
            raise
        except OperationalError as error:
            self._outage.begins(first_line(error))
            raise

    def _losses_until_now(self) -> int:
        counts = self._pool.get_stats()
        return sum(counts.get(name, 0) for name in LOSSES)

    def _overload(self) -> Overloaded:
        error = Overloaded(
            f"all {self._most} connections of the pages to the database are in use, and none came free within "
            f"{PATIENCE_S:.0f} s; try again in a few seconds"
        )
        if time.monotonic() >= self._overload_due:
            self._overload_due = time.monotonic() + OVERLOAD_EVERY_S
            event("pages_overloaded", logging.WARNING, words=str(error))
        return error

    def close(self) -> None:
        self._pool.close()


@contextmanager
def connected(database_url: str, most: int) -> Iterator[Connections]:
    """Open a pool for the block; the database need not answer. Raises UsageFault for an address without sense."""
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    with closing(Connections(open_pool(database_url, most=most, wait_s=PATIENCE_S), most)) as connections:
        yield connections


class Protocol(H11Protocol):
    """One connection. Who leaves half a request on it is cut off: otherwise it would stay open for ever."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._awaited: object = None
        self._limit: asyncio.TimerHandle | None = None
        self._has_answered = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._await_request()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._has_answered = True
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._set_limit(None)
        super().connection_lost(exc)

    def _await_request(self) -> None:
        state = self.conn.their_state
        is_between = state is h11.IDLE and self._has_answered and not self.conn.trailing_data[0]
        if (awaited := (state, self.cycle, is_between)) != self._awaited:
            self._awaited = awaited
            limits_s = {h11.IDLE: None if is_between else HEAD_LIMIT_S, h11.SEND_BODY: BODY_LIMIT_S}
            self._set_limit(limits_s.get(state))

    def _set_limit(self, limit_s: float | None) -> None:
        if self._limit is not None:
            self._limit.cancel()
        self._limit = None if limit_s is None else self.loop.call_later(limit_s, self.transport.abort)


class PageServer(uvicorn.Server):
    """A server that sends what it has at once, and whose streams end as soon as it is asked to end."""

    def __init__(self, config: uvicorn.Config, live: Live, sign: SignOfLife | None = None) -> None:
        super().__init__(config)
        self._live, self._sign = live, sign

    async def on_tick(self, counter: int) -> bool:
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
    """Return the server of a site; `run(sockets=[...])` serves until it is asked to end. `sign`: of this process."""
    app = application(site)
    config = uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # whose word counts is decided where it is known who our proxies are
        ssl_certfile=certificate,
        ssl_keyfile=tls_key,
        timeout_graceful_shutdown=ENDING_S,
        timeout_keep_alive=IDLE_LIMIT_S,
    )
    return PageServer(config, app.state.live, sign)


def serve(site: Site, listener: socket.socket, certificate: str | None, tls_key: str | None, sign: SignOfLife) -> None:
    """Show a site until Ctrl-C or SIGTERM. For the main thread."""
    log_to(Unbuffered())
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # it would log a line for each malformed request
    signal.signal(signal.SIGTERM, interrupt)  # the server passes signals on when it has ended
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))  # each connection is one; 1,024 are usual
    event("pages_started")
    with suppress(KeyboardInterrupt):
        server_for(site, certificate, tls_key, sign).run(sockets=[listener])
    sign.end()


def interrupt(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt
