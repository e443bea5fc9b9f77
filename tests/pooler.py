"""pgbouncer, in front of a PostgreSQL of the tests: a Debian package that `deploy/setup.sh all-tests` installs."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg

from tests.networks import free_port
from tests.patience import wait_until
from workers.embedded.folders import SystemAccount

CONFIGURATION = """
[databases]
* = host={host} port={port}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen_port}
unix_socket_dir =
auth_type = trust
auth_file = {users}
pool_mode = {mode}
default_pool_size = {pool_size}
server_round_robin = {round_robin}
"""


@contextmanager
def pooled(
    folder: Path, database_url: str, mode: str, *, pool_size: int = 20, round_robin: bool = False
) -> Iterator[str]:
    """Run a pgbouncer in front of a database, given by the address of its Unix socket; give the address through it."""
    parts = urlsplit(database_url)
    server = parse_qs(parts.query)
    listen_port = free_port()
    folder.chmod(0o755)
    users = folder / "users.txt"
    users.write_text('"ladder" ""\n')
    file = folder / f"pgbouncer-{listen_port}.ini"
    file.write_text(
        CONFIGURATION.format(
            host=server["host"][0],
            port=server["port"][0],
            listen_port=listen_port,
            users=users,
            mode=mode,
            pool_size=pool_size,
            round_robin=int(round_robin),
        )
    )
    url = f"postgresql://ladder@127.0.0.1:{listen_port}{parts.path}"
    account = SystemAccount.owner_of(Path(server["host"][0]))
    command = ["pgbouncer", "--quiet", str(file)]
    if not account.is_ours:  # it refuses to run as root
        command = ["setpriv", f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups", *command]
    environment = {**os.environ, "PATH": f"{os.environ.get('PATH', os.defpath)}:/usr/sbin"}
    process = subprocess.Popen(command, env=environment, cwd="/", stdin=subprocess.DEVNULL)
    try:
        wait_until(lambda: answers(url), "pgbouncer answers")
        yield url
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def answers(url: str) -> bool:
    try:
        with psycopg.connect(url, prepare_threshold=None, autocommit=True) as connection:
            return connection.execute("SELECT 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False
