"""A site that is served on a port of this machine for a test, asking it, and the routes of all of its pages."""

import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import uvicorn

from engine.game import Games
from ladder.access import Actor, Role, Scope
from ladder.accounts import accounts
from ladder.actions.tokens import WantedToken, create
from ladder.database.connection import Pool, transaction
from ladder.queue import Queue
from ladder.settings import WebSettings, settings_from
from ladder.web.entrance import Key
from ladder.web.server import server_for
from ladder.web.site import Site, no_queue
from tests.catalogue import GAMES
from tests.patience import patience_s, wait_until

LOCAL = WebSettings()
NO_HEADERS: Mapping[str, str] = {}
ALL = frozenset(Scope)
KEY = Key("0123456789abcdef" * 4, Path("/home/kim/.ladder/web.key"))


@dataclass(frozen=True)
class Served:
    """A site that answers at an address, asked by somebody who has the key."""

    address: str
    client: httpx.Client = field(repr=False)

    def get(self, path: str, **headers: str) -> httpx.Response:
        """Ask for a path. `headers`: with _ in the place of -."""
        return self.client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


@contextmanager
def serving(
    pool: Pool,
    key: Key | None = KEY,
    games: Games = GAMES,
    web: WebSettings = LOCAL,
    queue: Callable[[], Queue] = no_queue,
) -> Iterator[Served]:
    headers = {} if key is None else {"Authorization": f"Bearer {key.text}"}
    with answering(server_for(Site(pool, games, key, web=web, queue=queue)), headers) as client:
        yield Served(str(client.base_url).rstrip("/"), client)


@contextmanager
def serving_players(
    pool: Pool, queue: Callable[[], Queue] = no_queue, games: Games = GAMES, **settings: str
) -> Iterator[Served]:
    """Serve a ladder to players with accounts for the block, at the address by which they know it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        public = f"http://127.0.0.1:{listener.getsockname()[1]}"
        found = settings_from({"LADDER_WEB_MODE": "served", "LADDER_PUBLIC_URL": public} | settings)
        site = Site(pool, games, None, web=found.web, queue=queue, source_chars=found.source_chars)
        with answering_on(listener, server_for(site)) as client:
            yield Served(public, client)


@contextmanager
def answering(server: uvicorn.Server, headers: Mapping[str, str] = NO_HEADERS) -> Iterator[httpx.Client]:
    with socket.create_server(("127.0.0.1", 0)) as listener, answering_on(listener, server, headers) as client:
        yield client


@contextmanager
def answering_on(
    listener: socket.socket, server: uvicorn.Server, headers: Mapping[str, str] = NO_HEADERS
) -> Iterator[httpx.Client]:
    address = "http://{}:{}".format(*listener.getsockname())
    client = httpx.Client(base_url=address, headers=headers, timeout=patience_s(), verify=False)  # noqa: S501 - no TLS
    with running(server, listener), client:
        yield client


@contextmanager
def running(server: uvicorn.Server, listener: socket.socket) -> Iterator[tuple[str, int]]:
    """Let a server run in a thread for the block, and give its address."""
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    wait_until(lambda: server.started or not thread.is_alive(), "the server", 0.005)
    assert thread.is_alive(), "the server has ended"
    try:
        yield listener.getsockname()
    finally:  # of a test that fails, too: its thread would keep the run from ending
        server.should_exit = True
        thread.join()


def token_of_kim(pool: Pool) -> str:
    """Make kim an operator without quotas, which hold behind a server alone, and a token that may do everything."""
    with transaction(pool) as connection:
        kim = accounts.find_account(connection, "kim")
        accounts.set_role(connection, kim.id, Role.OPERATOR)
        connection.execute("INSERT INTO quotas (player_id) VALUES (%s)", [kim.id])
    return create(Actor("kim", Role.OPERATOR), pool, WantedToken("ci", ALL)).secret


def page_routes() -> list[str]:
    from ladder.web.pages import routers  # the application takes a second, which only tests that serve it spend

    found = {re.sub(r"\{[^}]*\}", "{}", getattr(route, "path", "")) for router in routers() for route in router.routes}
    return sorted(path for path in found if not path.startswith("/static/") and not path.endswith(("/data", ".svg")))
