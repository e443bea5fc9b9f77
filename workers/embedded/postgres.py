"""PostgreSQL: made once with initdb, run as a foreground child, reached by a Unix socket only.

How this works. `initdb` writes to a folder with another name, which gets its own when it is whole; a half-made one is
thrown away. Before every start, whatever still serves our data folder is stopped, and a `postmaster.pid` of a server
that is gone is removed: PostgreSQL itself would refuse to start if its pid belonged to any live program. Nothing
else can be using the folder, because the supervisor holds a lock on it.

Where the services of a home are down PostgreSQL alone is started, to be read for a moment. The supervisor's lock is
held meanwhile, so no `ladder up` starts a second server on the same data, and the server takes no writing transactions.
Like the supervisor's own children it ends with us, even if we are killed.
"""

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import quote

from engine.errors import Refused, Unavailable, plain_words
from ladder import database
from ladder.errors import NotStarted
from workers.embedded import folders
from workers.embedded.folders import POSTGRES_MAJOR, DataPlace, SystemAccount, private_folder
from workers.embedded.home import LadderHome, full_disk_error, locked
from workers.embedded.processes import BARE_ENVIRONMENT, Child, end, last_lines, process_options, serving, start

PROGRAM = "postgres"
ROLE = "ladder"
DATABASE = "ladder"
PORT = 5432
"""No TCP port: only a part of the socket's name."""

INITDB_ARGUMENTS = (
    f"--username={ROLE}",
    "--auth=trust",  # Every account that may enter the sockets' folder (mode 700) is trusted; there is no other way in.
    "--encoding=UTF8",
    "--locale-provider=builtin",  # The same order of text on every machine, whatever its C library.
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--no-instructions",
)

SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "max_wal_size": "256MB",
    "io_method": "sync",  # No three I/O workers for a database that fits in memory.
    "jit": "off",
    "max_logical_replication_workers": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "logging_collector": "off",  # The log goes to stderr, which is logs/postgres.log.
    # Files instead of /dev/shm, which containers keep at 64 MB and systemd empties when the user logs out.
    "dynamic_shared_memory_type": "mmap",
}

STOP_ORPHAN = ((signal.SIGINT, 20.0), (signal.SIGQUIT, 5.0))
"""A fast shutdown; where that takes too long an immediate one, which the next start recovers from."""

TURN_LIMIT_S = 20.0
"""Others may be reading too, one after another: each takes a second or two."""
READY_LIMIT_S = 60.0


def child(place: DataPlace, programs: Path, account: SystemAccount) -> Child:
    # The cluster's name is in the title of every process of the server: that is how they are found again.
    options = {**SETTINGS, "cluster_name": place.label}
    settings = [argument for name, value in options.items() for argument in ("-c", f"{name}={value}")]
    return Child(
        name=PROGRAM,
        command=(str(programs / "postgres"), "-D", str(place.postgres), "-k", str(place.sockets), *settings),
        stop_signal=signal.SIGINT,
        grace_s=20.0,
        at_death=signal.SIGINT,
        account=account,
        before=partial(recover, place),
    )


def database_url(place: DataPlace, database: str = DATABASE) -> str:
    return f"postgresql://{ROLE}@/{database}?host={quote(str(place.sockets))}&port={PORT}"


def prepare(place: DataPlace, programs: Path, account: SystemAccount) -> None:
    """Make the data folder if there is none yet. Raises Refused for one of another major version, and Unavailable."""
    if place.postgres.exists():
        check_version(place.postgres)
        return
    draft = place.folder / "postgres.new"
    shutil.rmtree(draft, ignore_errors=True)
    private_folder(draft, account)
    initdb = subprocess.run(
        [programs / "initdb", f"--pgdata={draft}", *INITDB_ARGUMENTS],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd="/",
        env={**BARE_ENVIRONMENT, "LC_ALL": "C"},
        **process_options(signal.SIGKILL, account),
    )
    if initdb.returncode != 0:
        raise Unavailable(f"cannot make a database in {place.folder}: {complaint(initdb.stdout)}")
    draft.rename(place.postgres)


