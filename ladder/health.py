"""Whether the processes of a ladder that run here are well, by what each of them itself did last.

How this works. Each process leaves a sign of life in a small file of its own, in the folder `alive` of LADDER_HOME:
when it was last at work, and what it lacks for that. Where that folder is full or cannot be written, the file stands in
memory, in a folder of its account: a process that works is not to be restarted because of its sign. The moment is by
the clock that runs since the machine was started, which all programs share and nobody sets. A service that is away
keeps a process from its work, and it is alive all the same: who restarts it then helps nobody.
"""

import hashlib
import json
import os
import time
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from engine.errors import ArenaError
from engine.immutable import immutable

MEMORY = Path("/dev/shm")  # noqa: S108 - see `is_safe`
LIMIT_S = 60
"""Longer than any of them waits for a service that does not answer."""
RENEWED_EVERY_S = 2


class ProcessKind(StrEnum):
    """A process of its own."""

    WORKER = "worker"
    SCHEDULER = "scheduler"
    PAGES = "pages"
    METRICS = "metrics"


class SignOfLife:
    """The sign of this process. Where it can be written nowhere, the process works all the same."""

    def __init__(self, home: Path, kind: ProcessKind) -> None:
        """Make the home, once: who deletes it wants it gone. Take away the signs of those of its kind that are gone."""
        with suppress(OSError):
            home.mkdir(parents=True, exist_ok=True)
        self._folders, self._kind = folders_of_signs(home), kind
        self._name = f"{kind}-{os.getpid()}"
        self._due, self._lacks = 0.0, ""
        for sign in signs(home, kind):
            if not sign.is_of_living:
                with suppress(OSError):
                    sign.place.unlink()

    def renew(self, lacks: str = "") -> None:
        """Say that this process is at work, or `lacks` something for that; now and then, however often it is called."""
        now = since_start_s()
        if now < self._due and lacks == self._lacks:
            return
        self._due, self._lacks = now + RENEWED_EVERY_S, lacks
        for folder in self._folders:
            with suppress(OSError):
                folder.mkdir(exist_ok=True)
                if not is_safe(folder):
                    continue
                draft = folder / f"{self._name}.new"
                draft.write_text(json.dumps({"at": now, "lacks": lacks}), "utf-8")
                draft.replace(folder / f"{self._name}.json")
                return

    def end(self) -> None:
        for folder in self._folders:
            with suppress(OSError):
                (folder / f"{self._name}.json").unlink(missing_ok=True)
        with suppress(OSError):  # others may have signs there
            self._folders[1].rmdir()


def since_start_s() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def folders_of_signs(home: Path) -> tuple[Path, Path]:
    """Return the usual one, and the one in memory."""
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    return home / "alive", MEMORY / f"ladder-{os.getuid()}-{digest}"


def is_safe(folder: Path) -> bool:
    """Anybody can make a folder in memory, or a link, by our name."""
    return folder.parent != MEMORY or folder.lstat().st_uid == os.getuid()


@immutable
class Sign:
    """What a process has left. `at_s`: since the machine was started; `lacks`: what for its work, "" for nothing."""

    place: Path
    at_s: float
    lacks: str

    @property
    def pid(self) -> int:
        return int(self.place.stem.rpartition("-")[2])

    @property
    def age_s(self) -> float:
        return since_start_s() - self.at_s

    @property
    def is_of_living(self) -> bool:
        """A sign from before the machine, or its container, was started is nobody's by now, whoever has its number."""
        return Path(f"/proc/{self.pid}").exists() and self.age_s >= 0


def signs(home: Path, kind: ProcessKind) -> list[Sign]:
    """Return the latest one of each process."""
    latest: dict[int, Sign] = {}
    for folder in folders_of_signs(home):
        for place in sorted(folder.glob(f"{kind}-*.json")):
            with suppress(OSError, ValueError, KeyError, TypeError):  # it is just taken away, or somebody else's
                content = json.loads(place.read_text("utf-8"))
                sign = Sign(place, float(content["at"]), str(content["lacks"]))
                if is_safe(folder) and (sign.pid not in latest or latest[sign.pid].at_s < sign.at_s):
                    latest[sign.pid] = sign
    return list(latest.values())


def require_health(home: Path, kind: ProcessKind, *, ready: bool) -> str:
    """Say how the processes of a kind are. Raises ArenaError unless some live and all are well. `ready`: for all."""
    living = [sign for sign in signs(home, kind) if sign.is_of_living]
    if not living:
        raise ArenaError(f"no process of the kind {kind} has left a sign of life in {folders_of_signs(home)[0]}")
    for sign in sorted(living, key=lambda sign: sign.at_s):
        if sign.age_s > LIMIT_S:
            raise ArenaError(f"{kind}, process {sign.pid}, has given no sign of life for {sign.age_s:.0f} s")
        if ready and sign.lacks:
            raise ArenaError(f"{kind}, process {sign.pid}, lives and is not ready: {sign.lacks}")
    latest = max(living, key=lambda sign: sign.at_s)
    return f"{kind}, process {latest.pid}, was at work {latest.age_s:.0f} s ago" + (
        f", and is not ready: {latest.lacks}" if latest.lacks else ""
    )
