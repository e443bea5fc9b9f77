"""Boxes that go wrong while they are built: a fault of ours, told once, with nothing left behind."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.errors import SandboxFault
from engine.sandbox.box import Box
from engine.sandbox.bubblewrap import Bubblewrap
from engine.sandbox.watchman import bears

if TYPE_CHECKING:
    from tests.sandbox.conftest import Arena


def bearing(mark: str) -> list[int]:
    """Return the processes with that mark."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    return [pid for pid in pids if bears(pid, mark)]


@pytest.mark.parametrize("delay_ms", [0, 1, 2, 3, 4, 5, 6, 8])
def test_a_monitor_that_ends_too_early_leaves_no_half_of_a_box_behind(delay_ms: int) -> None:
    """Its other half may wait for it, for ever, bound to nobody yet. Some moments later the box may be ready."""
    process = Bubblewrap().start(Box(("true",), Path("/usr")))
    time.sleep(delay_ms / 1000)
    process._monitor.kill()
    with suppress(SandboxFault):
        process.ready()
    process.kill()
    deadline = time.monotonic() + 30
    while bearing(process._mark):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_folder_that_is_not_there_is_told_with_its_name() -> None:
    process = Bubblewrap().start(Box(("true",), Path("/usr/nowhere-at-all")))
    with pytest.raises(SandboxFault, match="nowhere-at-all"):
        process.ready()
    assert bearing(process._mark) == []


def test_of_a_cgroup_that_cannot_be_made_whole_nothing_stays(arena: Arena) -> None:
    """The kernel takes no negative number of processes, when the group is there already."""
    held = arena.hold("cat")
    with pytest.raises(SandboxFault):
        held.driver.order("run", command=["true"], folder="/usr", tier=arena.tier, limits={"threads": -9})
    groups = {name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names if held.mark in name}
    assert len(groups) == arena.has_cgroup
