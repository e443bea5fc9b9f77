"""Folders where sources and built bots live so that the bots' account can reach them, shared by all workers here.

    ROOT/programs/KEY/     finished entries, each in one piece and never changed
    ROOT/scratch/XXXX/     work in progress; what a killed worker leaves here is swept a day later

How this works. An entry is made in a scratch folder, forced to disk and then renamed to its place, which the kernel
does at once or not at all. Workers that make the same entry at the same time do the same work; the first rename wins
and the others use its result. So a finished entry is whole, and needs no lock.

What is built here is kept until it is more than LADDER_CACHE_MB. Then the entries go that were not used for longest,
but none that was used within a day or that a match holds by a lock. Where the disk is full all others go.

Sources are private: below the root only we enter, and the bots' account by its group.
"""

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from engine.boxes import MEGABYTE, bot_uid, obstacle
from engine.errors import NoRoom, SandboxFault, UsageFault, plain_words
from engine.immutable import immutable
from engine.machine import home_folder

CACHE_VARIABLE = "LADDER_CACHE"
CACHE_MB_VARIABLE = "LADDER_CACHE_MB"
CHOICE = f"choose another folder with {CACHE_VARIABLE}"
USUAL_CACHE_MB = 10_000
LEAST_FREE_MB = 16
"""With less on the disk nothing is begun that needs what is built."""
SYSTEM_CACHE = Path("/var/cache/ladder")
STALE_S = 24 * 3600
HOUR_S = 3600
PROGRAMS = "programs"
SCRATCH = "scratch"


@immutable
class Workspace:
    """The folders under one root. Make it with `open_workspace()`."""

    root: Path

    def entry(self, key: str) -> Path:
        """Return its place. If it is there it is whole, and that it is used is written down, to the hour."""
        entry = self.root / PROGRAMS / key
        with contextlib.suppress(OSError):
            if time.time() - entry.stat().st_mtime > HOUR_S:
                os.utime(entry)
        return entry

    @contextlib.contextmanager
    def hold(self, folder: Path) -> Iterator[None]:
        """Keep the entry that this folder is part of, if it is of one, however long the block takes."""
        if not folder.is_relative_to(self.root / PROGRAMS):
            yield
            return
        with _our_fault(self.root):
            descriptor = os.open(self.root / PROGRAMS / folder.relative_to(self.root / PROGRAMS).parts[0], os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            yield
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """Give a folder that only we write to and bots can read; it is removed afterwards."""
        with _our_fault(self.root):
            _sweep(self.root / SCRATCH)
            folder = Path(tempfile.mkdtemp(dir=self.root / SCRATCH))
            folder.chmod(0o755)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def publish(self, folder: Path, key: str) -> Path:
        """Return its new place; where the entry is there already, that one stays."""
        entry = self.entry(key)
        with _our_fault(self.root):
            _force_to_disk(folder)
            try:
                folder.rename(entry)
            except OSError as error:
                if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
                    raise
            stamp = self.root / "looked"
            if not stamp.exists() or time.time() - stamp.stat().st_mtime > HOUR_S:
                stamp.touch()
                self.let_go(cache_mb() * MEGABYTE)
        return entry

    def require_free(self, megabytes: int = LEAST_FREE_MB) -> None:
        """Raise NoRoom where the disk has less, also after what was not used for a day is gone."""
        if self._free_mb() < megabytes:
            self.let_go(0)
        if (free_mb := self._free_mb()) < megabytes:
            raise NoRoom(
                f"the disk under {self.root} has {free_mb} MB free, {megabytes} MB are needed: free some space there, "
                f"or {CHOICE}"
            )

    def let_go(self, most_bytes: int) -> int:
        """Remove the entries not used for longest until the others take no more; return how many. See above."""
        with _our_fault(self.root):
            entries = sorted((self.root / PROGRAMS).iterdir(), key=_used_at, reverse=True)
            total = count = 0
            for entry in entries:
                total += _size(entry)
                is_stale = total > most_bytes and time.time() - _used_at(entry) > STALE_S
                if is_stale and not is_locked(entry, fcntl.LOCK_EX):
                    with self.scratch() as scratch, contextlib.suppress(FileNotFoundError):
                        entry.rename(scratch / entry.name)
                        count += 1
        return count

    def _free_mb(self) -> int:
        with _our_fault(self.root):
            return shutil.disk_usage(self.root).free // MEGABYTE


def cache_mb() -> int:
    word = os.environ.get(CACHE_MB_VARIABLE) or str(USUAL_CACHE_MB)
    if not (word.isascii() and word.isdecimal()):
        raise UsageFault(f"{CACHE_MB_VARIABLE} is {word!r}; it must be a number of megabytes")
    return int(word)


def _used_at(entry: Path) -> float:
    try:
        return entry.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def is_locked(path: Path, kind: int = fcntl.LOCK_SH) -> bool:
    """Say whether a lock of that kind cannot be had, as others hold one."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _size(entry: Path) -> int:
    size = 0
    for path in entry.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            size += path.lstat().st_size
    return size


def open_workspace() -> Workspace:
    """LADDER_CACHE, or /var/cache/ladder for root and the XDG cache folder for others. Raises UsageFault."""
    root = _root()
    try:
        for folder in (root / PROGRAMS, root / SCRATCH):
            if not folder.is_dir():
                _make_folders(folder)
            _close_to_others(folder)
    except OSError as error:
        raise UsageFault(f"cannot use the cache folder {root}: {error.strerror} ({CHOICE})") from error
    if (blocked := obstacle(root / PROGRAMS)) is not None:
        raise UsageFault(f"bots run as uid {bot_uid()}, which may not enter {blocked} ({CHOICE})")
    return Workspace(root)


def _root() -> Path:
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen).absolute()
    if bot_uid() is not None:
        return SYSTEM_CACHE
    base = os.environ.get("XDG_CACHE_HOME", "")
    if base.startswith("/"):
        return Path(base) / "ladder"
    if (home := home_folder()) is None:
        raise UsageFault(f"uid {os.getuid()} has no home folder for what is built: name one in {CACHE_VARIABLE}")
    return home / ".cache" / "ladder"


def _make_folders(folder: Path) -> None:
    """Whatever the umask is, the bots' account may pass."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        path.chmod(0o700 if bot_uid() is None else 0o755)


def _close_to_others(folder: Path) -> None:
    """No other account but the bots' gets into root's; an ordinary user's is closed."""
    uid, status = bot_uid(), folder.stat()
    if uid is None or (status.st_gid, status.st_mode & 0o777) == (uid, 0o750):
        return
    with contextlib.suppress(PermissionError):  # in a container where root may not; there are no other accounts there
        os.chown(folder, -1, uid)
        folder.chmod(0o750)


def _sweep(scratch: Path) -> None:
    now = time.time()
    for folder in scratch.iterdir():
        with contextlib.suppress(FileNotFoundError):
            if now - folder.stat().st_mtime > STALE_S:
                shutil.rmtree(folder, ignore_errors=True)


def _force_to_disk(folder: Path) -> None:
    """Wait until all files in `folder` are on the disk, so that a power cut cannot leave a hollow entry."""
    for path in (*folder.rglob("*"), folder):
        if path.is_file() or path.is_dir():
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


@contextlib.contextmanager
def _our_fault(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise disk_fault(f"cannot write below {root}", error) from error


FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def disk_fault(what: str, error: Exception) -> SandboxFault:
    """Return NoRoom where a disk is full, else another SandboxFault. `what`: could not be done."""
    kind = NoRoom if isinstance(error, OSError) and error.errno in FULL else SandboxFault
    return kind(f"{what}: {plain_words(error)}")
