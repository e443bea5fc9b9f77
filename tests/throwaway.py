"""Where tests keep what they throw away, and that nothing of it stays where a run is cut off.

How this works. A run has one folder, which it holds locked for as long as it lives. What it starts ends with it
(`end_with_us`). A folder that nobody holds is of a run that was killed before it could take it away; the next run does.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from workers.embedded.home import LadderHome

MEMORY = "/dev/shm"  # noqa: S108
DISK = "/tmp"  # noqa: S108 - a folder of our own is made in it
ROOM_BYTES = 4 * 1024**3
PREFIX = "ladder-run-"
YOUNG_S = 60.0
"""A run may not have locked a folder yet that it has just made."""


def in_memory_or_tmp() -> str:
    """Return where to keep what is thrown away: in memory if that has room and runs programs, as some disks take long.

    Each database is three hundred files, which an ext4 without a journal, as virtual machines have it, makes in 300 ms
    if as many have been removed in the minute before; in memory it takes 15.
    """
    with suppress(OSError):
        memory = os.statvfs(MEMORY)
        if memory.f_bavail * memory.f_frsize >= ROOM_BYTES and not memory.f_flag & os.ST_NOEXEC:
            return MEMORY
    return DISK


def end_with_us() -> None:
    os.environ["LADDER_ENDS_WITH"] = str(os.getpid())


@cache
def folder_of_run() -> Path:
    """Return the folder of this run, which other accounts can reach; those that earlier runs have left are swept."""
    for place in (Path(MEMORY), Path(DISK)):
        sweep(place)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=in_memory_or_tmp()))
    folder.chmod(0o755)
    fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX)  # until this process ends
    return folder


def new_folder(mode: int = 0o755) -> Path:
    folder = Path(tempfile.mkdtemp(dir=folder_of_run()))
    folder.chmod(mode)
    return folder


@cache
def empty_database() -> Path:
    """Return the data folder of a PostgreSQL that has never run."""
    from workers.embedded import folders, postgres
    from workers.embedded.home import LadderHome

    home = LadderHome.at(folder_of_run() / "empty-database")
    home.create()
    place = folders.settle(home)
    postgres.prepare(place, folders.postgres_programs(place.account()), place.account())
    return place.postgres


def lay_database(home: LadderHome) -> None:
    """Give a home that has none yet an empty database, as `initdb` takes eight times as long as its copy."""
    from workers.embedded import folders

    home.create()
    place = folders.settle(home)
    if not place.postgres.exists():
        subprocess.run(["cp", "--archive", empty_database(), place.postgres], check=True)


@contextmanager
def public_folder_named(name: str) -> Iterator[Path]:
    """Lend a folder on the disk that everybody on this machine can reach, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix=f"ladder-test-{name}-", dir=DISK))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def sweep(place: Path) -> None:
    """Take away the folders of runs that have ended, and end the services that run in them."""
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > YOUNG_S and not is_held(folder):
                take_away(folder)


def is_held(folder: Path) -> bool:
    """Say whether a run holds that folder. Raises OSError where we may not look."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def take_away(folder: Path) -> None:
    """End the services of all homes in a folder, and remove it."""
    from engine.errors import ArenaError
    from workers.embedded import control
    from workers.embedded.home import LadderHome

    for lock in list(folder.rglob("supervisor.lock")):
        with suppress(ArenaError):
            control.destroy(LadderHome.at(lock.parent))
    shutil.rmtree(folder, ignore_errors=True)


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def language_table(name: str, **toolchain: object) -> str:
    """Return what LADDER_LANGUAGES says of a language of tests, whose sources end with its name."""
    values = "".join(f"{key} = {json.dumps(value)}\n" for key, value in toolchain.items())
    head = f'[{name}]\ntitle = "{name.title()}"\nextensions = [".{name}"]\nsource = "bot.{name}"\n'
    return f"{head}[{name}.toolchains.only]\n{values}"


def end_fixture(name: str, item: pytest.Item) -> None:
    """End a fixture of the whole run that no later test uses, or few. `item`: a test that could use it."""
    for fixture in item.session._fixturemanager.getfixturedefs(name, item) or ():
        fixture.finish(item._request)  # type: ignore[attr-defined]
