"""Boxes are started by a thread of their own: whoever is interrupted meanwhile stays what he was, and leaves no box."""

import ctypes
import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from engine.sandbox.box import Box
from engine.sandbox.choice import open_sandbox
from engine.sandbox.starter import start_by_starter
from tests.patience import patience_s
from tests.processes import finished
from tests.sandbox.conftest import tiers
from tests.sources import CHECKOUT

PR_SET_PDEATHSIG, PR_GET_PDEATHSIG = 1, 2
INTERRUPTED = """
import random, signal, sys, time
from contextlib import suppress
from pathlib import Path
from engine.sandbox.choice import open_sandbox
from engine.sandbox.box import Box

def told():
    lines = Path("/proc/thread-self/status").read_text().splitlines()
    account = [line for line in lines if line.startswith(("Uid", "Gid", "Groups", "CapEff"))]
    return account, Path("/proc/thread-self/cgroup").read_text()

def interrupt(*_):
    raise KeyboardInterrupt

sandbox, chance = open_sandbox(sys.argv[1]), random.Random(1)
before, interrupted = told(), 0
signal.signal(signal.SIGALRM, interrupt)
for _ in range(30):
    try:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.0001, 0.006))
        process = sandbox.start(Box(command=("true",), folder=Path("/usr")))
        signal.setitimer(signal.ITIMER_REAL, 0)
        process.kill()
    except KeyboardInterrupt:
        interrupted += 1
    assert told() == before
assert interrupted
print("itself")
"""


@pytest.mark.parametrize("tier", tiers())
def test_a_process_interrupted_at_any_moment_of_a_start_has_its_own_account_and_cgroups(tier: str) -> None:
    done = finished([sys.executable, "-c", INTERRUPTED, tier], env={**os.environ, "PYTHONPATH": str(CHECKOUT)})
    assert (done.stdout, done.stderr) == ("itself\n", "")


def test_a_start_whose_caller_is_gone_is_ended_when_it_has_begun() -> None:
    begins, ended = threading.Event(), threading.Event()

    class Slow:
        def kill(self) -> None:
            ended.set()

    def start() -> Slow:
        begins.set()
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGALRM)
        return Slow()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            start_by_starter(start)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert begins.is_set()
    assert ended.wait(timeout=patience_s())


def test_a_process_that_ends_with_its_parent_still_does_after_a_start() -> None:
    libc, asked = ctypes.CDLL(None), ctypes.c_int()

    def start() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        open_sandbox().start(Box(command=("true",), folder=Path("/usr"))).kill()
        libc.prctl(PR_GET_PDEATHSIG, ctypes.byref(asked), 0, 0, 0)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert asked.value == signal.SIGKILL


def test_a_box_runs_on_the_cores_of_who_started_it() -> None:
    allowed = os.sched_getaffinity(0)
    for core in allowed:
        os.sched_setaffinity(0, {core})
        try:
            process = open_sandbox().start(Box(command=("cat",), folder=Path("/usr")))
            process.ready()
            assert os.sched_getaffinity(process.pid) == {core}
            process.kill()
        finally:
            os.sched_setaffinity(0, allowed)
