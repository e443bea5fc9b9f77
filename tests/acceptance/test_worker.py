"""One more worker by hand: it says when it is ready and when it ends, in its own words alone."""

from __future__ import annotations

import signal
import subprocess

from tests.acceptance.conftest import LADDER, PATIENCE_S, Desk


def test_a_worker_says_that_it_is_ready_and_that_it_ends_and_nothing_else(arena: Desk) -> None:
    """Also as root, about which Celery would warn. Ctrl-C is how it is ended, and no failure."""
    worker = subprocess.Popen(
        [LADDER, "worker", "--concurrency", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=arena.full_environment(),
    )
    assert worker.stderr is not None
    first = worker.stderr.readline()
    worker.send_signal(signal.SIGINT)
    stdout, stderr = worker.communicate(timeout=PATIENCE_S)
    assert first == "ladder: the worker is ready and plays up to 2 matches at a time; Ctrl-C ends it\n"
    assert stderr.splitlines() == [
        "ladder: the worker ends when its matches are over; Ctrl-C again ends it at once, and they are played again",
        "ladder: the worker has ended",
    ]
    assert stdout == ""
    assert worker.returncode == 0
