"""The entrance to the pages: a port of this machine or a socket in the file system, and the key that lets readers in.

How this works. Another program may have the port, so some after it are tried. A socket in the file system is made with
a mode that lets only its own account in, from its first moment on; one that a killed process has left is replaced.

Every account of the machine can reach a port of the machine. So each request has to show the key, which is in a file
that only this account can read: in the address once, which is exchanged for a cookie, or as a bearer token. The cookie
holds a digest of the key, and is named after it: otherwise two ladders on two ports of one host would overwrite each
other's, as cookies know no ports.

A port has no owner: when these pages have ended, another account may listen on it and collect the cookies that browsers
send there. So a cookie opens the pages of one session only. The next session asks for the key again.
"""

import errno
import os
import re
import secrets
import socket
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path

from engine.errors import Refused, Unavailable, UsageFault, plain_words
from engine.immutable import immutable
from ladder.settings import LARGEST_PORT

PORTS = 20
"""How many ports are tried, from the one that was asked for."""
BACKLOG = 128
OTHERS = 0o177
"""What others, and executing, are not allowed on a socket."""
FILE = "web.key"
KEY_BYTES = 32
KEY = re.compile("[0-9a-f]{64}")


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
    one = f"port {port} of {host} is in use by another program"
    several = f"ports {port} to {last} of {host} are all in use"
    raise Unavailable(f"{one if exact else several}: name another one with --port, or in LADDER_WEB_PORT")


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
            before = os.umask(OTHERS)
            try:
                listener.bind(os.fspath(path))
            finally:
                os.umask(before)
            listener.listen(BACKLOG)
        except OSError as error:
            raise UsageFault(f"no socket can be made at {path}: {plain_words(error)}") from error
        with removed_at_end(path):
            yield listener


@contextmanager
def removed_at_end(path: Path) -> Iterator[None]:
    """Remove a socket's file after the block, unless another one has taken its place. Raises OSError without it."""
    own_stat = path.lstat()
    try:
        yield
    finally:
        with suppress(OSError):
            if os.path.samestat(path.lstat(), own_stat):
                path.unlink()


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


@immutable
class Key:
    """A key, and the file where people find it. `session`: the session of the pages that its cookies open."""

    text: str
    file: Path
    session: str = ""

    @property
    def cookie_name(self) -> str:
        return f"ladder_{digest('name', self.text)[:12]}"

    @property
    def cookie(self) -> str:
        return digest(f"cookie:{self.session}", self.text)

    def opens(self, text: str) -> bool:
        return compare_digest(text.encode(), self.text.encode())

    def opens_by_cookie(self, text: str) -> bool:
        return compare_digest(text.encode(), self.cookie.encode())


def digest(purpose: str, key: str) -> str:
    return sha256(f"{purpose}:{key}".encode()).hexdigest()


def key_in(folder: Path) -> Key:
    """Return the key of a home, which is made where there is none. Raises Refused for a file that holds no key."""
    path = folder / FILE
    try:
        text = path.read_text("ascii").strip()
    except FileNotFoundError:
        text = new_key(path)
    except UnicodeDecodeError:
        text = ""
    if not KEY.fullmatch(text):
        raise Refused(f"{path} holds no key: delete it, and the next start makes a new one")
    return Key(text, path)


def new_key(path: Path) -> str:
    """Write a new key, or return the one that another process has just written."""
    with tempfile.TemporaryDirectory(prefix=".web-key-", dir=path.parent) as folder:
        draft = Path(folder) / "key"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
        with suppress(FileExistsError):
            path.hardlink_to(draft)
    return path.read_text("ascii").strip()
