"""Workers that die without a word, killed with SIGKILL: what they had begun goes with them, whenever that was."""

from __future__ import annotations

import os
import re
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.patience import wait_until
from tests.processes import state_of

if TYPE_CHECKING:
    from tests.sandbox.conftest import Arena

SPIN = "import signal\nfor n in signal.valid_signals() - {9, 19}: signal.signal(n, signal.SIG_IGN)\nwhile True: pass"
FORKING_SPIN = f"import os\nos.fork()\nos.setsid() if os.getpid() != 1 else None\n{SPIN}"
HALF_BUILT = """#!/usr/bin/python3 -IS
import os, sys
words = sys.argv[1:]
if "{token}" in words:
    pipe, nowhere = os.open("{pipe}", os.O_RDWR), os.open("/dev/null", os.O_WRONLY)
    words.remove("--disable-userns") if "--disable-userns" in words else None  # bwrap does not take both
    words = ["--userns-block-fd", str(pipe), "--info-fd", str(nowhere), *words]
    os.set_inheritable(pipe, True)
    os.set_inheritable(nowhere, True)
os.execv("{bwrap}", ["bwrap", *words])
"""
"""A bwrap that, for the box with the token, starts the process which becomes the bot, and then waits for ever for word
that this process's account has been set up."""


def bearing(*words: str) -> list[str]:
    """Return the processes that have one of these words in their command line or environment, and such cgroups."""
    found: list[str] = []
    wanted = re.compile("|".join(words).encode())
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            for file in ("cmdline", "environ"):
                with suppress(OSError):
                    if wanted.search((folder / file).read_bytes()):
                        found.append(folder.name)
    groups = [name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names]
    return found + [name for name in groups if wanted.search(name.encode())]


def is_gone(*words: str) -> bool:
    return not bearing(*words)


def wait_until_gone(*words: str) -> None:
    wait_until(lambda: is_gone(*words), every_s=0.1)


def test_at_whatever_moment_a_worker_is_killed_nothing_of_its_bots_stays(arena: Arena, token: str) -> None:
    """The watchdogs, who look for what is left, go last; what appeared after them would stay for ever."""
    code = FORKING_SPIN if arena.has_cgroup else SPIN
    box = {"command": ["/usr/bin/python3", "-I", "-c", code], "folder": str(arena.folder), "forks": arena.has_cgroup}
    killed = arena.order("kill workers", environment={"ATTACK": token}, **box)
    wait_until_gone(*killed["marks"])
    assert is_gone(token)
    assert len(killed["marks"]) > killed["workers"] // 2


def test_running_and_frozen_bots_go_with_their_worker(arena: Arena, token: str) -> None:
    driver, command = arena.own_driver(), ("/usr/bin/python3", "-I", "-c", SPIN)
    frozen = arena.held_by(driver, *command, count=2, environment={"ATTACK": token})
    frozen.order("freeze")
    wait_until(lambda: {state_of(pid) for pid in frozen.pids} == {"T"})
    running = arena.held_by(driver, *command, count=2, environment={"ATTACK": token})
    wait_until(lambda: len(bearing(token)) >= 8)
    assert "T" not in {state_of(pid) for pid in running.pids}
    driver.kill()
    wait_until_gone(token, frozen.mark)


@pytest.mark.parametrize("monitor_stopped", [False, True])
def test_a_half_built_box_goes_with_its_worker(arena: Arena, token: str, monitor_stopped: bool) -> None:
    """Its process is not bound to anybody yet, and waits for a monitor that is dead: only the watchdog ends it."""
    pipe, bwrap = arena.folder / "pipe", arena.folder / "bwrap"
    os.mkfifo(pipe)
    pipe.chmod(0o666)
    bwrap.write_text(HALF_BUILT.format(token=token, pipe=pipe, bwrap=shutil.which("bwrap")))
    bwrap.chmod(0o755)
    arena.variables["PATH"] = f"{arena.folder}:{os.environ['PATH']}"
    driver = arena.own_driver()
    box = {"command": ["true"], "folder": str(arena.folder), "environment": {token: ""}}
    driver.send({"order": "hold", "tier": arena.tier, "count": 1, **box})
    wait_until(lambda: len(bearing(token)) == 2)
    monitor, half_built = sorted(int(pid) for pid in bearing(token))
    mark = mark_of(monitor)
    if monitor_stopped:
        os.kill(monitor, signal.SIGSTOP)
        wait_until(lambda: state_of(monitor) == "T")
    assert Path(f"/proc/{half_built}/stat").exists()
    driver.kill()
    wait_until_gone(mark)
    assert is_gone(token)


def mark_of(pid: int) -> str:
    words = Path(f"/proc/{pid}/cmdline").read_text().replace("/", "\0").split("\0")
    return next(word for word in words if word.startswith("ladder-") and not word.startswith("ladder-test"))


@pytest.mark.parametrize("forgets", [False, True])
def test_a_worker_that_ends_well_takes_its_watchman_and_bots_along(arena: Arena, token: str, forgets: bool) -> None:
    held = arena.held_by(arena.own_driver(), "cat", environment={"ATTACK": token})
    assert forgets or held.order("kill") == {"exit_codes": [-signal.SIGKILL]}
    assert bearing(token if forgets else held.mark) != []
    held.driver.leave()
    assert is_gone(held.mark, token)
