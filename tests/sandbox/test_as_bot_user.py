"""The thread that starts a box gives up root for what it starts, and for nobody else."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine.boxes import bot_uid
from engine.sandbox.starter import as_bot_user
from tests.processes import finished
from tests.sources import CHECKOUT

NO_SUCH_ACCOUNT = """
import os
from engine.errors import NoBotUser
from engine.sandbox.starter import as_bot_user
try:
    with as_bot_user():
        print("got it")
except NoBotUser as fault:
    print(fault, os.getresuid())
"""


def words_without_an_account(*prefix: str) -> str:
    own = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    return finished([*prefix, sys.executable, "-c", NO_SUCH_ACCOUNT], env=own).stdout


def numbers_in(status: str, name: str) -> list[int]:
    return [int(number) for number in status.partition(f"\n{name}:")[2].splitlines()[0].split()]


def uids_of(thread: int) -> list[int]:
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


def test_an_account_that_cannot_be_had_is_said_with_what_to_do_and_changes_nothing() -> None:
    said = words_without_an_account("unshare", "--user", "--map-root-user")
    assert said.startswith("root cannot be given up here for the bots' account, 65432: ")
    assert "LADDER_BOT_UID" in said
    assert said.endswith("(0, 0, 0)\n")


def test_root_without_the_power_to_end_bots_starts_none() -> None:
    """It is said before anything runs that nobody could stop."""
    rootlike = ("unshare", "--user", "--map-root-user", "setpriv", "--bounding-set=-kill", "--inh-caps=-kill")
    said = words_without_an_account(*rootlike)
    assert said.startswith("root may not run bots under an account of their own here, as it lacks CAP_KILL: add it")
    assert "setpriv --reuid" in said
