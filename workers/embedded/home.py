"""LADDER_HOME: the folder that holds everything one ladder keeps on this machine, and the locks that guard it."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from platformdirs import user_data_path

from engine.errors import ArenaError, Unavailable, UsageFault, plain_words
from ladder.health import Kind, SignOfLife
from workers.embedded import disk

NO_FOLDER = {
    errno.ENOTDIR: "a part of that path is a file",
    errno.EEXIST: "that is a file",
    errno.ENAMETOOLONG: "that name is too long",
}
"""Why a path can never be a folder of ours, by the kernel's error."""
LOCK_WAIT_S = 0.5
"""A look at a lock (`is_locked`) holds it for an instant; taking it for good is tried for a little longer than that."""


class Below:
    """A file or folder right below a folder that has it as an attribute."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, place: HasFolder, kind: type) -> Path:
        return place.folder / self._name


class HasFolder(Protocol):
    @property
    def folder(self) -> Path: ...


@dataclass(frozen=True, slots=True)
class LadderHome:
    """The folder LADDER_HOME, absolute and without links. It need not exist yet."""

    folder: Path

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> LadderHome:
        """Without LADDER_HOME it is in the user's data folder (XDG)."""
        named = environment.get("LADDER_HOME", "")
        try:
            return cls.at(Path(named) if named else user_data_path("ladder"))
        except RuntimeError as error:  # neither HOME nor the list of accounts says where that is
            raise UsageFault(f"uid {os.getuid()} has no home folder: name one for the ladder in LADDER_HOME") from error

    @classmethod
    def at(cls, folder: Path) -> LadderHome:
        """The folder may be relative, hold `~` or lead through links. Raises UsageFault where it leads nowhere."""
        try:
            return cls(folder.expanduser().resolve())
        except RuntimeError as error:
            raise UsageFault(f"LADDER_HOME cannot be {folder}: {error}") from error

    logs = Below("logs")
    lock = Below("supervisor.lock")
    state = Below("state.json")
    instance = Below("instance.json")
    pages = Below("web.json")
    proxy = Below("proxy-not-trusted")
    """The address that last forwarded a request and is not trusted."""
    played = Below("played")
    official = Below("official")

    def log(self, name: str) -> Path:
        return self.logs / f"{name}.log"

    def sign(self, kind: Kind) -> SignOfLife:
        return SignOfLife(self.folder, kind)

    def create(self) -> None:
        """Raises Unavailable where that cannot be done, UsageFault where it never can."""
        self.make(self.logs)

    def make(self, inner: Path) -> None:
        with self.plain_errors():
            self.folder.mkdir(mode=0o755 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
            inner.mkdir(mode=0o700, exist_ok=True)

    @contextlib.contextmanager
    def plain_errors(self) -> Iterator[None]:
        """Say plainly why the home cannot be used: it is somebody else's, below a file, on a full disk."""
        try:
            yield
        except OSError as error:
            raise self.trouble(error) from error

    def trouble(self, error: OSError) -> ArenaError:
        if error.errno in NO_FOLDER:
            return UsageFault(f"LADDER_HOME cannot be {self.folder}: {NO_FOLDER[error.errno]}")
        if isinstance(error, PermissionError):
            return Unavailable(f"no permission to use the ladder in {self.folder}: {plain_words(error)}")
        return disk.told_plainly(error, self.folder) or Unavailable(
            f"the folder {self.folder} cannot be used for a ladder: {plain_words(error)}"
        )


@contextlib.contextmanager
def locked(path: Path, taken: str, wait_s: float = LOCK_WAIT_S) -> Iterator[int]:
    """Hold an exclusive lock on a file (made if missing) or folder and give its descriptor. Raises Unavailable with
    `taken` where another process holds it for longer than `wait_s`.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY if path.is_dir() else os.O_RDWR | os.O_CREAT
    descriptor = os.open(path, flags, 0o600)
    try:
        if not lock_within(descriptor, wait_s):
            raise Unavailable(taken)
        yield descriptor
    finally:
        os.close(descriptor)


def lock_within(descriptor: int, limit_s: float) -> bool:
    deadline = time.monotonic() + limit_s
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
