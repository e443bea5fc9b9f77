"""Behind the gate a program waits with nothing of it begun, its limits set, until it is let go, or never begins."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine.sandbox.box import Box, BoxedProcess, read_now, readable
from engine.sandbox.bubblewrap import Gate
from engine.sandbox.choice import open_sandbox
from tests.patience import patience_s
from tests.processes import finished
from tests.sandbox.conftest import tiers
from tests.sources import CHECKOUT

HERE = tiers()
PRINT_LIMITS = """
import sys
from pathlib import Path
from engine.sandbox.choice import open_sandbox
from engine.boxes import Limits
from engine.sandbox.box import Box
from engine.sandbox.run_to_end import run_to_end

limits = Limits(memory_mb=100, open_files=77, file_size_mb=3)
command = ("sh", "-c", "ulimit -n; ulimit -d; ulimit -f; ulimit -c; ulimit -S -s; ulimit -H -s")
box = Box(command=command, folder=Path("/usr"), limits=limits)
print(run_to_end(open_sandbox(sys.argv[1]), box, wall_limit_s=10, output_kb=1).stdout.decode())
"""


def waiting(tier: str, *command: str) -> BoxedProcess:
    process = open_sandbox(tier).start(Box(command=command, folder=Path("/usr")))
    process.ready()
    return process


@pytest.mark.parametrize("tier", HERE)
def test_nothing_of_a_program_happens_before_it_is_let_go(tier: str) -> None:
    process = waiting(tier, "echo", "begun")
    try:
        assert not readable(0.2, process.stdout, process.pidfd)
        process.release()
        assert readable(10, process.stdout)
        assert read_now(process.stdout) == b"begun\n"
    finally:
        process.kill()


@pytest.mark.parametrize("tier", HERE)
def test_what_was_written_before_a_program_began_is_there_for_it(tier: str) -> None:
    process = waiting(tier, "head", "-n", "2")
    try:
        process.release()
        os.write(process.stdin, b"first\nsecond\n")
        assert readable(10, process.pidfd)
        assert read_now(process.stdout) == b"first\nsecond\n"
    finally:
        process.kill()


@pytest.mark.parametrize("tier", HERE)
def test_root_with_only_the_powers_that_containers_leave_it_can_set_limits(tier: str) -> None:
    """Docker takes CAP_SYS_RESOURCE from it. (To an ordinary user all is as ever.)"""
    as_in_docker = ("setpriv", "--bounding-set=-sys_resource", "--inh-caps=-sys_resource") if os.getuid() == 0 else ()
    command = [*as_in_docker, sys.executable, "-c", PRINT_LIMITS, tier]
    done = finished(command, env={**os.environ, "PYTHONPATH": str(CHECKOUT)})
    assert done.stdout.split() == ["77", "102400", "6144", "0", "8192", "65536"], done.stderr


@pytest.mark.parametrize("length", [8, 4094, 4095, 4096, 4097, 5112, 8190, 8191, 8192, 8193, 32_768])
def test_a_filter_of_any_length_arrives_whole_and_not_before_the_gate_is_open(length: int) -> None:
    filter_of_calls = bytes(number % 251 for number in range(length))
    gate = Gate(filter_of_calls)
    reader = os.dup(gate.far)
    gate.hand_over()
    builder, its_end = os.pipe()
    arrived = bytearray()
    opened = threading.Event()

    def read() -> None:
        while chunk := os.read(reader, 4096):
            arrived.extend(chunk)
            assert opened.is_set() or len(arrived) < length

    thread = threading.Thread(target=read)
    try:
        assert not gate.is_decided(builder, 0.01)
        thread.start()
        assert gate.is_decided(builder, patience_s())
        assert gate.is_reached
        opened.set()
        gate.open()
        thread.join(patience_s())
        assert bytes(arrived) == filter_of_calls
    finally:
        gate.close()
        for end in (reader, builder, its_end):
            os.close(end)


def test_a_closed_gate_lets_no_program_begin() -> None:
    """bwrap refuses a filter that is cut off in the middle of an instruction, and starts nothing without one."""
    gate = Gate(b"\x06\0\0\0\0\0\xff\x7f" * 600)  # "allow" again and again: any whole part of it would do as a filter
    command = ["bwrap", "--ro-bind", "/", "/", "--unshare-all", "--seccomp", str(gate.far), "--", "echo", "begun"]
    process = subprocess.Popen(command, pass_fds=[gate.far], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    gate.hand_over()
    pidfd = os.pidfd_open(process.pid)
    try:
        assert gate.is_decided(pidfd, patience_s())
        assert gate.is_reached
        gate.close()
        said, complaint = process.communicate(timeout=patience_s())
        assert (said, process.returncode) == (b"", 1)
        assert b"multiple of 8" in complaint
    finally:
        os.close(pidfd)
        process.kill()
