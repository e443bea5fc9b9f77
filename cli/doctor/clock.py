"""Whether the clock can be fair here: whether the kernel shows how long a bot has computed, and waited for a core.

What is measured, and how it is judged, is in `engine.sandbox.guarantees`. This is a question to the kernel, so
where no box can be made the same two programs, which are ours, run without one.

The attacks on the clock: a bot in its box is asked twice, as in a match. Its second answer comes when it has computed
for ten times its limit, or slept for longer than any match bears, or never; meanwhile it does what could look like
waiting for a busy host. A clock that holds calls it late. Each bot spends that time whatever else runs here, so a busy
host alone lets none of them be in time; where it is so busy that the bot is not blamed, nothing is known.
"""

import os
import subprocess
import time
import timeit
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

from cli.doctor.machine import Finding
from engine.bot.conditions import OFFICIAL
from engine.bot.process import RunningBot
from engine.conversation import Ask
from engine.cores import core_for_a_match
from engine.errors import ArenaError, HostBusy, SandboxFault
from engine.sandbox.bare import Bare
from engine.sandbox.box import Box, Sandbox
from engine.sandbox.guarantees import COMPUTE, NOT_FAIR, share_a_core
from engine.sandbox.meter import OwnWaits

FIRST_LIMIT_MS, LIMIT_MS = 5000, 50
TRIALS = 3
ATTACKS = {
    "sleep behind threads that end": """
for _ in range(1000):
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    time.sleep(0.003)
""",
    "stderr one byte at a time": """
while time.process_time() < 0.5:
    os.write(2, b".")
""",
    "threads that feign to wait for each other": """
def wait_with_the_others():
    while True:
        now = time.monotonic()
        time.sleep(0.01 - now % 0.01)
for _ in range(40):
    threading.Thread(target=wait_with_the_others, daemon=True).start()
time.sleep(600)
""",
}
"""What each bot does before its second answer, in Python."""
BOT = """
import os, threading, time
input()
print("ready", flush=True)
input()
{attack}
print("late", flush=True)
time.sleep(600)
"""


def clock_attacks(sandbox: Sandbox | None) -> Iterator[Finding]:
    for name, attack in ATTACKS.items():
        untried = Finding(GROUP, name, ok=None, detail="not tried: no sandbox")
        yield try_attack(name, attack, sandbox) if sandbox else untried


def try_attack(name: str, attack: str, sandbox: Sandbox) -> Finding:
    try:
        if any(is_charged(attack, sandbox) for _ in range(TRIALS)):
            return Finding(GROUP, name, ok=True, detail="is charged to the bot that tries it")
    except HostBusy as fault:
        return Finding(GROUP, name, ok=None, detail=f"nothing is known of it: {fault}")
    except ArenaError as fault:
        return Finding(GROUP, name, ok=None, detail=f"not tried: {fault}")
    report = (
        "LADDER_SANDBOX=bubblewrap ladder doctor --all  # whether another tier holds; and please report this kernel"
    )
    return Finding(GROUP, name, ok=False, detail="lets a bot think far beyond its limit unseen", remedy=report)


def is_charged(attack: str, sandbox: Sandbox) -> bool:
    """Ask a bot twice and say whether its second answer loses. Raises HostBusy, SandboxFault where it is unknown."""
    code = BOT.format(attack=attack)
    box = Box(command=("python3", "-I", "-S", "-c", code), folder=Path("/usr"), limits=OFFICIAL.limits)
    with core_for_a_match(), RunningBot(sandbox, box, OFFICIAL) as bot:
        first = bot.ask(Ask(0, ("begin",), FIRST_LIMIT_MS))
        if first.fault:
            raise SandboxFault(f"no bot in Python starts here: {first.fault.message}")
        return bot.ask(Ask(0, ("go on",), LIMIT_MS)).fault is not None


GROUP = "clock"
TRIES = 3
REMEDY = "ladder up --workers 1  # and leave a core free: this kernel does not show how long programs wait for one"


def clock(sandbox: Sandbox | None) -> Iterator[Finding]:
    try:
        shared = share_a_core(sandbox or Bare())
    except ArenaError as fault:
        yield Finding(GROUP, "fair clock", ok=None, detail=f"not tried: {fault}")
        yield own_waits()
        return
    detail = f"{'a bot is not charged for a busy host' if shared.adds_up else NOT_FAIR}; {shared.words}"
    aside = "" if sandbox else "; tried without a sandbox"
    yield Finding(GROUP, "fair clock", shared.adds_up, f"{detail}{aside}", REMEDY)
    yield own_waits()
    yield neighbours()
    if shared.slices:
        slice_ms = shared.cpu_ns / shared.slices / 1e6
        detail = f"{slice_ms:.1f} ms: as long as that a program has its core before another one gets it"
        yield Finding(GROUP, "time slices", ok=True, detail=detail)


def own_waits() -> Finding:
    with closing(OwnWaits()) as waits:
        are_shown = waits.waited_ns() > 0
    detail = "are measured, and not charged to a bot" if are_shown else "are not shown by this kernel"
    return Finding(GROUP, "referee's waits", ok=are_shown, detail=detail, remedy=REMEDY)


def neighbours() -> Finding:
    """Say by how much the same work takes more CPU time while the other cores compute, as cores share hardware."""
    cores = sorted(os.sched_getaffinity(0))
    with ExitStack() as restoring:
        restoring.callback(os.sched_setaffinity, 0, cores)
        os.sched_setaffinity(0, cores[:1])
        ratios = sorted(dearer_beside(cores[1:]) for _ in range(TRIES))
    beside = "while the other cores computed" if len(cores) > 1 else "a moment later"
    times = f"{beside} the same loop took {ratios[0]:.2f} to {ratios[-1]:.2f} times its CPU time alone"
    means = "so much of what a bot is charged may be its neighbours' doing, and no clock can tell it apart"
    return Finding(GROUP, "shared hardware", ok=True, detail=f"{times}; {means}")


def dearer_beside(cores: list[int]) -> float:
    """Return how many times as much CPU time a loop takes while a program computes on each of these cores."""
    alone_ns = loop_ns()
    with ExitStack() as running:
        for core in cores:
            busy = running.enter_context(subprocess.Popen(COMPUTE, stdin=subprocess.DEVNULL))
            running.callback(busy.kill)
            os.sched_setaffinity(busy.pid, {core})
        return loop_ns() / alone_ns


def loop_ns() -> float:
    return min(timeit.repeat(number=1_000_000, repeat=TRIES, timer=time.thread_time_ns))
