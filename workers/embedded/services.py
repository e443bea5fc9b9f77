"""Whether the services of a home run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from workers.embedded import state_file
from workers.embedded.home import LadderHome, is_locked
from workers.embedded.processes import holds
from workers.embedded.state_file import Running


def running(home: LadderHome) -> Running | None:
    """Return None if none runs; what it returns is `ready` or still starting."""
    with plain_errors(home):
        state = state_file.read(home) if is_locked(home.lock) else None
        return state if state is not None and holds(state.pid, home.lock) else None


@contextmanager
def plain_errors(home: LadderHome) -> Iterator[None]:
    """Say it plainly where the home cannot be used: it is somebody else's, below a file, on a full disk."""
    try:
        yield
    except OSError as error:
        raise home.trouble(error) from error