def complaint(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = (line for line in lines if "FATAL" in line or "error:" in line)
    return next(telling, lines[-1] if lines else "no reason given")


def check_version(data: Path) -> None:
    try:
        version = (data / "PG_VERSION").read_text().strip()
    except OSError as error:
        raise Refused(
            f"{data} is not a PostgreSQL data folder ({plain_words(error)}): move it away to start empty"
        ) from error
    if version != str(POSTGRES_MAJOR):
        raise Refused(
            f"{data} was written by PostgreSQL {version} and this is PostgreSQL {POSTGRES_MAJOR}: move the data over "
            f"with pg_dump of version {version}, or move the folder away to start empty"
        )


def recover(place: DataPlace) -> bool:
    """Stop any server that still works in the data folder and remove its pid file. Return whether there was one."""
    if not place.postgres.exists():
        return False
    had_main = end(partial(postmaster, place), STOP_ORPHAN)
    had_others = end(partial(servers, place), ())
    (place.postgres / "postmaster.pid").unlink(missing_ok=True)
    return had_main or had_others


def servers(place: DataPlace) -> list[int]:
    return serving(PROGRAM, place.label, place.account().uid)


def postmaster(place: DataPlace) -> list[int]:
    """Return the pid of the live main process, if its pid file names one."""
    named = pid_file(place.postgres)[:1]
    return [pid for pid in servers(place) if [str(pid)] == named]


def is_ready(place: DataPlace, pid: int) -> bool:
    lines = pid_file(place.postgres)
    return len(lines) >= 8 and lines[0] == str(pid) and lines[7] == "ready"


def pid_file(data: Path) -> list[str]:
    with suppress(FileNotFoundError):
        return [line.strip() for line in (data / "postmaster.pid").read_text().splitlines()]
    return []


def ensure_database(place: DataPlace) -> str:
    with database.connection.connect(database_url(place, "postgres"), autocommit=True, any_schema=True) as connection:
        if connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).fetchone() is None:
            connection.execute("CREATE DATABASE ladder")
    return database_url(place)


def has_data(home: LadderHome) -> bool:
    with home.plain_errors():
        place = folders.find(home)
        return place is not None and place.postgres.exists()


@contextmanager
def database_alone(home: LadderHome) -> Iterator[str]:
    """Serve the data read-only for the block, give the URL. Raises Unavailable, Refused for another major version."""
    why_not = f"the ladder in {home.folder} is just being started or stopped; try again"
    with ExitStack() as held:
        with home.plain_errors():
            held.enter_context(locked(home.lock, why_not, TURN_LIMIT_S))
            place = folders.settle(home)
            held.enter_context(locked(place.folder, f"the data in {place.folder} are in use by another ladder"))
            url = held.enter_context(serve_alone(home, place))
        yield url  # outside: what the block meets is not the home's fault


@contextmanager
def serve_alone(home: LadderHome, place: DataPlace) -> Iterator[str]:
    account = place.account()
    check_version(place.postgres)
    server = child(place, folders.postgres_programs(account), account)
    server = replace(server, command=(*server.command, "-c", "default_transaction_read_only=on"))
    private_folder(place.sockets, account)
    try:
        process = start(server, home, {})
        try:
            wait_until_ready(home, place, process)
            yield database_url(place)
        finally:
            process.send_signal(server.stop_signal)
            try:
                process.wait(server.grace_s)
            except subprocess.TimeoutExpired:  # by force then: the next start recovers
                process.kill()
                process.wait()
    finally:
        shutil.rmtree(place.sockets, ignore_errors=True)


def wait_until_ready(home: LadderHome, place: DataPlace, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_LIMIT_S
    while not is_ready(place, process.pid):
        if process.poll() is not None or time.monotonic() > deadline:
            log = home.log(PROGRAM)
            error = NotStarted(f"PostgreSQL does not start; the end of {log}:\n{last_lines(log)}")
            raise full_disk_error(error, place.folder, home.folder) or error
        time.sleep(0.01)
