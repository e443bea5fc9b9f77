"""What several integration tests start from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from engine.toolchain import languages_here
from ladder.database import open_pool
from workers.bell import bell_for
from workers.embedded.state import Running
from workers.presence import Presence
from workers.process import WorkerProcess
from workers.serving import serving_sandbox


@pytest.fixture
def process(services: Running, database_url: str) -> Iterator[WorkerProcess]:
    """What a worker process has, in this one."""
    pool = open_pool(database_url, idle_limit_s=30)
    sandbox = serving_sandbox()
    presence = Presence(database_url, partial(languages_here, sandbox))
    process = WorkerProcess(pool, bell_for(services.broker_url), presence, sandbox)
    yield process
    process.presence.close()
    pool.close()
