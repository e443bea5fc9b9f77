"""Where pages are listened for: a port of this machine, or a socket in the file system.

How this works. Another program may have the port, so some after it are tried. A socket in the file system is made with
a mode that lets only its own account in, from its first moment on; one that a killed process has left is replaced.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import Refused, Unavailable, UsageFault, plain_words
from ladder.settings import LARGEST_PORT

PORTS = 20
"""How many ports are tried, from the one that was asked for."""
BACKLOG = 128
OTHERS = 0o177
"""What others, and executing, are not allowed on a socket."""


def listen(host: str, port: int, *, exact: bool, before: int | None = None) -> socket.socket:
    """Listen on a port of this machine, or the next free one of PORTS. `before`: one of these that is tried first.

    Port 0 is any that is free. `exact`: on that port or none, as where a proxy leads people to it: whoever has another
    one there would get them. Raises Unavailable where none is free, or the system does not allow it.
    """
    last = port if exact else min(port + PORTS - 1, LARGEST_PORT) if port else 0
    ports = range(port, last + 1)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in sorted(ports, key=lambda one: (one != before, one)):
        try:
            return socket.create_server((host, number), family=family, backlog=BACKLOG)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise Unavailable(f"cannot listen on port {number} of {host}: {plain_words(error)}") from error
    taken = (
        f"port {port} of {host} is in use by another program"
        if exact
        else f"ports {port} to {last} of {host} are all in use"
    )
    raise Unavailable(f"{taken}: name another one with --port, or in LADDER_WEB_PORT")


def port_of(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def address_of(listener: socket.socket) -> str:
    host = listener.getsockname()[0]
    return f"http://{f'[{host}]' if ':' in host else host}:{port_of(listener)}/"


@contextmanager
def listening_at(path: Path) -> Iterator[socket.socket]:
    """Listen on a socket that only this account can reach, and that is gone after the block.

    Raises Refused where something else is there, Unavailable where another process listens on it, UsageFault for a
    path that cannot be one.
    """
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            make_way(path)
            bind_alone(listener, path)
            listener.listen(BACKLOG)
        except OSError as error:
            raise UsageFault(f"no socket can be made at {path}: {plain_words(error)}") from error
        with removed_at_end(path):
            yield listener


@contextmanager
def removed_at_end(path: Path) -> Iterator[None]:
    """Remove a socket's file after the block, unless another one has taken its place. Raises OSError without it."""
    own = path.lstat()
    try:
        yield
    finally:
        with suppress(OSError):
            if os.path.samestat(path.lstat(), own):
                path.unlink()


def bind_alone(listener: socket.socket, path: Path) -> None:
    before = os.umask(OTHERS)
    try:
        listener.bind(os.fspath(path))
    finally:
        os.umask(before)


def make_way(path: Path) -> None:
    """Remove the socket that a process has left which was killed. Raises Refused, Unavailable, OSError."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise Refused(f"{path} is there, and is not a socket: name another path")
    with socket.socket(socket.AF_UNIX) as caller:
        try:
            caller.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise Unavailable(f"another process listens on {path}: end that one, or name another path")
