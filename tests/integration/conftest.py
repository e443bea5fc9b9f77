"""What several integration tests start from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from engine.toolchain import languages_here
from workers.bell import bell_for
from workers.embedded.state import Running
from workers.lock_holder import LockHolder
from workers.presence import Presence
from workers.process import WorkerProcess, open_sessions
from workers.serving import serving_sandbox


@pytest.fixture
def process(services: Running, database_url: str) -> Iterator[WorkerProcess]:
    """What a worker process has, in this one."""
    sessions = open_sessions(database_url)
    sandbox = serving_sandbox()
    holder = LockHolder(database_url)
    presence = Presence(holder, partial(languages_here, sandbox))
    yield WorkerProcess(sessions, bell_for(services.broker_url), presence, sandbox)
    presence.close()
    holder.close()
    sessions.close()
