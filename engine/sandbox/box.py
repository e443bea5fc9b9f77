"""What a sandbox is asked to run, and what it gives back. Every backend offers exactly this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use.."""

    memory_mb: int = 768
    threads: int = 64
    open_files: int = 256
    file_size_mb: int = 16


@dataclass(frozen=True, slots=True)
class Box:
    """A program and the little world it sees.

    `command`: program and arguments, as inside the box. `folder`: shown read-only as `/bot`, the working folder.
    `writable`: shown as `/out` and writable, or None (the default: no writable path at all). `extra_paths`: further
    host folders shown read-only at the same place, for toolchains outside `/usr`. `environment`: all that is in it
    besides PATH, HOME and LANG; nothing of the parent's environment gets in.
    """

    command: tuple[str, ...]
    folder: Path
    limits: Limits = Limits()
    writable: Path | None = None
    extra_paths: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


class BoxedProcess(Protocol):
    """A running program in its box. The three descriptors are the parent's ends of its pipes, non-blocking."""

    pid: int
    pidfd: int
    stdin: int
    stdout: int
    stderr: int

    def kill(self) -> None:
        """End the program and all it started, reap it and close the descriptors. Safe to call again."""
        ...

    def exit_code(self) -> int | None:
        """Return how it ended (negative: killed by that signal), or None while it runs.

        Raises SandboxFault where it was never started, because the box turned out bad while it was built.
        """
        ...


class Sandbox(Protocol):
    """A way to run untrusted programs."""

    name: str

    def probe(self) -> None:
        """Run a trivial program in a box. Raises MissingTool or SandboxFault with what to do about it."""
        ...

    def start(self, box: Box) -> BoxedProcess:
        """Start the program. Raises SandboxFault where the box itself cannot be made."""
        ...
