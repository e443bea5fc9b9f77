"""LADDER_HOME: the folder that holds everything one ladder keeps on this machine, its locks, and room on its disk.

How this works. On a full disk PostgreSQL, Redis and our own logs each fail in words of their own, and often without
any, since their messages go to the same disk. So we check ourselves: before a start, and after one that failed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

from platformdirs import user_data_path

from engine.errors import ArenaError, Unavailable, UsageFault, plain_words
from engine.immutable import immutable
from ladder.errors import NotStarted
from ladder.health import ProcessKind, SignOfLife

NO_FOLDER = {
    errno.ENOTDIR: "a part of that path is a file",
    errno.EEXIST: "that is a file",
    errno.ENAMETOOLONG: "that name is too long",
}
"""Why a path can never be a folder of ours, by the kernel's error."""
LOCK_WAIT_S = 0.5
"""A look at a lock (`is_locked`) holds it for an instant; taking it for good is tried for a little longer than that."""

MEGABYTE = 1024 * 1024
START_BYTES = 2 * MEGABYTE
"""With less no start succeeds: state, logs, and PostgreSQL's shared memory, which is a file."""
SURE_START_BYTES = 20 * MEGABYTE
"""PostgreSQL writes its log of changes in files of 16 MB, and at times needs a new one to start."""
FIRST_START_BYTES = 50 * MEGABYTE + SURE_START_BYTES
"""An empty ladder takes 48 MB, and has to be able to start again."""
NO_SPACE = "No space left on device"
"""The C library's words, which every program passes on."""
WHAT_TO_DO = "Free some space there and try again; nothing that was recorded is lost"


class Below:
    """A file or folder right below a folder that has it as an attribute."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, place: HasFolder, kind: type) -> Path:
        return place.folder / self._name


class HasFolder(Protocol):
    @property
    def folder(self) -> Path: ...


@immutable
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

    def sign(self, kind: ProcessKind) -> SignOfLife:
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
        return full_disk_error(error, self.folder) or Unavailable(
            f"the folder {self.folder} cannot be used for a ladder: {plain_words(error)}"
        )


@contextlib.contextmanager
def locked(path: Path, why_not: str, wait_s: float = LOCK_WAIT_S) -> Iterator[int]:
    """Hold an exclusive lock on a file (made if missing) or folder and give its descriptor. Raises Unavailable with
    the words `why_not` where another process holds it for longer than `wait_s`.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY if path.is_dir() else os.O_RDWR | os.O_CREAT
    descriptor = os.open(path, flags, 0o600)
    deadline = time.monotonic() + wait_s
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise Unavailable(why_not) from None
            time.sleep(0.02)
        yield descriptor
    finally:
        os.close(descriptor)


def require_room(folder: Path, least_bytes: int = START_BYTES) -> None:
    free_bytes = room(folder)
    if free_bytes is not None and free_bytes < least_bytes:
        raise Unavailable(
            f"the disk of {folder} is full: {megabytes(free_bytes)} are free and a start takes at least "
            f"{megabytes(least_bytes)}. {WHAT_TO_DO}"
        )


def full_disk_error(error: ArenaError | OSError, *folders: Path) -> Unavailable | None:
    """Return the sentence about the disk that is full, where that is behind an error; else None."""
    narrow = next(filter(is_narrow, folders), None) if isinstance(error, NotStarted) else None
    if narrow is None and NO_SPACE not in str(error):
        return None
    folder = narrow or folders[0]
    free_bytes = room(folder)
    amount = "" if free_bytes is None else f" ({megabytes(free_bytes)} are free)"
    return Unavailable(f"the services cannot start, as the disk of {folder} is full{amount}. {WHAT_TO_DO}")


def is_narrow(folder: Path) -> bool:
    free_bytes = room(folder)
    return free_bytes is not None and free_bytes < SURE_START_BYTES


def room(folder: Path) -> int | None:
    status = os.statvfs(next(path for path in (folder, *folder.parents) if path.exists()))
    return status.f_bavail * status.f_frsize if status.f_blocks else None


def megabytes(count: int) -> str:
    """Rounded down, as what is free should be."""
    return f"{count // MEGABYTE} MB"
