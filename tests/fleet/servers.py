"""PostgreSQL and Redis as `ladder up` runs them, but with as many sessions as a test wants; and what they take."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from ladder.actions.installation import bring_up_to_date
from workers.embedded import control, folders, postgres, redis
from workers.embedded.folders import private_folder, settle
from workers.embedded.home import LadderHome
from workers.embedded.processes import last_lines, start

START_LIMIT_S = 60
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
    folder = Path(tempfile.mkdtemp(prefix="ladder-fleet-", dir="/tmp"))
    folder.chmod(0o755)
    home = LadderHome.at(folder / "home")
    home.create()
    started: list[subprocess.Popen[bytes]] = []
    try:
        yield start_both(home, max_connections, started)
    finally:
        control.destroy(home)
        for process in started:
            process.wait()
        shutil.rmtree(folder)


def start_both(home: LadderHome, max_connections: int, started: list[subprocess.Popen[bytes]]) -> Servers:
    """Start both, note their processes, and wait until they answer."""
    home.lock.touch()
    place = settle(home)
    account = place.account()
    binaries = folders.postgres_programs(account)
    postgres.prepare(place, binaries, account)
    private_folder(place.sockets, account)
    database = postgres.child(place, binaries, account)
    settings = {"max_connections": max_connections, **OF_A_LARGE_FLEET}
    added = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    server = start(replace(database, command=(*database.command, *added)), home, {})
    broker = start(redis.child(place, folders.redis_server(account), account), home, {})
    started += [server, broker]
    deadline = time.monotonic() + START_LIMIT_S
    while not (postgres.is_ready(place, server.pid) and redis.is_ready(place, broker.pid)):
        assert time.monotonic() < deadline, last_lines(home.log(database.name))
        time.sleep(0.05)
    url = postgres.ensure_database(place)
    bring_up_to_date(url)
    return Servers(url, redis.broker_url(place), server.pid, broker.pid)
