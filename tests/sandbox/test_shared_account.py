"""The kernel counts some things for an account. A program that takes all it can get of them in its box must leave other
boxes theirs: those of root have an account each, an ordinary user's share one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.processes import one_at_a_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sandbox.conftest import Arena

pytestmark = pytest.mark.every_place
HEAD = """
import ctypes, fcntl, json, mmap, os, select, signal, sys, threading
MANY = 100_000
libc = ctypes.CDLL(None, use_errno=True)
def count(take):
    for number in range(MANY):
        try:
            if take() is False:
                return number
        except (OSError, RuntimeError, ValueError):
            return number
    return MANY
"""
KINDS = {
    "queued signals": """
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
def take():
    return libc.sigqueue(os.getpid(), signal.SIGRTMIN, None) == 0
""",
    "threads": """
threading.stack_size(65536)
over = threading.Event()
def take():
    threading.Thread(target=over.wait, daemon=True).start()
""",
    "pipes of full size": """
def take():
    reading, writing = os.pipe()
    return fcntl.fcntl(reading, fcntl.F_GETPIPE_SZ) >= 65536
""",
    "watches of files": """
polls = [select.epoll() for _ in range(8)]
def take():
    file = os.dup(0)
    for poll in polls:
        poll.register(file, 0)
""",
    "locked memory": """
libc.mmap.restype = ctypes.c_void_p
MAP_LOCKED = 0x2000
def take():
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_LOCKED
    return libc.mmap(None, ctypes.c_size_t(mmap.PAGESIZE), mmap.PROT_READ, flags, -1, ctypes.c_long(0)) != 2**64 - 1
""",
}
"""How to take one more; False or an error where there is none left."""
TELL = """
print(json.dumps(count(take)), flush=True)
for _ in range(int(sys.argv[1])):
    sys.stdin.readline()
    print('kept', flush=True)
"""


@pytest.fixture(autouse=True)
def account_alone() -> Iterator[None]:
    """What one test takes of the account that boxes share, another one would miss.

    So does the build of many pipes in `test_attacks_on_builds`.
    """
    with one_at_a_time("account"):
        yield


@pytest.mark.parametrize("kind", KINDS)
def test_a_box_that_takes_all_it_can_get_leaves_another_one_as_much(kind: str, arena: Arena) -> None:
    code = HEAD + KINDS[kind] + TELL

    def taken() -> int:
        return int(json.loads(arena.run("/usr/bin/python3", "-I", "-c", code, "0").stdout))

    alone = taken()
    greedy = arena.hold("/usr/bin/python3", "-I", "-c", code, "1000")
    (answer,) = greedy.order("ask")["answers"]
    assert answer.startswith(f"{alone}\n"), "it has taken as much, and is still there"
    assert taken() == alone


MANY_PROCESSES = (
    HEAD
    + """
PROCESSES = 16
def take():
    os.pipe()
done, over = os.pipe()
child = any(os.fork() == 0 for _ in range(PROCESSES))
count(take)
if child:
    os.write(over, b"x")
    signal.pause()
for _ in range(PROCESSES):
    os.read(done, 1)
print("taken", flush=True)
while sys.stdin.readline():
    print("kept", flush=True)
"""
)
"""Takes far more pipes than an account may have of full size."""


def test_many_processes_with_many_pipes_leave_another_box_its_own(arena: Arena) -> None:
    """For an ordinary user the kernel makes the other's pipes smaller, but it gets as many."""

    def taken(least_bytes: int) -> int:
        take = KINDS["pipes of full size"].replace("65536", str(least_bytes))
        return int(json.loads(arena.python(HEAD + take + TELL.replace("sys.argv[1]", "0")).stdout))

    least_bytes = 65536 if arena.user == "root" else 4096
    alone = taken(least_bytes)
    greedy = arena.hold("/usr/bin/python3", "-I", "-c", MANY_PROCESSES, compiles=True)
    (answer,) = greedy.order("ask")["answers"]
    assert answer.startswith("taken\n"), "it is still there"
    assert alone > 100
    assert taken(least_bytes) == alone


def test_boxes_of_root_have_an_account_each_and_share_one_only_where_none_is_left(arena: Arena) -> None:
    arena.variables["LADDER_BOT_UID"] = "5151-5152"
    held = arena.held_by(arena.own_driver(), "cat", count=3)
    uids = {Path(f"/proc/{pid}").stat().st_uid for pid in held.pids}
    assert uids == ({5151, 5152} if arena.user == "root" else set(arena.kernel_uids))
