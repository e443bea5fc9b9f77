"""What a supervisor publishes about itself, in LADDER_HOME/state.json.

How this works. What a file says of a process stays true after a kill only by luck; a lock ends with the process. So the
file of pages counts while it is locked. After a kill it still says which port was used, and the next process takes that
one again, with its session: pages that are open come back. A process that ends in good order empties it, and so ends
the session, as another port does and a new start of the machine. If two show pages of one home, the second is found
when the first ends.
"""

import fcntl
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, field
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from engine.errors import ArenaError
from engine.immutable import immutable
from engine.workspace import is_locked
from workers.embedded.home import LadderHome
from workers.embedded.processes import ERRORS, ChildEnding, holds


@immutable
class Running:
    """A supervisor that runs, or ended with a failure. `started_at`: in ISO 8601 with a time zone. `steps`: what it has
    begun, in words for people. The addresses are empty until the servers answer. `children`: pids by name. `endings`:
    how those that have ended since the start did it the last time, by name. `failure`: why it ended, with its exit
    status.
    """

    pid: int
    started_at: str
    ready: bool = False
    steps: tuple[str, ...] = ()
    database_url: str = ""
    broker_url: str = ""
    children: Mapping[str, int] = field(default_factory=dict)
    endings: Mapping[str, ChildEnding] = field(default_factory=dict)
    failure: str = ""
    failure_status: int = 0

    def error(self) -> ArenaError:
        return ERRORS.get(self.failure_status, ArenaError)(self.failure)


def write(home: LadderHome, running: Running) -> None:
    draft = home.state.with_suffix(".new")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:  # noqa: PTH123 - the mode
        json.dump(asdict(running), file)
    draft.replace(home.state)


def running(home: LadderHome) -> Running | None:
    """Return the state of the supervisor that runs, `ready` or still starting; None if none does."""
    with home.plain_errors():
        state = read(home) if is_locked(home.lock) else None
        return state if state is not None and holds(state.pid, home.lock) else None


def read(home: LadderHome) -> Running | None:
    """Read what a supervisor wrote last; it may be gone. None where there is nothing, or nothing that makes sense."""
    try:
        data: dict[str, Any] = json.loads(home.state.read_text())
        endings = {name: ChildEnding(**ending) for name, ending in data["endings"].items()}
        return Running(**{**data, "steps": tuple(data["steps"]), "endings": endings})
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None


BOOT = Path("/proc/sys/kernel/random/boot_id")
"""Is another one whenever the machine has started anew."""


@immutable
class Pages:
    """`ladder`: which they show, see `name_of`. `session`: as long as it stays the same, browsers that were let in stay
    in.
    """

    address: str
    port: int
    ladder: str
    session: str = ""

    @property
    def host(self) -> str:
        return urlsplit(self.address).hostname or ""


def name_of(database_url: str) -> str:
    return sha256(database_url.encode()).hexdigest()[:16]


def last_pages(home: LadderHome, database_url: str) -> Pages | None:
    last = last_found(home) if is_shown(home) else None
    return last if last is not None and last.ladder == name_of(database_url) else None


def is_shown(home: LadderHome) -> bool:
    with suppress(OSError):
        return is_locked(home.pages)
    return False


def last_found(home: LadderHome) -> Pages | None:
    try:
        return Pages(**json.loads(home.pages.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def session_on(home: LadderHome, port: int) -> str:
    """That of a process that was killed, else a new one."""
    boot = BOOT.read_text().strip()
    last = None if is_shown(home) else last_found(home)
    if last is not None and last.port == port and last.session.startswith(f"{boot}/"):
        return last.session
    return f"{boot}/{token_hex(16)}"


@contextmanager
def announced(home: LadderHome, pages: Pages) -> Iterator[None]:
    """Let pages be found for the block, as soon as those of no other process are."""
    descriptor = os.open(home.pages, os.O_RDWR | os.O_CREAT, 0o600)
    is_written = threading.Event()

    def announce() -> None:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)  # locks that are only looked at are held for an instant
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(asdict(pages)).encode(), 0)
            is_written.set()

    threading.Thread(target=announce, daemon=True).start()
    try:
        yield
    finally:
        with suppress(OSError):
            if is_written.is_set():
                os.ftruncate(descriptor, 0)
