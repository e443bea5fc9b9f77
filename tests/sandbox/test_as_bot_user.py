"""The thread that starts a box gives up root for what it starts, and for nobody else."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from pathlib import Path
from signal import SIGKILL

import pytest

from engine.sandbox.as_bot_user import PR_GET_PDEATHSIG, PR_SET_PDEATHSIG, as_bot_user
from engine.sandbox.bot_user import bot_uid

LIBC = ctypes.CDLL(None)
CHECKOUT = Path(__file__).parents[2]
ORPHAN = f"""
import ctypes, os, time
from engine.sandbox.as_bot_user import as_bot_user
parent, read, write = os.getpid(), *os.pipe()
if os.fork():
    os.read(read, 1)
    os._exit(0)
ctypes.CDLL(None).prctl({PR_SET_PDEATHSIG}, {int(SIGKILL)}, 0, 0, 0)
with as_bot_user():
    print("began", flush=True)
    os.write(write, b"x")
    while os.getppid() == parent:
        time.sleep(0.001)
print("survived", flush=True)
"""
NO_SUCH_ACCOUNT = """
import os
from engine.errors import SandboxFault
from engine.sandbox.as_bot_user import as_bot_user
try:
    with as_bot_user():
        print("got it")
except SandboxFault as fault:
    print(fault, os.getresuid())
"""


def python(script: str, *prefix: str) -> subprocess.CompletedProcess[str]:
    """Run a script."""
    return subprocess.run(
        [*prefix, sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    )


def numbers_in(status: str, name: str) -> list[int]:
    """Return the numbers that a `status` of the kernel tells under this name."""
    return [int(number) for number in status.partition(f"\n{name}:")[2].splitlines()[0].split()]


def uids_of(thread: int) -> list[int]:
    """Return the uids that the kernel knows of one of our threads: real, effective, saved, of files."""
    return numbers_in(Path(f"/proc/self/task/{thread}/status").read_text(), "Uid")


def test_what_is_started_is_the_bots_for_good() -> None:
    """It has root not even as its saved uid, no group of ours, and no capability."""
    with as_bot_user():
        status = subprocess.run(["cat", "/proc/self/status"], capture_output=True, text=True, check=True).stdout
    uid, own = bot_uid(), Path("/proc/self/status").read_text()
    for name in ("Uid", "Gid"):
        assert numbers_in(status, name) == (numbers_in(own, name) if uid is None else [uid] * 4)
    assert numbers_in(status, "Groups") == (numbers_in(own, "Groups") if uid is None else [])
    assert "\nCapPrm:\t0000000000000000\n" in status


def test_only_the_thread_that_starts_something_changes() -> None:
    before = uids_of(os.getpid())
    seen: list[list[int]] = []

    def start() -> None:
        with as_bot_user():
            seen.append(uids_of(threading.get_native_id()))
            seen.append(uids_of(os.getpid()))
        seen.append(uids_of(threading.get_native_id()))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    uid = bot_uid()
    assert seen == [before if uid is None else [uid, uid, 0, uid], before, before]


def test_the_thread_is_itself_again_whatever_happens() -> None:
    before = (os.getresuid(), os.getresgid(), os.getgroups(), uids_of(threading.get_native_id()))
    with pytest.raises(KeyboardInterrupt), as_bot_user():
        raise KeyboardInterrupt
    assert (os.getresuid(), os.getresgid(), os.getgroups(), uids_of(threading.get_native_id())) == before


def test_who_ends_with_its_parent_still_does_afterwards() -> None:
    asked = ctypes.c_int()

    def start() -> None:
        LIBC.prctl(PR_SET_PDEATHSIG, int(SIGKILL), 0, 0, 0)
        with as_bot_user():
            pass
        LIBC.prctl(PR_GET_PDEATHSIG, ctypes.byref(asked), 0, 0, 0)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert asked.value == SIGKILL


def test_who_ends_with_its_parent_ends_though_that_ended_in_the_same_moment() -> None:
    assert python(ORPHAN).stdout == "began\n"


def test_an_account_that_cannot_be_had_is_said_with_what_to_do_and_changes_nothing() -> None:
    said = python(NO_SUCH_ACCOUNT, "unshare", "--user", "--map-root-user").stdout
    assert said.startswith("root cannot be given up for the bots' account, 65432: ")
    assert "LADDER_BOT_UID" in said
    assert said.endswith("(0, 0, 0)\n")
