"""What a machine can be made to suffer from: a wall clock that is set, and a disk that is full.

How this works. A program that is started with `Clock.environment` goes by a wall clock of its own (see clock.c), which
can be set while it runs; other clocks, the database's too, stay as they are. A disk is a small file system in memory
where we may mount one; elsewhere the processes that write are forbidden to make any file longer.
"""

import os
import resource
import shutil
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

DISK_MB = 300
"""Enough for a build, which wants 256 MB free."""


class Clock:
    """A wall clock for the programs of one machine. `is_ours`: it can be set; else the machine has no C compiler."""

    def __init__(self, folder: Path, name: str) -> None:
        self._file = folder / f"{name}.clock"
        library = folder / "clock.so"
        self.is_ours = library.exists() or compiled(library)
        self.environment = {"LD_PRELOAD": str(library), "CHAOS_CLOCK": str(self._file)} if self.is_ours else {}
        self._file.write_bytes(bytes(8))
        self._file.chmod(0o644)

    def set(self, offset_s: int) -> None:
        """Let it be this many seconds ahead of the true time from now on."""
        with self._file.open("r+b", buffering=0) as file:
            file.write(offset_s.to_bytes(8, "little", signed=True))


def compiled(library: Path) -> bool:
    """Make the library out of clock.c. Tell whether that worked."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return False
    source = Path(__file__).with_name("clock.c")
    made = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", library, source], capture_output=True, check=False
    )
    return made.returncode == 0


class Disk:
    """The disk of one worker: a folder of its own, on a small file system where one can be mounted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o755)
        self.is_small = self._mounted()

    def _mounted(self) -> bool:
        """Mount the small file system. Tell whether that worked: for root on a machine of its own, mostly."""
        options = f"size={DISK_MB}m,mode=755"
        command = ["mount", "-t", "tmpfs", "-o", options, "ladder-chaos", str(self.folder)]
        return os.geteuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0

    @property
    def how(self) -> str:
        return "a file system of its own" if self.is_small else "no file may grow (no right to mount one)"

    def fill(self, pids: Iterable[int]) -> None:
        """Leave no room. `pids`: of the processes that write to it."""
        if self.is_small:
            with suppress(OSError), (self.folder / "filler").open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(2**20))
        else:
            limit_files(pids, 0)

    def make_room(self, pids: Iterable[int]) -> None:
        if self.is_small:
            (self.folder / "filler").unlink(missing_ok=True)
        else:
            limit_files(pids, resource.RLIM_INFINITY)

    def remove(self) -> None:
        if self.is_small:
            subprocess.run(["umount", "--lazy", self.folder], capture_output=True, check=False)


def limit_files(pids: Iterable[int], limit: int) -> None:
    """Forbid processes to make a file longer than this many bytes; the hard limit stays."""
    for pid in pids:
        with suppress(ProcessLookupError):
            _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard if limit == resource.RLIM_INFINITY else limit, hard))
