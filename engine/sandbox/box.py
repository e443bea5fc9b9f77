"""What a sandbox is asked to run, and what it gives back. Every backend offers exactly this."""

from __future__ import annotations

import os
import select
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Protocol

from engine.boxes import Limits
from engine.immutable import immutable
from engine.sandbox.meter import Meter


@immutable
class Box:
    """A program and the little world it sees. `folder`: shown read-only as `/bot`, the working folder. `writable`:
    there are `/out` and `/tmp`, empty and in memory, which end with the box; else no program can write anywhere.
    `extra_paths`: further host folders, read-only at the same place; `beside`: others, each at that place in the box.
    `environment`: all besides PATH, HOME and LANG; nothing of the parent's gets in. `compiles`: it may do all that
    compilers do, start processes too. `forks`: it may start processes where a cgroup can hold them. `shared_memory`: it
    may have some, which RLIMIT_DATA does not count.
    """

    command: tuple[str, ...]
    folder: Path
    limits: Limits = field(default_factory=Limits)
    writable: bool = False
    extra_paths: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    compiles: bool = False
    forks: bool = False
    shared_memory: bool = False
    beside: Mapping[str, Path] = field(default_factory=dict[str, Path])


class BoxedProcess(Protocol):
    """A program in its box, first waiting at the gate, then running, frozen or over. The three descriptors are the
    parent's ends of its pipes, non-blocking. `pid`, `pidfd` and `meter` are there once it is ready.
    """

    pid: int
    pidfd: int
    stdin: int
    stdout: int
    stderr: int
    meter: Meter

    def ready(self) -> None: ...

    def release(self) -> None:
        """Let the program start. What is written to its stdin before stays there for it."""
        ...

    def freeze(self) -> None:
        """Stop the program and all it started: when this returns it gets no time at all until `thaw`. Raises
        StillRunning if it keeps the kernel busy and does not stop: kill it then. Raises HostBusy if others keep it from
        its core for so long that it cannot.
        """
        ...

    def thaw(self) -> None: ...

    def kill(self) -> None:
        """End the program and all it started, reap it and close the descriptors. Safe to call again."""
        ...

    def exit_code(self) -> int | None:
        """Negative: killed by that signal; None while it runs. Raises SandboxFault: it never began or its box broke."""
        ...

    def files_made(self) -> int:
        """In the folders that it may write to, as far as that is known."""
        ...

    def ran_out_of_memory(self) -> bool: ...


class Sandbox(Protocol):
    """A way to run untrusted programs. `name`: the tier, as results show it."""

    name: str

    def probe(self) -> None:
        """Run a trivial program in a box. Raises MissingTool or SandboxFault with what to do about it."""
        ...

    def start(self, box: Box) -> BoxedProcess:
        """Begin to build the box; the program waits at its gate. Raises SandboxFault, as `ready` does for the rest."""
        ...


class Pipes:
    """Stdin, stdout, stderr and status of one program: `near` are our ends, non-blocking, `far` its monitor's. No other
    bot inherits them: Python makes descriptors close-on-exec.
    """

    def __init__(self) -> None:
        self.near: list[int] = []
        self.far: list[int] = []
        try:
            for we_read in (False, True, True, True):
                reading, writing = os.pipe()
                self.near.append(reading if we_read else writing)
                self.far.append(writing if we_read else reading)
                os.set_blocking(self.near[-1], False)
        except OSError:
            self.hand_over()
            self.close()
            raise

    def hand_over(self) -> None:
        for end in self.far:
            os.close(end)

    def close(self) -> None:
        for end in self.near:
            os.close(end)


def readable(timeout_s: float, *descriptors: int) -> bool:
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(timeout_s * 1000))


def read_now(descriptor: int, most_bytes: int = 4096) -> bytes:
    try:
        return os.read(descriptor, most_bytes)
    except BlockingIOError:
        return b""
