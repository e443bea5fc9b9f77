"""Boxes that go wrong while they are built: a fault of ours, told once, with nothing left behind."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.errors import SandboxFault
from engine.sandbox.bare import Bare
from engine.sandbox.box import Box
from engine.sandbox.bubblewrap import Bubblewrap
from engine.sandbox.cgroups import KINDS_FOR_ONE, CgroupMaker, V1Group
from engine.sandbox.watchdog_program import bears
from tests.patience import wait_until
from tests.processes import finished

if TYPE_CHECKING:
    from tests.sandbox.conftest import Arena

FEWER_AND_FEWER = """
import os, resource, sys
from pathlib import Path
from engine.errors import SandboxFault
from engine.sandbox.choice import TIERS
from engine.sandbox.box import Box

sandbox, box = TIERS[sys.argv[1]](), Box(("true",), Path("/usr"))
sandbox.start(box).kill()
before = os.listdir("/proc/self/fd")
resource.setrlimit(resource.RLIMIT_NOFILE, (60, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

def taken_but(free):
    taken = []
    try:
        while True:
            taken.append(os.dup(0))
    except OSError:
        for descriptor in taken[:free]:
            os.close(descriptor)
    return taken[free:]

def begin_and_end(free_to_start, free_to_be_ready):
    taken = taken_but(free_to_start)
    try:
        process = sandbox.start(box)
        taken += taken_but(free_to_be_ready)
        try:
            process.ready()
        finally:
            process.kill()
    except SandboxFault as fault:
        print(fault)
    finally:
        for descriptor in taken:
            os.close(descriptor)
    assert os.listdir("/proc/self/fd") == before

for free in range(17):
    begin_and_end(free, free)
for free in range(5):
    begin_and_end(30, free)
"""
PROBE = """
import resource, sys
from engine.errors import LimitsTooLow
from engine.sandbox.choice import TIERS
most = resource.getrlimit(resource.RLIMIT_NPROC)[1]
resource.setrlimit(resource.RLIMIT_NPROC, (100, 100 if sys.argv[2] == "hard" else most))
try:
    TIERS[sys.argv[1]]().probe()
    print("works")
except LimitsTooLow as fault:
    print(fault)
"""


def bearing(mark: str) -> list[int]:
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
    wait_until(lambda: not bearing(process._mark), "the end of all of the box", 0.01)


def test_the_message_about_a_failed_mount_quotes_bubblewrap() -> None:
    process = Bubblewrap().start(Box(("true",), Path("/usr"), extra_paths=(Path("/usr/nowhere-at-all"),)))
    with pytest.raises(SandboxFault, match="nowhere-at-all: No such file"):
        process.ready()
    assert bearing(process._mark) == []


@pytest.mark.parametrize(
    ("tier", "words"),
    [
        ("bubblewrap", {"bubblewrap could not be started", "the box could not be made ready"}),
        ("none", {"the program could not be started"}),
    ],
)
def test_the_message_says_that_descriptors_ran_out_and_nothing_is_left_behind(tier: str, words: set[str]) -> None:
    """Whatever they run out for: a pipe, the filter, a hold on the program, a look at what else there is."""
    done = finished([sys.executable, "-c", FEWER_AND_FEWER, tier])
    assert (done.returncode, done.stderr) == (0, "")
    told = set(done.stdout.splitlines())
    assert all("Too many open files" in fault for fault in told), told
    assert {fault.partition(":")[0] for fault in told} >= words


def test_a_program_without_a_box_that_does_not_start_leaves_no_folder(public_folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(public_folder))
        with pytest.raises(SandboxFault):
            Bare().start(Box(("true",), Path("/usr/nowhere-at-all"), writable=True))
    assert list(public_folder.iterdir()) == []


def test_the_message_about_too_low_a_limit_on_processes_names_its_option() -> None:
    """Bots of different matches would take threads from each other. Without boxes nothing limits threads.

    A limit that we may raise ourselves is raised.
    """
    tried = (("bubblewrap", "hard"), ("none", "hard"), ("bubblewrap", "soft"))
    answer, *others = (finished([sys.executable, "-c", PROBE, *words]).stdout for words in tried)
    assert "limit on processes is too low" in answer
    assert "ulimit -H -u" in answer
    assert "namespaces" not in answer
    assert others == ["works\n", "works\n"]


def test_advice_on_namespaces_comes_with_what_bubblewrap_says(public_folder: Path) -> None:
    refused = public_folder / "bwrap"
    refused.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
    refused.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{public_folder}:{os.environ['PATH']}")
        with pytest.raises(SandboxFault, match=r"No permissions .*kernel\.unprivileged_userns_clone"):
            Bubblewrap().probe()


def test_advice_on_namespaces_comes_with_nothing_else(public_folder: Path) -> None:
    with pytest.raises(SandboxFault) as told:
        Bubblewrap(cgroups=CgroupMaker(V1Group, dict.fromkeys(KINDS_FOR_ONE, public_folder / "nowhere"))).probe()
    assert "a cgroup cannot be used" in str(told.value)
    assert "namespaces" not in str(told.value)


def test_of_a_cgroup_that_cannot_be_made_whole_nothing_stays(arena: Arena) -> None:
    """The kernel takes no negative number of processes, when the group is there already."""
    held = arena.hold("cat")
    with pytest.raises(SandboxFault) if arena.has_cgroup else suppress(SandboxFault):
        held.driver.order("run", command=["true"], folder="/usr", tier=arena.tier, limits={"threads": -9})
    groups = {name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names if held.mark in name}
    assert len(groups) == arena.has_cgroup
