"""The file of what this machine is known by at servers: ~/.config/ladder/credentials.toml, for this account alone.

How this works. It has one entry for each server, by its address, and the address of the one that commands mean. It is
written anew and renamed, so that nobody reads half of it; a lock on the folder lets two commands change it in turn. A
file that other accounts can read is not used: its tokens may be known.

Imports inside functions: most commands find no such file, and need no reader of TOML.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from engine.errors import Refused, UsageFault
from engine.immutable import immutable
from engine.machine import home_folder
from engine.text import one_line, toml_text

FILE = "credentials.toml"
HEAD = "# What this machine is known by at ladders behind servers. Written by `ladder login` and `ladder logout`.\n"


@immutable
class Login:
    """Whom a server knows this machine as, and by which token."""

    player: str
    token: str = field(repr=False)


@immutable
class Credentials:
    """All logins of this machine, by the server's address. `server`: the one that commands mean, None: this machine."""

    logins: Mapping[str, Login] = field(default_factory=dict[str, Login])
    server: str | None = None

    def with_login(self, server: str, login: Login) -> Credentials:
        return Credentials({**self.logins, server: login}, server)

    def without(self, server: str) -> Credentials:
        others = {address: login for address, login in self.logins.items() if address != server}
        return replace(self, logins=others, server=None if self.server == server else self.server)


def path_here() -> Path | None:
    named = os.environ.get("XDG_CONFIG_HOME", "")
    if named.startswith("/"):
        return Path(named) / "ladder" / FILE
    home = os.environ.get("HOME")
    folder = Path(home) if home else home_folder()
    return None if folder is None else folder / ".config" / "ladder" / FILE


def needed_path() -> Path:
    if (path := path_here()) is None:
        raise UsageFault(f"uid {os.getuid()} has no home folder for its logins: name one in XDG_CONFIG_HOME")
    return path


def kept() -> Credentials:
    return Credentials() if (path := path_here()) is None else read(path)


def read(path: Path) -> Credentials:
    """Read the file; none where there is none. Raises Refused for one that is not safe, or no such file."""
    try:
        with path.open("rb") as file:
            require_own(path, os.fstat(file.fileno()))
            content = file.read()
    except FileNotFoundError:
        return Credentials()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error
    return parsed(path, content)


def require_own(path: Path, state: os.stat_result) -> None:
    """Raise Refused where others than this account can read or change the file."""
    if state.st_uid != os.geteuid():
        raise Refused(f"{path} belongs to another account, so its tokens are not used: delete it and log in again")
    if state.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        remedy = f"type `chmod 600 {path}`, and revoke them if somebody may have seen them"
        raise Refused(f"other accounts can read {path}, which holds your tokens: {remedy}")


def parsed(path: Path, content: bytes) -> Credentials:
    import tomllib

    try:
        table = tomllib.loads(content.decode())
        tables: dict[str, dict[str, Any]] = table.get("servers", {})
        logins = {address: Login(text_in(own, "player"), text_in(own, "token")) for address, own in tables.items()}
        server = text_in(table, "server") if "server" in table else None
        _ = logins[server] if server is not None else None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        why = one_line(str(error)) or type(error).__name__
        raise Refused(f"{path} holds no logins ({why}): delete it and log in again") from error
    return Credentials(logins, server)


def text_in(table: Mapping[str, Any], name: str) -> str:
    """Return a text of a table. Raises KeyError, and TypeError where it is another kind of value."""
    value = table[name]
    if not isinstance(value, str):
        raise TypeError(f"{name} is not text")
    return value


@contextmanager
def changing(path: Path) -> Iterator[Credentials]:
    """Give what the file holds, and let nobody else change it meanwhile. Raises Refused."""
    try:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        path.parent.chmod(0o700)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield read(path)
    finally:
        os.close(folder)


def write(path: Path, credentials: Credentials) -> None:
    """Write the file, inside of `changing`. Raises Refused."""
    lines = [HEAD] if credentials.server is None else [HEAD, f"server = {toml_text(credentials.server)}\n"]
    for address, login in sorted(credentials.logins.items()):
        lines.append(f"\n[servers.{toml_text(address)}]\n")
        lines += [f"player = {toml_text(login.player)}\n", f"token = {toml_text(login.token)}\n"]
    draft = path.with_name(f".{FILE}.{os.getpid()}")
    try:
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write("".join(lines).encode())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise Refused(f"{path} cannot be written: {error.strerror}") from error
