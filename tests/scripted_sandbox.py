"""A sandbox without a box: its programs do what a script says, so that lines, clock and verdicts are tried alone.

How this works. A scripted program has real pipes, and a descriptor that becomes readable when it ends. Each time it is
let go the next step of its script happens, after the time that the step takes: it has computed and waited for as long
as the step says, and what it says is in its pipes. No process runs; real boxes are tried in tests/sandbox and
tests/engine.
"""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from engine.errors import StillRunning
from engine.sandbox.box import Box, BoxedProcess
from engine.sandbox.meter import Meter

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Step:
    """What a program does once it is let go.

    `cpu_ms`: what it computes, which takes as long; `slept_ms`: how long it sleeps; `waited_ms`: how long it is kept
    from its core; `exit_code`: it ends with that; `goes_on`: it cannot be stopped afterwards.
    """

    says: str = ""
    stderr: str = ""
    cpu_ms: float = 0
    slept_ms: float = 0
    waited_ms: float = 0
    memory_mb: int = 1
    exit_code: int | None = None
    goes_on: bool = False


class ScriptedMeter:
    """What a scripted program has used. See engine.sandbox.meter.Meter."""

    def __init__(self) -> None:
        self.cpu = 0
        self.waited = 0
        self.ready = False
        self.memory = MEGABYTE

    def cpu_ns(self) -> int:
        return self.cpu

    def waited_ns(self) -> int:
        return self.waited

    def waits_ns(self) -> Mapping[str, int]:
        return {"1": self.waited}

    def is_ready(self) -> bool:
        return self.ready

    def memory_bytes(self) -> int:
        return self.memory

    def close(self) -> None:
        pass


class ScriptedProcess:
    """A program that follows its script. See engine.sandbox.box.BoxedProcess."""

    def __init__(self, script: Sequence[Step]) -> None:
        self._steps = iter(script)
        self._step = Step()
        self._exit_code: int | None = None
        self.heard_end, self.stdin = os.pipe()
        self.stdout, self._says = os.pipe()
        self.stderr, self._complains = os.pipe()
        self.pidfd, self._end = os.pipe()
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)
        self.pid = os.getpid()
        self.scripted = ScriptedMeter()
        self.meter: Meter = self.scripted
        self.is_stopped = True
        self._running: Timer | None = None
        self._closed = False

    def ready(self) -> None:
        pass

    def release(self) -> None:
        self.thaw()

    def thaw(self) -> None:
        self.is_stopped = False
        self._step = step = next(self._steps, Step())
        took_ms = step.cpu_ms + step.slept_ms + step.waited_ms
        self.scripted.ready = step.waited_ms > 0
        if took_ms:
            self._running = Timer(took_ms / 1000, self._do, [step, time.monotonic()])
            self._running.start()
        else:
            self._do(step, time.monotonic())

    def _do(self, step: Step, began: float) -> None:
        self.scripted.cpu += int(1_000_000 * step.cpu_ms)
        if step.waited_ms:
            took_ms = 1000 * (time.monotonic() - began)  # of a busy machine all that is too long is waiting, too
            self.scripted.waited += int(1_000_000 * (took_ms - step.cpu_ms - step.slept_ms))
        self.scripted.ready = False
        self.scripted.memory = step.memory_mb * MEGABYTE
        os.write(self._complains, step.stderr.encode())
        os.write(self._says, step.says.encode())
        if step.exit_code is not None:
            self._exit_code = step.exit_code
            os.write(self._end, b"\n")

    def freeze(self) -> None:
        if self._step.goes_on:
            raise StillRunning("it computed on after its answer")
        self.is_stopped = True

    def kill(self) -> None:
        if not self._closed:
            self._closed = True
            if self._running:
                self._running.join()
            ours = (self.heard_end, self.stdin, self.stdout, self._says, self.stderr, self._complains)
            for descriptor in (*ours, self.pidfd, self._end):
                os.close(descriptor)

    def exit_code(self) -> int | None:
        return self._exit_code

    def files_made(self) -> int:
        return 0

    def ran_out_of_memory(self) -> bool:
        return False

    def heard(self) -> str:
        """Return what was written to its stdin since the last look."""
        os.set_blocking(self.heard_end, False)
        try:
            return os.read(self.heard_end, 65_536).decode()
        except BlockingIOError:
            return ""


class ScriptedSandbox:
    """Starts programs that follow a script. See engine.sandbox.box.Sandbox."""

    name: str = "scripted"

    def __init__(self, *script: Step) -> None:
        self.script = script
        self.started: list[ScriptedProcess] = []

    def probe(self) -> None:
        pass

    def start(self, box: Box) -> BoxedProcess:
        assert box.folder.is_absolute()
        process = ScriptedProcess(self.script)
        self.started.append(process)
        return process


A_BOX = Box(("/bot/bot",), Path("/nowhere"))
