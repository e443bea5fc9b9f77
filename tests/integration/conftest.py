"""What several integration tests start from."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.catalogue import GAMES
from workers.app import queue_for
from workers.embedded.state_file import Running
from workers.presence import LockHolder, Presence
from workers.worker_process import WorkerProcess, able_here, open_sessions, serving_sandbox


@pytest.fixture
def process(services: Running, database_url: str) -> Iterator[WorkerProcess]:
    sessions = open_sessions(database_url)
    sandbox = serving_sandbox()
    holder = LockHolder(database_url)
    presence = Presence(holder, partial(able_here, sandbox))
    yield WorkerProcess(sessions, queue_for(services.broker_url), presence, sandbox, GAMES)
    presence.close()
    holder.close()
    sessions.close()
