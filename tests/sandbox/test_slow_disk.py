"""A bot that waits for a disk which does not answer: that is its own fault, and no match is void for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from engine.errors import StillRunning
from tests.patience import patience_s
from tests.sandbox.slow_disk import SlowDisk

if TYPE_CHECKING:
    from tests.sandbox.conftest import Arena

READS = """
import os, sys, threading
file = os.open(sys.argv[1], os.O_RDONLY)
threading.Thread(target=os.pread, args=(file, 1, 0), daemon=True).start()
for line in sys.stdin:
    print("answer", flush=True)
"""


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
    arena.variables["STANDSTILL_PATIENCE_S"] = "0.5"
    reads = ("/usr/bin/python3", "-I", "-c", READS, str(disk.folder / "file"))
    held = arena.held_by(arena.own_driver(), *reads, extra_paths=[str(disk.folder)])
    assert held.order("ask") == {"answers": ["answer\n"]}
    assert disk.is_read.wait(patience_s())
    with pytest.raises(StillRunning, match="cheated the clock: did not stop"):
        held.order("freeze")
