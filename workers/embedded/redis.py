"""Redis: a foreground child that keeps an append-only file, reached by a Unix socket only.

The queue is a doorbell: what matters is in PostgreSQL. So a log that Redis cannot read any more is put aside and Redis
starts empty; the sweep enqueues again what waits.
"""

import signal
import socket
import time
from functools import partial
from pathlib import Path
from urllib.parse import quote

from workers.embedded.folders import DataPlace, SystemAccount
from workers.embedded.processes import Child, end, serving

PROGRAM = "redis-server"
LOG_OF_WRITES = "appendonly.aof"
STOP_ORPHAN = ((signal.SIGTERM, 10.0),)


def child(place: DataPlace, program: Path, account: SystemAccount) -> Child:
    options = {
        "port": "0",
        "unixsocket": str(socket_path(place)),
        "unixsocketperm": "700",
        "dir": str(place.redis),
        "appendonly": "yes",
        "appendfilename": LOG_OF_WRITES,
        "appendfsync": "everysec",
        "aof-load-truncated": "yes",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "logfile": "",
    }
    arguments = [argument for name, value in options.items() for argument in (f"--{name}", value)]
    return Child(name="redis", command=(str(program), *arguments), account=account, before=partial(recover, place))


def socket_path(place: DataPlace) -> Path:
    return place.sockets / "redis.sock"


def broker_url(place: DataPlace) -> str:
    return f"redis+socket://{quote(str(socket_path(place)))}"


def recover(place: DataPlace) -> bool:
    if not place.redis.exists():
        return False
    return end(partial(serving, PROGRAM, place.label, SystemAccount.owner_of(place.redis).uid), STOP_ORPHAN)


def is_ready(place: DataPlace, _pid: int) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(str(socket_path(place)))
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False


def put_log_aside(place: DataPlace, last_words: str) -> bool:
    """Return whether the server complained about its append-only file."""
    log = place.redis / LOG_OF_WRITES
    if "append only file" not in last_words or not log.exists():
        return False
    log.rename(log.with_name(f"{LOG_OF_WRITES}.unreadable-{time.time_ns()}"))
    return True
