"""PostgreSQL and Redis as `ladder up` runs them, but with as many sessions as a test wants; and what they take."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.networks import make_database, more, serving, settled
from tests.patience import wait_until
from tests.throwaway import public_folder_named
from workers.embedded import folders, postgres, redis

OF_A_LARGE_FLEET = {"shared_buffers": "512MB", "max_wal_size": "1GB"}
"""Settings of PostgreSQL that docs/fleet.md names."""


@dataclass(frozen=True, slots=True)
class Servers:
    """Where they are, PostgreSQL's main process, and Redis'."""

    database_url: str
    broker_url: str
    postmaster: int
    redis: int

    def memory_mb(self) -> float:
        main = psutil.Process(self.postmaster)
        return sum(share_mb(process) for process in [main, *main.children()])


def cpu_s(process: psutil.Process) -> float:
    """Return the CPU time of a process and of all its children, past and present."""
    total = 0.0
    with suppress(psutil.Error):
        total = sum(process.cpu_times()[:4])
        for child in process.children():
            with suppress(psutil.Error):
                total += sum(child.cpu_times()[:2])
    return total


def share_mb(process: psutil.Process) -> float:
    """Return a process's share of the memory that it uses, with others or alone."""
    with suppress(psutil.Error, OSError):
        rows = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
        return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024
    return 0.0


@contextmanager
def servers(max_connections: int) -> Iterator[Servers]:
    """Run both for the block, with schema and bosses, and leave nothing behind."""
    with public_folder_named("fleet") as folder:
        place = settled(folder / "home")
        account = place.account()
        binaries = folders.postgres_programs(account)
        postgres.prepare(place, binaries, account)
        settings = {"max_connections": str(max_connections), **OF_A_LARGE_FLEET}
        added = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        database = more(postgres.child(place, binaries, account), *added)
        broker = redis.child(place, folders.redis_server(account), account)
        try:
            with serving(database, account, None) as first, serving(broker, account, None) as second:
                make_database(postgres.database_url(place), "none")
                wait_until(lambda: redis.is_ready(place, second.pid), "Redis answers")
                yield Servers(postgres.database_url(place), redis.broker_url(place), first.pid, second.pid)
        finally:
            shutil.rmtree(place.sockets, ignore_errors=True)
