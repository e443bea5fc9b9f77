"""No sandbox at all: the tier `none`, for people's own bots on machines where no box can be built.

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
from pathlib import Path

from engine.boxes import BOT_FOLDER, NONE, OUT_FOLDER, bot_uid
from engine.errors import MissingTool, SandboxFault, plain_words
from engine.sandbox.box import Box, Pipes, read_now
from engine.sandbox.budget import await_readable
from engine.sandbox.meter import Meter, ProcessMeter
from engine.sandbox.standstill import await_standstill
from engine.sandbox.starter import require_powers, require_within_ours, set_limits

SETPRIV = "/usr/bin/setpriv"
READY = OPEN = b"\n"
GATE = ("/bin/sh", "-c", 'echo && read -r _ && exec "$@"', "sh")
"""A shell in the place of the program: an empty line from it says ready, one to it lets the program begin. At the end
of stdin instead, which is when we have died, it ends."""


class Bare:
    name: str = NONE

    def probe(self) -> None:
        """Raises MissingTool without the helper, and NoBotUser where root lacks what it takes."""
        if shutil.which(SETPRIV) is None:
            raise MissingTool(f"{SETPRIV} is not there; on Debian and Ubuntu: sudo apt install util-linux")
        if bot_uid() is not None:
            require_powers()

    def start(self, box: Box) -> BareProcess:
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
                    [*launcher, *GATE, *(_outside(word, box, out) for word in box.command)],
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
        self._process, self._pipes, self._out = process, pipes, out
        self._limits = box.limits
        self.stdin, self.stdout, self.stderr, _ = pipes.near
        self.pid, self.pidfd = process.pid, pidfd
        self._closed = False

    def ready(self) -> None:
        await_readable(self.pid, "the program was not started in time", self.stdout, self.pidfd)
        if read_now(self.stdout, 1) != READY:
            words = read_now(self.stderr).decode(errors="replace").strip()
            self.kill()
            raise SandboxFault(f"the program was not started: {words or 'it said nothing'}")
        set_limits(self.pid, self._limits, limit_threads=False)
        self.meter = self._one = ProcessMeter(self.pid)

    def release(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self.stdin, OPEN)

    def freeze(self) -> None:
        """Also what it started, as far as that stayed in its process group. Raises StillRunning."""
        self._signal(signal.SIGSTOP)
        await_standstill(self._one)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
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
    if (uid := bot_uid()) is not None:
        os.chown(path, uid, uid)


def _outside(word: str, box: Box, out: Path | None) -> str:
    """Return a word of the command, which may be a path in the box, as it is outside."""
    for inside, outside in {BOT_FOLDER: str(box.folder), OUT_FOLDER: str(out or box.folder)}.items():
        if word == inside or word.startswith(f"{inside}/"):
            return outside + word[len(inside) :]
    return word
