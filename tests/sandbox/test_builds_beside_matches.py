"""A build beside a match: what its processes and their timers cost is never charged to the bots of a match.

Each runs under a worker of its own (a driver). They share the locks by which workers hold cores, and no more cores than
a test says.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

from engine.sandbox.watchdog import WATCHDOG
from tests.patience import wait_until
from tests.sandbox.conftest import ORDINARY_UID
from tests.sandbox.test_attacks import ATTACKS, MOST_DISTURBED, Played, costs_of_rounds

if TYPE_CHECKING:
    from tests.sandbox.conftest import Arena, Driver

CORES = sorted(os.sched_getaffinity(0))
PROCESSES = 50
"""A build may have 64."""
ROUNDS = 2
WORKER = (ATTACKS / "worker.c").read_text().replace("WORK_MS = 25", "WORK_MS = 10")

TIMERS_BUILD = """
cat > /tmp/timers.c <<END
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static void go_on(int number) { (void)number; }
int main(void)
{
    struct itimerval often = {{0, 200}, {0, 200}};
    for (int i = 1; i < PROCESSES && fork() != 0; i++)
        ;
    signal(SIGALRM, go_on);
    setitimer(ITIMER_REAL, &often, NULL);
    for (;;)
        pause();
}
END
gcc -o /tmp/timers /tmp/timers.c && exec /tmp/timers
""".replace("PROCESSES", str(PROCESSES))
"""A source whose compiler starts many processes; a timer goes off in each of them every 0.2 ms."""
BRIEF_BUILD = "sleep 0.5\necho 'echo hello' > /out/bot\n"


@pytest.fixture
def workers(arena: Arena) -> Callable[[list[int]], Driver]:
    if arena.user == "user" and os.geteuid() == 0:
        os.chown(arena.folder, ORDINARY_UID, ORDINARY_UID)
    arena.variables["LADDER_CACHE"] = str(arena.folder / "shared")

    def worker(cores: list[int]) -> Driver:
        with only_on(cores):
            return arena.own_driver()

    return worker


@contextmanager
def only_on(cores: list[int]) -> Iterator[None]:
    """Use no other cores in the block; what is started there never does."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def boxed(driver: Driver) -> dict[int, set[int]]:
    """Return the processes that a worker has in boxes now, with the cores on which each may run."""
    found: dict[int, set[int]] = {}
    for pid in started_by(driver.process.pid):
        with suppress(OSError):
            found[pid] = os.sched_getaffinity(pid)
    return found


def started_by(pid: int) -> Iterator[int]:
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                if WATCHDOG.name.encode() not in Path(f"/proc/{child}/cmdline").read_bytes():
                    yield int(child)
                    yield from started_by(int(child))


def play(driver: Driver, arena: Arena, token: str) -> Played:
    seats = [{"source": WORKER, "language": "c"}] * 2
    return Played(**driver.order("match", tier=arena.tier, seats=seats, token=token))


@contextmanager
def building(driver: Driver, arena: Arena, token: str) -> Iterator[int]:
    """Let a worker build the source with the timers until the end of the block; give the core that it is built on."""
    request: dict[str, Any] = {"source": TIMERS_BUILD, "language": "patient", "token": token, "tier": arena.tier}
    driver.send({"order": "build", **request})
    wait_until(lambda: len(boxed(driver)) > PROCESSES)
    before = boxed(driver)
    try:
        cores = set.union(*before.values())
        assert len(cores) == 1
        yield min(cores)
        now = boxed(driver)
        assert {pid: now.get(pid) for pid in before} == before, "it was there all the time, and never left its core"
    finally:
        for pid in boxed(driver):
            with suppress(OSError):
                if Path(f"/proc/{pid}/comm").read_text() == "timers\n":
                    os.kill(pid, signal.SIGKILL)
        assert driver.report()["refused"]
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in before))


@pytest.mark.parametrize("cores", [CORES[:2]] if len(CORES) > 1 else [])
def test_timers_of_a_build_go_off_on_a_core_that_no_match_uses_and_cost_its_bots_nothing(
    cores: list[int], arena: Arena, workers: Callable[[list[int]], Driver], token: str
) -> None:
    player, builder = workers(cores), workers(cores)

    def costs_alone() -> list[float]:
        return costs(play(player, arena, token))

    def costs_beside_the_build() -> list[float]:
        with building(builder, arena, token) as core, ThreadPoolExecutor(1) as thread:
            match = thread.submit(play, player, arena, token)
            used: set[int] = set()
            while not match.done():
                used.update(*boxed(player).values())
                time.sleep(0.02)
            assert used == set(cores) - {core}
        return costs(match.result())

    costs_alone()  # and build the bots
    ratios: list[float] = []
    for _ in range(ROUNDS):
        alone_us, beside_us = costs_alone(), costs_beside_the_build()
        ratios += [beside / alone for alone, beside in zip(alone_us, beside_us, strict=True)]
    assert median(ratios) < MOST_DISTURBED


def costs(result: Played) -> list[float]:
    assert (result.verdicts, result.left) == (["ok", "ok"], [])
    return costs_of_rounds(result, 0) + costs_of_rounds(result, 1)


def test_where_there_is_one_core_a_build_and_a_match_take_turns(
    arena: Arena, workers: Callable[[list[int]], Driver], token: str
) -> None:
    player, builder = workers(CORES[:1]), workers(CORES[:1])
    play(player, arena, token)
    request = {"source": BRIEF_BUILD, "language": "patient", "token": token, "tier": arena.tier}
    builder.order("build", **{**request, "source": "echo 'echo warm' > /out/bot\n"})
    with ThreadPoolExecutor(2) as threads:
        build = threads.submit(builder.order, "build", **request)
        wait_until(lambda: bool(boxed(builder)))
        match = threads.submit(play, player, arena, token)
        at_once = False
        while not (build.done() and match.done()):
            at_once = at_once or bool(boxed(player) and boxed(builder))  # in this order: the build comes first
            time.sleep(0.005)
    assert not at_once
    assert build.result()["refused"] == ""
    assert match.result().verdicts == ["ok", "ok"]
