"""Running programs in the real sandbox from a parent that is root, and from one that is an ordinary user."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from engine import errors
from engine.sandbox.run_to_end import Finished

CHECKOUT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("driver.py")
HANG_S = 60


@dataclass
class Held:
    """A parent process with running bots."""

    parent: subprocess.Popen[str]
    pids: list[int] = field(default_factory=list[int])

    def order(self, word: str) -> dict[str, Any]:
        """Give the parent an order and return its report."""
        assert self.parent.stdin is not None
        self.parent.stdin.write(f"{word}\n")
        self.parent.stdin.flush()
        return self.report()

    def report(self) -> dict[str, Any]:
        """Return the parent's next report; its errors are raised here."""
        assert self.parent.stdout is not None
        return checked(json.loads(self.parent.stdout.readline()))


@dataclass
class Arena:
    """Where the tests run programs. `drop`: the parent of the bots becomes an ordinary user first."""

    drop: bool
    folder: Path
    held: list[Held] = field(default_factory=list[Held])
    variables: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def kernel_uid(self) -> int:
        """The uid that bots have outside of their box."""
        if self.drop:
            return 4242
        return 65432 if os.geteuid() == 0 else os.geteuid()

    def run(self, *command: str, times: int = 1, **request: Any) -> Finished:
        """Run a program to its end; `times` over, to see that nothing is left open."""
        parent = self._start(command, {"times": times, **request})
        report = checked(json.loads(parent.communicate(timeout=HANG_S)[0]))
        assert report["descriptors_left"] == 0
        finished = report["finished"]
        finished["stdout"], finished["stderr"] = (finished[name].encode("latin-1") for name in ("stdout", "stderr"))
        return Finished(**finished)

    def python(self, code: str, **request: Any) -> Finished:
        """Run Python code in the box."""
        return self.run("/usr/bin/python3", "-I", "-c", code, **request)

    def hold(self, *command: str, count: int = 1, **request: Any) -> Held:
        """Start programs and leave them running."""
        held = Held(self._start(command, {"count": count, **request}))
        self.held.append(held)
        held.pids = held.report()["pids"]
        return held

    @staticmethod
    def monitor(pid: int) -> int:
        """Return the pid of the process that watches over the bot `pid`."""
        status = Path(f"/proc/{pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:")))

    def _start(self, command: Sequence[str], request: Mapping[str, Any]) -> subprocess.Popen[str]:
        defaults: dict[str, Any] = {
            "folder": str(self.folder),
            "writable": None,
            "extra_paths": [],
            "environment": {},
            "limits": {},
            "stdin": "",
            "wall_limit_s": 30,
            "output_kb": 64,
            "times": 1,
            "count": 0,
        }
        parent = subprocess.Popen(
            [sys.executable, str(DRIVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
            start_new_session=True,
            env={**os.environ, **self.variables, "PYTHONPATH": str(CHECKOUT), "SECRET_OF_THE_PARENT": "xyzzy"},
        )
        assert parent.stdin is not None
        parent.stdin.write(json.dumps({**defaults, **request, "drop": self.drop, "command": command}) + "\n")
        parent.stdin.flush()
        return parent


def checked(report: dict[str, Any]) -> dict[str, Any]:
    """Raise the error that a report tells of."""
    if "error" in report:
        raise getattr(errors, report["error"])(report["message"])
    return report


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that everybody on this machine can reach, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="ladder-test-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(params=["as root", "as ordinary user"] if os.geteuid() == 0 else ["as ordinary user"])
def arena(request: pytest.FixtureRequest, public_folder: Path) -> Iterator[Arena]:
    """The sandbox, used by root and by an ordinary user."""
    arena = Arena(drop=request.param == "as ordinary user" and os.geteuid() == 0, folder=public_folder)
    yield arena
    for held in arena.held:
        held.parent.kill()
        held.parent.communicate()


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], bool]:
    """Wait for a condition; the time limit is only for hangs."""

    def wait(condition: Callable[[], bool]) -> bool:
        deadline = time.monotonic() + HANG_S
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        return True

    return wait
