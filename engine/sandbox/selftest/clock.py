"""Whether the clock can be fair here: whether the kernel shows how long a bot has computed, and waited for a core.

How this works. Two programs, in boxes as bots are, compute on one core for a moment. Each gets about half of it. If the
meter says the same, that computing and waiting together are all of the time, a bot is not blamed for its host. The
kernel counts a wait when it ends; so both readings are taken at moments at which the program runs, however long others
keep it from that. `ladder doctor` and workers judge by this.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from engine.errors import MachineBusy
from engine.sandbox.box import Box, BoxedProcess, Sandbox
from engine.sandbox.usage.budget import TOO_BUSY

LOOK_S = 0.1
STEP_S = 0.001
PATIENCE_S = 20.0
LEAST_WAIT_NS = 10_000_000
MOST_UNEXPLAINED_NS = 15_000_000
"""A slice or two, which a hypervisor may take at any time."""
LONGEST_READING_NS = 2_000_000
COMPUTE = ("/bin/sh", "-c", "while :; do :; done")
NOT_FAIR = "these do not add up: only what bots compute, and how long cores are idle, is sure"


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
    def words(self) -> str:
        """Say what was measured."""
        wall_ms, cpu_ms, wait_ms = (time_ns / 1e6 for time_ns in (self.wall_ns, self.cpu_ns, self.wait_ns))
        return (
            f"of two programs on one core, in {wall_ms:.0f} ms, one computed {cpu_ms:.0f} and waited {wait_ms:.0f} ms"
        )

    @property
    def unexplained_ns(self) -> int:
        """Return the time in which it neither computed nor waited, though it had nothing else to do."""
        return self.wall_ns - self.cpu_ns - self.wait_ns


def share_a_core(sandbox: Sandbox) -> Sharing:
    """Let two programs compute on one core, and measure the first.

    Raises SandboxFault or MissingTool where they cannot be started, MachineBusy where they get no core.
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
        before = reading_while_it_runs(first)
        time.sleep(LOOK_S)
        return Sharing(*(late - early for early, late in zip(before, reading_while_it_runs(first), strict=True)))


def started(sandbox: Sandbox, running: ExitStack) -> BoxedProcess:
    """Start a program that computes until it is ended."""
    process = sandbox.start(Box(command=COMPUTE, folder=Path("/usr")))
    running.callback(process.kill)
    return process


def reading_while_it_runs(process: BoxedProcess) -> tuple[int, int, int, int]:
    """Read all meters at a moment at which a program has just computed, and not while others kept us from reading on.

    Raises MachineBusy where there is no such moment.
    """
    deadline, before = time.monotonic() + PATIENCE_S, reading(process)
    while time.monotonic() < deadline:
        time.sleep(STEP_S)
        now = reading(process)
        if now[1] > before[1] and time.monotonic_ns() - now[0] < LONGEST_READING_NS:
            return now
        before = now
    raise MachineBusy(TOO_BUSY)


def reading(process: BoxedProcess) -> tuple[int, int, int, int]:
    """Read all meters of a program at this moment."""
    return time.monotonic_ns(), process.meter.cpu_ns(), process.meter.waited_ns(), slices(process.pid)


def slices(pid: int) -> int:
    """Return how often a program has been given a core; 0 if the kernel does not say."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[2])
    except (OSError, IndexError):
        return 0
