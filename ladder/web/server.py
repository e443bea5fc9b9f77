"""The process behind the pages: a free port, and its end."""

from __future__ import annotations

import uvicorn

from ladder.web.app import application
from ladder.web.site import Site

ENDING_S = 2
"""Answers that are under way at the end may take so long."""


def server_for(site: Site) -> uvicorn.Server:
    """Return the server of a site; `run(sockets=[...])` serves until it is asked to end."""
    config = uvicorn.Config(
        application(site),
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=ENDING_S,
    )
    return uvicorn.Server(config)
