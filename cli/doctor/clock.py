"""Whether the clock can be fair here: whether the kernel shows how long a bot has computed, and waited for a core.

How this works. Two programs, in boxes as bots are, compute on one core for a moment. Each gets about half of it. If the
meter says the same, that computing and waiting together are all of the time, a bot is not blamed for its host. This is
a question to the kernel, so where no box can be made the same two programs, which are ours, run without one.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from cli.doctor.finding import Finding
from engine.errors import ArenaError
from engine.sandbox.bare import Bare
from engine.sandbox.box import Box, BoxedProcess, Sandbox
from engine.sandbox.usage.meter import OwnWaits

GROUP = "clock"
LOOK_S = 0.1
LEAST_WAIT_NS = 10_000_000
MOST_UNEXPLAINED_NS = 15_000_000
"""A wait is counted when it ends, so the one that we look into is missing: one slice or two."""
LOOP_ROUNDS = 1_000_000
TRIES = 3
COMPUTE = ("/bin/sh", "-c", "while :; do :; done")
REMEDY = "ladder up --workers 1  # and leave a core free: this kernel does not show how long programs wait for one"


@dataclass(frozen=True, slots=True)
class Sharing:
    """What the meter says of a program that shared its core with another one, in nanoseconds; and its time slices."""

    wall_ns: int
    cpu_ns: int
    wait_ns: int
    slices: int

    @property
    def adds_up(self) -> bool:
        """Say whether computing and waiting together are all of the time."""
        return self.wait_ns >= LEAST_WAIT_NS and abs(self.unexplained_ns) <= MOST_UNEXPLAINED_NS

    @property
    def unexplained_ns(self) -> int:
        """Return the time in which it neither computed nor waited, though it had nothing else to do."""
        return self.wall_ns - self.cpu_ns - self.wait_ns


def clock(sandbox: Sandbox | None) -> Iterator[Finding]:
    """Measure, and say whether the clock can be fair."""
    try:
        shared = share_a_core(sandbox or Bare())
    except ArenaError as fault:
        yield Finding(GROUP, "fair clock", ok=None, detail=f"not tried: {fault}")
        yield own_waits()
        return
    yield fair_clock(shared, "" if sandbox else "; tried without a sandbox")
    yield own_waits()
    yield neighbours()
    if shared.slices:
        slice_ms = shared.cpu_ns / shared.slices / 1e6
        detail = f"{slice_ms:.1f} ms: as long as that a program has its core before another one gets it"
        yield Finding(GROUP, "time slices", ok=True, detail=detail)


def fair_clock(shared: Sharing, aside: str) -> Finding:
    """Say whether what was measured adds up. `aside`: what else there is to say of how it was."""
    wall_ms, cpu_ms, wait_ms = (time_ns / 1e6 for time_ns in (shared.wall_ns, shared.cpu_ns, shared.wait_ns))
    verdict = (
        "a bot is not charged for a busy host" if shared.adds_up else "these do not add up: only wall time is sure"
    )
    measured = (
        f"of two programs on one core, in {wall_ms:.0f} ms, one computed {cpu_ms:.0f} and waited {wait_ms:.0f} ms"
    )
    return Finding(GROUP, "fair clock", ok=shared.adds_up, detail=f"{verdict}; {measured}{aside}", remedy=REMEDY)


def own_waits() -> Finding:
    """Check whether the kernel shows the referee's own waits, which are not held against bots either."""
    waits = OwnWaits()
    try:
        shown = waits.waited_ns() > 0
    finally:
        waits.close()
    detail = "are measured, and not charged to a bot" if shown else "are not shown by this kernel"
    return Finding(GROUP, "referee's waits", ok=shown, detail=detail, remedy=REMEDY)


def neighbours() -> Finding:
    """Say by how much the same work takes more CPU time while the other cores compute, as cores share hardware."""
    cores = sorted(os.sched_getaffinity(0))
    with ExitStack() as restoring:
        restoring.callback(os.sched_setaffinity, 0, cores)
        os.sched_setaffinity(0, cores[:1])
        ratios = sorted(dearer_beside(cores[1:]) for _ in range(TRIES))
    beside = "while the other cores computed" if len(cores) > 1 else "a moment later"
    detail = (
        f"{beside} the same loop took {ratios[0]:.2f} to {ratios[-1]:.2f} times its CPU time alone; so much of what a "
        "bot is charged may be its neighbours' doing, and no clock can tell it apart"
    )
    return Finding(GROUP, "shared hardware", ok=True, detail=detail)


def dearer_beside(cores: list[int]) -> float:
    """Return how many times as much CPU time a loop takes while a program computes on each of these cores."""
    alone_ns = loop_ns()
    with ExitStack() as running:
        for core in cores:
            busy = running.enter_context(subprocess.Popen(COMPUTE, stdin=subprocess.DEVNULL))
            running.callback(busy.kill)
            os.sched_setaffinity(busy.pid, {core})
        return loop_ns() / alone_ns


def loop_ns() -> int:
    """Return the CPU time of a loop that is always the same, the least of some."""
    times = []
    for _ in range(TRIES):
        began_ns = time.thread_time_ns()
        for _ in range(LOOP_ROUNDS):
            pass
        times.append(time.thread_time_ns() - began_ns)
    return min(times)


def share_a_core(sandbox: Sandbox) -> Sharing:
    """Let two programs compute on one core, and measure the first.

    Raises SandboxFault or MissingTool where they cannot be started.
    """
    allowed = os.sched_getaffinity(0)
    with ExitStack() as running:
        os.sched_setaffinity(0, {min(allowed)})
        running.callback(os.sched_setaffinity, 0, allowed)
        first, second = (started(sandbox, running) for _ in range(2))
        for process in (first, second):
            process.ready()
            process.release()
        os.sched_setaffinity(0, allowed)
        time.sleep(LOOK_S / 10)  # both have begun
        before = reading(first)
        time.sleep(LOOK_S)
        return Sharing(*(late - early for early, late in zip(before, reading(first), strict=True)))


def started(sandbox: Sandbox, running: ExitStack) -> BoxedProcess:
    """Start a program that computes until it is ended."""
    process = sandbox.start(Box(command=COMPUTE, folder=Path("/usr")))
    running.callback(process.kill)
    return process


def reading(process: BoxedProcess) -> tuple[int, int, int, int]:
    """Read all meters of a program at this moment."""
    return time.monotonic_ns(), process.meter.cpu_ns(), process.meter.waited_ns(), slices(process.pid)


def slices(pid: int) -> int:
    """Return how often a program has been given a core; 0 if the kernel does not say."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[2])
    except (OSError, IndexError):
        return 0
