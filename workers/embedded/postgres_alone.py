"""The database of a home whose services are down: PostgreSQL alone is started, to be read for a moment.

How this works. The supervisor's lock is held meanwhile, so no `ladder up` starts a second server on the same data, and
the server takes no writing transactions. Like the supervisor's own children it ends with us, even if we are killed.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from ladder.errors import NotStarted
from workers.embedded import disk, folders, postgres, programs
from workers.embedded.folders import DataPlace, private_folder
from workers.embedded.home import LadderHome, locked
from workers.embedded.processes import Child, last_lines, start

TURN_LIMIT_S = 20.0
"""Others may be reading too, one after another: each takes a second or two."""
READY_LIMIT_S = 60.0
LOOK_EVERY_S = 0.01
READ_ONLY = ("-c", "default_transaction_read_only=on")


def has_data(home: LadderHome) -> bool:
    with home.plain_errors():
        found = folders.find(home)
        return found is not None and found.postgres.exists()


@contextmanager
def database_alone(home: LadderHome) -> Iterator[str]:
    """Serve the data read-only for the block, give the URL. Raises Unavailable, Refused for another major version."""
    taken = f"the ladder in {home.folder} is just being started or stopped; try again"
    with contextlib.ExitStack() as held:
        with home.plain_errors():
            held.enter_context(locked(home.lock, taken, TURN_LIMIT_S))
            where = folders.settle(home)
            held.enter_context(locked(where.folder, f"the data in {where.folder} are in use by another ladder"))
            url = held.enter_context(serving(home, where))
        yield url  # outside: what the block meets is not the home's fault


@contextmanager
def serving(home: LadderHome, where: DataPlace) -> Iterator[str]:
    account = where.account()
    postgres.check_version(where.postgres)
    server = postgres.child(where, programs.postgres_programs(account), account)
    server = replace(server, command=(*server.command, *READ_ONLY))
    private_folder(where.sockets, account)
    try:
        process = start(server, home, {})
        try:
            wait_until_ready(home, where, process)
            yield postgres.database_url(where)
        finally:
            stop(server, process)
    finally:
        shutil.rmtree(where.sockets, ignore_errors=True)


def wait_until_ready(home: LadderHome, where: DataPlace, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_LIMIT_S
    while not postgres.is_ready(where, process.pid):
        if process.poll() is not None or time.monotonic() > deadline:
            log = home.log(postgres.PROGRAM)
            error = NotStarted(f"PostgreSQL does not start; the end of {log}:\n{last_lines(log)}")
            raise disk.told_plainly(error, where.folder, home.folder) or error
        time.sleep(LOOK_EVERY_S)


def stop(child: Child, process: subprocess.Popen[bytes]) -> None:
    """By force where it takes too long: the next start recovers then."""
    process.send_signal(child.stop_signal)
    try:
        process.wait(child.grace_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
