"""The process behind the pages: a free port, and its end."""

from __future__ import annotations

import socket

import uvicorn

from ladder.web.app import application
from ladder.web.live.watcher import Live
from ladder.web.site import Site

ENDING_S = 2
"""Answers that are under way at the end may take so long."""


class Server(uvicorn.Server):
    """A server whose streams end as soon as it is asked to end: it would else wait for them."""

    def __init__(self, config: uvicorn.Config, live: Live) -> None:
        super().__init__(config)
        self._live = live

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End what is under way."""
        self._live.close()
        await super().shutdown(sockets)


def server_for(site: Site) -> uvicorn.Server:
    """Return the server of a site; `run(sockets=[...])` serves until it is asked to end."""
    app = application(site)
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=ENDING_S,
    )
    return Server(config, app.state.live)
