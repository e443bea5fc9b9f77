"""Reading from outside what a process uses."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from engine.sandbox.budget import held_bytes, tasks_of
from engine.sandbox.meter import MOST_KEPT, OwnWaits, ProcessMeter, filled_bytes, threads_of
from tests.fair import busy_programs
from tests.processes import finished, require_program

BURN = """
import time
end = time.process_time() + 0.3
while time.process_time() < end: pass
block = bytearray(64 << 20)
print("burnt", flush=True)
input()
"""


@contextmanager
def metered_burner() -> Iterator[ProcessMeter]:
    """Give the meter of a process that has computed for 300 ms, taken 64 MB and waits now."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", BURN], text=True, **pipes) as process:  # type: ignore[call-overload]
        meter = ProcessMeter(process.pid)
        assert process.stdout is not None
        process.stdout.readline()
        yield meter
        meter.close()
        process.kill()


def test_the_cpu_time_of_another_process_is_read_to_the_millisecond_and_memory_that_was_filled_counts() -> None:
    with metered_burner() as meter:
        first_ns = meter.cpu_ns()
        time.sleep(0.05)
        assert first_ns >= 300_000_000
        assert meter.cpu_ns() - first_ns < 50_000_000, "it waits now"
        assert meter.memory_bytes() >= 64 << 20


@pytest.mark.parametrize(
    "seen_bytes", [lambda pid: filled_bytes(tasks_of(pid)), held_bytes], ids=["of a bot", "of a build"]
)
def test_memory_is_seen_however_fast_its_threads_take_turns(seen_bytes: Callable[[int], int], tmp_path: Path) -> None:
    source, program = Path(__file__).with_name("chain_of_threads.c"), tmp_path / "chain"
    require_program("gcc")
    subprocess.run(["gcc", "-O1", "-pthread", "-o", program, source], check=True)
    with subprocess.Popen(program, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            least = min(seen_bytes(process.pid) for _ in range(1000))
        finally:
            process.kill()
    assert least >= 64 << 20
    assert seen_bytes(process.pid) == 0, "it is over"


def test_a_process_that_shares_its_core_is_seen_to_wait_for_it(one_core: int) -> None:
    with busy_programs(1, {one_core}), metered_burner() as meter:
        assert meter.waited_ns() > 10_000_000


def test_the_waits_of_all_threads_are_added_and_those_of_ended_threads_kept() -> None:
    meter = ProcessMeter(os.getpid())
    before_ns = meter.waited_ns()

    def compute() -> None:
        end = time.thread_time() + 0.05
        while time.thread_time() < end:
            pass

    threads = [threading.Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.02)
    meter.waited_ns()
    for thread in threads:
        thread.join()
    assert meter.waited_ns() >= before_ns
    meter.close()


def test_a_process_that_ended_keeps_its_last_numbers() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    meter = ProcessMeter(process.pid)
    time.sleep(0.05)
    cpu_ns, waited_ns = meter.cpu_ns(), meter.waited_ns()
    process.communicate(b"\n")
    assert meter.cpu_ns() == cpu_ns > 0
    assert meter.waited_ns() == waited_ns
    meter.close()
    meter.close()


TURNS_OF_THREADS = f"""
import threading, time
def compute():
    while True: pass
def again():
    while True: time.sleep(0.001)
for rest in [again] * {MOST_KEPT + 8}: threading.Thread(target=rest, daemon=True).start()
print("up", flush=True)
while input():
    thread = threading.Thread(target=time.sleep, args=[0.01])
    thread.start()
    thread.join()
    threading.Thread(target=compute, daemon=True).start()
    print("up", flush=True)
"""


def test_threads_are_found_to_stand_still_in_each_turn_however_many_there_are_and_whichever_have_come_and_gone() -> (
    None
):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", TURNS_OF_THREADS], text=True, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdin is not None
        assert process.stdout is not None
        meter = ProcessMeter(process.pid)
        try:
            for computing in range(3):
                process.stdout.readline()
                assert bool(list(islice(meter.on_their_way(), 3))), "it runs"
                process.send_signal(signal.SIGSTOP)
                for _ in meter.on_their_way():
                    time.sleep(0.001)
                stats = [Path(thread, "stat").read_text() for thread in threads_of(tasks_of(process.pid))]
                now = [stat.rpartition(") ")[2][0] for stat in stats]
                assert now == ["T"] * (1 + MOST_KEPT + 8 + computing)
                process.send_signal(signal.SIGCONT)
                process.stdin.write("on\n")
                process.stdin.flush()
        finally:
            process.kill()
            process.wait()
        assert list(meter.on_their_way()) == [], "it is over"
        meter.close()


WITHOUT_DESCRIPTORS = """
import os, resource, threading
from engine.errors import SandboxFault
from engine.sandbox.budget import held_bytes, tasks_of
from engine.sandbox.meter import OwnWaits, ProcessMeter, filled_bytes
meter = ProcessMeter(os.getpid())
meter.waited_ns()
threading.Thread(target=threading.Event().wait, daemon=True).start()
lowest_free = os.open("/dev/null", os.O_RDONLY)
os.close(lowest_free)
resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, lowest_free))
for read in (meter.waited_ns, meter.is_ready, OwnWaits, lambda: ProcessMeter(os.getpid())):
    try:
        print("read", read())
    except SandboxFault as fault:
        print(fault)
"""


def test_what_cannot_be_read_for_want_of_descriptors_is_a_fault_of_ours() -> None:
    """Or a bot would be charged for waits that we do not see."""
    lines = finished([sys.executable, "-c", WITHOUT_DESCRIPTORS]).stdout.splitlines()
    assert len(lines) == 4
    assert all(line.startswith("what a bot uses cannot be read: Too many open files") for line in lines), lines


def test_our_own_waits_grow_when_we_share_our_core(one_core: int) -> None:
    with busy_programs(1, {one_core}):
        own = OwnWaits()
        first_ns = own.waited_ns()
        end = time.thread_time() + 0.1
        while time.thread_time() < end:
            pass
        assert own.waited_ns() > first_ns
        own.close()
