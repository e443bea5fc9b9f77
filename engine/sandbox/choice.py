"""The choice between the tiers: one by its name, or the strongest that works here and keeps what is demanded.

A bot started this way has its limits (but none on threads, which would count all of the account's), an empty
environment and a session of its own. Nothing keeps it from reading files, using the network or starting processes that
stay. The tier is never chosen by itself, and results say that it was used.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from engine.boxes import AUTO, BOT_FOLDER, BUBBLEWRAP, CGROUP, NESTED, NONE, OUT_FOLDER, bot_uid
from engine.errors import ArenaError, HostBusy, MissingTool, SandboxFault, UnknownName, plain_words
from engine.sandbox.box import Box, Pipes, Sandbox, read_now, readable
from engine.sandbox.bubblewrap import Bubblewrap
from engine.sandbox.cgroups import find_cgroups
from engine.sandbox.guarantees import Demand, demand_of, require
from engine.sandbox.rlimits import require_within_ours, set_limits
from engine.sandbox.selftest.examine import examine
from engine.sandbox.starter import require_powers
from engine.sandbox.usage.budget import await_soon
from engine.sandbox.usage.meter import Meter, ProcessMeter
from engine.sandbox.usage.standstill import await_standstill

SETPRIV = "/usr/bin/setpriv"
PATIENCE_S = 10.0
READY = OPEN = b"\n"
GATE = ("/bin/sh", "-c", 'echo && read -r _ && exec "$@"', "sh")
"""A shell in the place of the program: an empty line from it says ready, one to it lets the program begin. At the end
of stdin instead, which is when we have died, it ends."""


class Bare:
    """Programs as they are, with limits."""

    name: str = NONE

    def probe(self) -> None:
        """Make sure that the helper is there. Raises MissingTool, and NoBotUser where root lacks what it takes."""
        if shutil.which(SETPRIV) is None:
            raise MissingTool(f"{SETPRIV} is not there; on Debian and Ubuntu: sudo apt install util-linux")
        if bot_uid() is not None:
            require_powers()

    def start(self, box: Box) -> BareProcess:
        """Start the program at its gate. Raises SandboxFault where it cannot be started."""
        self.probe()
        require_within_ours(box.limits)
        uid = bot_uid()
        dropped = [] if uid is None else [f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        launcher = [SETPRIV, "--pdeathsig", "KILL", "--no-new-privs", *dropped, "--"]
        try:
            with contextlib.ExitStack() as handing_over, contextlib.ExitStack() as giving_up:
                out = Path(tempfile.mkdtemp(prefix="ladder-out-")) if box.writable else None
                if out:
                    giving_up.callback(shutil.rmtree, out, ignore_errors=True)
                    _give_to_the_bot(out)
                pipes = Pipes()
                handing_over.callback(pipes.hand_over)
                giving_up.callback(pipes.close)
                for end in pipes.far:
                    _give_to_the_bot(end)
                stdin, stdout, stderr, _ = pipes.far
                process = subprocess.Popen(
                    [*launcher, *GATE, *_outside(box, out)],
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                    cwd=box.folder,
                    env={"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": str(box.folder), **box.environment},
                )
                giving_up.callback(process.wait)
                giving_up.callback(process.kill)
                begun = BareProcess(process, os.pidfd_open(process.pid), pipes, box, out)
                giving_up.pop_all()
        except (OSError, ValueError) as error:
            raise SandboxFault(f"the program could not be started: {plain_words(error)}") from error
        return begun


class BareProcess:
    """A program without a box. See `BoxedProcess`."""

    meter: Meter
    _one: ProcessMeter

    def __init__(self, process: subprocess.Popen[bytes], pidfd: int, pipes: Pipes, box: Box, out: Path | None) -> None:
        self._process = process
        self._limits = box.limits
        self._out = out
        self._pipes = pipes
        self.stdin, self.stdout, self.stderr, _ = pipes.near
        self.pid = process.pid
        self.pidfd = pidfd
        self._closed = False

    def ready(self) -> None:
        """Wait until the program waits at its gate. Raises SandboxFault where it does not."""
        await_soon(
            lambda timeout_s: readable(timeout_s, self.stdout, self.pidfd),
            self.pid,
            "the program was not started in time",
        )
        if read_now(self.stdout, 1) != READY:
            words = read_now(self.stderr).decode(errors="replace").strip()
            self.kill()
            raise SandboxFault(f"the program was not started: {words or 'it said nothing'}")
        set_limits(self.pid, self._limits, limit_threads=False)
        self.meter = self._one = ProcessMeter(self.pid)

    def release(self) -> None:
        """Let the program start. What is written to its stdin before stays there for it."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.stdin, OPEN)

    def freeze(self) -> None:
        """Stop the program and what it started, as far as that stayed in its process group. Raises StillRunning."""
        self._signal(signal.SIGSTOP)
        await_standstill(self._one)

    def thaw(self) -> None:
        """Let the program go on."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """End the program and what stayed in its process group, reap it and close the descriptors."""
        if self._closed:
            return
        self._closed = True
        self._signal(signal.SIGKILL)
        self._process.wait()
        self._pipes.close()
        os.close(self.pidfd)
        if self._out:
            shutil.rmtree(self._out, ignore_errors=True)
        with contextlib.suppress(AttributeError):
            self.meter.close()
        self.stdin = self.stdout = self.stderr = self.pidfd = -1

    def exit_code(self) -> int | None:
        """Return how it ended (negative: killed by that signal), or None while it runs."""
        return self._process.poll()

    def files_made(self) -> int:
        """They are not counted: they are on a disk, not in memory."""
        return 0

    def ran_out_of_memory(self) -> bool:
        return False

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


def _give_to_the_bot(path: Path | int) -> None:
    """Let the program write to its folder, and open its own pipes by name, as /dev/stdin, though root has made them."""
    uid = bot_uid()
    if uid is not None:
        os.chown(path, uid, uid)


def _outside(box: Box, out: Path | None) -> tuple[str, ...]:
    places = {BOT_FOLDER: str(box.folder), OUT_FOLDER: str(out or box.folder)}
    return tuple(_replaced(word, places) for word in box.command)


def _replaced(word: str, places: dict[str, str]) -> str:
    for inside, outside in places.items():
        if word == inside or word.startswith(f"{inside}/"):
            return outside + word[len(inside) :]
    return word


VARIABLE = "LADDER_SANDBOX"
"""Which tier to use: one by its name, or `auto`, the default: the strongest that works here."""

CONTAINING: Mapping[str, Callable[[], Sandbox]] = {
    CGROUP: lambda: Bubblewrap(CGROUP, cgroups=find_cgroups()),
    BUBBLEWRAP: Bubblewrap,
    NESTED: lambda: Bubblewrap(NESTED, nested=True),
}
TIERS: Mapping[str, Callable[[], Sandbox]] = {**CONTAINING, NONE: Bare}


def open_sandbox(name: str | None = None) -> Sandbox:
    """Return a sandbox of that tier; without a name of the one that LADDER_SANDBOX names; `auto` is the strongest here.

    A tier that is named only has to work; for `auto` the guarantees that LADDER_GUARANTEES demands have to hold too.
    Raises UnknownName, MissingTool or SandboxFault where the machine does not offer it, Refused where guarantees fail.
    """
    wanted = name or os.environ.get(VARIABLE) or AUTO
    if wanted == AUTO:
        return strongest(demand_of())
    if wanted not in TIERS:
        raise UnknownName.of("sandbox", wanted, [AUTO, *TIERS])
    sandbox = TIERS[wanted]()
    sandbox.probe()
    return sandbox


@cache
def strongest(demand: Demand) -> Sandbox:
    """Return the strongest tier that works here and keeps what is demanded, found once per process.

    Raises what kept the default tier from it, MachineBusy where a stronger one could not be tried.
    """
    faults: dict[str, ArenaError] = {}
    for tier in CONTAINING:
        try:
            sandbox = open_sandbox(tier)
            require(tier, examine(sandbox), demand)
        except HostBusy:
            raise  # nothing is known of this tier, so a weaker one is not to take its place
        except ArenaError as fault:
            faults[tier] = fault
        else:
            return sandbox
    raise faults.get(BUBBLEWRAP) or SandboxFault("no sandbox works here")


def offered() -> dict[str, ArenaError | None]:
    """Try every tier that contains; return for each why it does not work here, or None where it does."""
    found: dict[str, ArenaError | None] = {}
    for tier in CONTAINING:
        try:
            open_sandbox(tier)
        except ArenaError as fault:
            found[tier] = fault
        else:
            found[tier] = None
    return found
