"""A process that hangs in a task ends soon after its lease, and no other does."""

import multiprocessing
import signal

import pytest

from tests.patience import patience_s
from workers import worker_process
from workers.app import app


def hang() -> None:
    """Never come back, as a referee with a bug may."""
    worker_process.let_alarms_end_us()
    worker_process.SPARE_S = 0
    with worker_process.ended_with(1):
        while True:
            pass


def test_a_process_that_hangs_is_ended_when_its_lease_is_over() -> None:
    process = multiprocessing.get_context("fork").Process(target=hang)
    process.start()
    process.join(patience_s())
    assert process.exitcode == -signal.SIGALRM


def test_after_the_task_nothing_ends_the_process_any_more() -> None:
    def fail() -> None:
        with worker_process.ended_with(1):
            raise ValueError("a referee with a bug")

    with pytest.raises(ValueError, match="a bug"):
        fail()
    with worker_process.ended_with(1):
        pass
    assert signal.alarm(0) == 0


def test_no_setting_of_the_queue_ends_a_match_or_build_before_its_lease() -> None:
    app.loader.import_default_modules()
    endless = {name for name, task in app.tasks.items() if name.startswith("ladder.") and task.time_limit is None}
    assert app.conf.task_time_limit is None
    assert endless == {"ladder.play", "ladder.build"}
