"""Whose fault it is that a program does not stand still, on real cores: its own, or the host's."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.errors import HostBusy, StillRunning
from engine.sandbox import standstill
from engine.sandbox.meter import ProcessMeter
from engine.sandbox.standstill import CoreTime, Standstill, await_standstill, idle_ns
from tests.fair import busy_programs
from tests.patience import patience_s, wait_until
from tests.processes import number_of, state_of
from tests.sandbox.conftest import Arena
from tests.sandbox.slow_disk import SlowDisk

BUSY_PROGRAMS = 3
PATIENCE_S = 0.5
WAITS_WHERE_NO_SIGNAL_REACHES = """
import ctypes, threading, time
libc = ctypes.CDLL(None)
def wait():
    if libc.syscall(VFORK) == 0:
        libc.sleep(600)
threading.Thread(target=wait, daemon=True).start()
print("begun", flush=True)
time.sleep(600)
"""


READS = """
import os, sys, threading
file = os.open(sys.argv[1], os.O_RDONLY)
threading.Thread(target=os.pread, args=(file, 1, 0), daemon=True).start()
for line in sys.stdin:
    print("answer", flush=True)
"""


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standstill, "PATIENCE_S", PATIENCE_S)


def look_until_somebody_is_blamed(*, is_ready: bool) -> None:
    meter: Any = SimpleNamespace(cpu_ns=lambda: 0, is_ready=lambda: is_ready)
    wait = Standstill(meter)
    while True:
        wait.require_soon()
        time.sleep(0.005)


def test_beside_busy_programs_one_that_is_ready_and_does_not_stop_is_the_hosts_fault_and_one_that_waits_is_its_own(
    one_core: int,
) -> None:
    with busy_programs(BUSY_PROGRAMS, {one_core}):
        with pytest.raises(HostBusy, match="without a CPU to stop on"):
            look_until_somebody_is_blamed(is_ready=True)
        with pytest.raises(StillRunning, match="cheated the clock: did not stop within"):
            look_until_somebody_is_blamed(is_ready=False)


def test_a_thread_that_sleeps_where_no_signal_reaches_it_is_its_programs_own_fault() -> None:
    """As one that waits for a disk does. Here it waits for a child that it has started by `vfork`."""
    code = WAITS_WHERE_NO_SIGNAL_REACHES.replace("VFORK", str(number_of("vfork")))
    command = ["/usr/bin/python3", "-I", "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as one:
        try:
            assert one.stdout is not None
            assert one.stdout.readline() == b"begun\n"
            tasks = Path(f"/proc/{one.pid}/task")
            wait_until(lambda: any(state_of(int(task.name)) == "D" for task in tasks.iterdir()), "the wait", 0.001)
            meter = ProcessMeter(one.pid)
            one.send_signal(signal.SIGSTOP)
            with pytest.raises(StillRunning, match="cheated the clock"):
                await_standstill(meter)
            meter.close()
        finally:
            os.killpg(one.pid, signal.SIGKILL)


@pytest.fixture
def disk(arena: Arena) -> Iterator[SlowDisk]:
    folder = arena.folder / "disk"
    folder.mkdir()
    try:
        slow = SlowDisk(folder)
    except OSError as error:
        pytest.skip(f"file systems cannot be mounted here by FUSE: {error.strerror}")
    yield slow
    slow.end()


def test_a_bot_that_does_not_stop_as_it_waits_for_a_disk_is_to_blame_not_the_host(arena: Arena, disk: SlowDisk) -> None:
    arena.variables["STANDSTILL_PATIENCE_S"] = str(PATIENCE_S)
    reads = ("/usr/bin/python3", "-I", "-c", READS, str(disk.folder / "file"))
    held = arena.held_by(arena.own_driver(), *reads, extra_paths=[str(disk.folder)])
    assert held.order("ask") == {"answers": ["answer\n"]}
    assert disk.is_read.wait(patience_s())
    with pytest.raises(StillRunning, match="cheated the clock: did not stop"):
        held.order("freeze")


def test_others_have_had_the_core_while_busy_programs_run_on_it_and_we_sleep(one_core: int) -> None:
    with busy_programs(BUSY_PROGRAMS, {one_core}):
        time.sleep(0.1)
        since = CoreTime()
        time.sleep(PATIENCE_S)
        assert since.others_ns(0) > 1e9 * PATIENCE_S / 2
        assert since.idle_ns() < 1e9 * PATIENCE_S / 2


def test_what_we_and_a_program_have_computed_is_not_the_others_doing(one_core: int) -> None:
    began_ns = time.monotonic_ns()
    since, ours_ns = CoreTime(), time.thread_time_ns()
    while (own_ns := time.thread_time_ns() - ours_ns) < 200_000_000:
        pass
    with_us, with_it = since.others_ns(0), since.others_ns(time.monotonic_ns() - began_ns - own_ns)
    assert with_it <= with_us <= time.monotonic_ns() - began_ns - 200_000_000


def test_a_machine_that_does_not_report_idle_cores_is_taken_to_be_busy(tmp_path: object) -> None:
    assert idle_ns({0}, f"{tmp_path}/nothing") == (0, 0)
