"""Work in several processes: what comes of it, in which order, and that they end with those who began them."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from engine.errors import ArenaError
from engine.parallel import in_processes
from tests.patience import patience_s

AT_WORK = """
import os, sys, time
from engine.parallel import in_processes

def work(task):
    os.write(1, b"x")
    time.sleep(0.2)

list(in_processes(work, range(10_000), 2))
"""


def slow_if_even(task: int) -> tuple[int, bytes]:
    time.sleep(0.02 * (task % 2 == 0))
    return task, bytes(100_000)


def refuse_seven(task: int) -> int:
    if task == 7:
        raise ArenaError("not seven")
    return task


def be_killed(task: int) -> int:
    if task == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def children() -> list[psutil.Process]:
    return psutil.Process().children()


@pytest.mark.parametrize("jobs", [1, 2, 5, 50])
def test_results_come_in_the_order_of_the_tasks(jobs: int) -> None:
    before = children()
    assert [task for task, _ in in_processes(slow_if_even, range(20), jobs)] == list(range(20))
    assert children() == before


def test_no_tasks_are_no_work() -> None:
    assert list(in_processes(refuse_seven, [], 4)) == []


def test_a_caller_that_needs_no_more_leaves_no_process_behind() -> None:
    before = children()
    with closing(in_processes(time.sleep, [0, *[600] * 9], 3)) as results:
        next(results)
        assert len(children()) == len(before) + 3
    assert children() == before


def test_what_the_work_raises_is_raised_where_its_result_is_waited_for() -> None:
    with pytest.raises(ArenaError, match="not seven"):
        list(in_processes(refuse_seven, range(20), 2))


def test_a_process_that_is_killed_is_no_endless_wait() -> None:
    before = children()
    with pytest.raises(ArenaError, match="was killed, perhaps because memory was short"):
        list(in_processes(be_killed, range(20), 2))
    assert children() == before


def test_processes_end_when_the_one_that_began_them_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", AT_WORK], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    ) as beginner:
        assert beginner.stdout is not None
        assert beginner.stdout.read(2) == b"xx", "both are at work"
        workers = psutil.Process(beginner.pid).children()
        beginner.kill()
        beginner.stdout.read()  # to the end, which comes when nobody can write any more
    assert len(workers) == 2
    assert psutil.wait_procs(workers, timeout=patience_s())[1] == []
