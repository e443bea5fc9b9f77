"""Which ladder a command means: this machine's, or one behind a server."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from urllib.parse import SplitResult, urlsplit

from cli.ladders import credentials
from cli.ladders.credentials import Credentials
from engine.errors import UsageFault
from engine.immutable import immutable

SERVER, TOKEN, DATABASE = "LADDER_SERVER", "LADDER_TOKEN", "LADDER_DATABASE_URL"
LOCAL = "local"
TOKEN_PREFIX = "ldr_"  # noqa: S105 - as ladder.accounts.secrets has it, whose import takes 10 ms
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
USUAL_PORTS = {"http": 80, "https": 443}
SECRET = re.compile("[!-~]{1,200}")
"""What a token or a key consists of, so that it can stand in a header."""


class Assumed(str):
    """A player's name that nobody has typed: on a ladder behind a server one is whom that knows, whatever it says."""

    __slots__ = ()


@immutable
class Server:
    """A server, and the secret that it knows this machine by; "" for none. `chosen_by`: what names it."""

    url: str
    token: str = field(default="", repr=False)
    chosen_by: str = "--server"


@immutable
class Known:
    """Whom a server knows somebody as. `player`: None for the one whose ladder it is, by its key.

    `token`: its name, None for none; `expires_at`: when it ends; `member`: who it is, where the player is a team.
    """

    player: str | None
    role: str
    scopes: Sequence[str]
    token: str | None = None
    expires_at: datetime | None = None
    member: str | None = None


def server_meant(
    typed: str | None, environment: Mapping[str, str] = os.environ, kept: Callable[[], Credentials] = credentials.kept
) -> Server | None:
    """Return the server that a command means; None for this machine's own ladder.

    What was typed comes before LADDER_SERVER, a named database, the login. Raises UsageFault for a bad address or
    two that differ, Refused.
    """
    address = typed or environment.get(SERVER)
    if address == LOCAL:
        return None
    if address:
        url = origin(address)
        if environment.get(DATABASE):
            raise UsageFault(f"a server is named, {url}, and {DATABASE} is set, which names a database: leave one out")
        return Server(url, secret_for(url, environment, kept), "--server" if typed else SERVER)
    if environment.get(DATABASE) or (logins := kept()).server is None:
        return None
    return Server(origin(logins.server), check_secret(logins.logins[logins.server].token), "login")


def secret_for(server: str, environment: Mapping[str, str], kept: Callable[[], Credentials]) -> str:
    """Return the environment's token where it is for this server, else the login's. Raises UsageFault, Refused."""
    named = environment.get(SERVER)
    if environment.get(TOKEN) and (not named or named == LOCAL or origin(named) == server):
        return check_secret(environment[TOKEN])
    login = kept().logins.get(server)
    return "" if login is None else check_secret(login.token)


def check_secret(secret: str) -> str:
    """Return a secret. Raises UsageFault for one that cannot be."""
    if not SECRET.fullmatch(secret.strip()):
        raise UsageFault(f"this is not a token: one begins with ldr_ and has no blanks ({TOKEN}, or the login)")
    return secret.strip()


def origin(url: str) -> str:
    """Return a server's address without anything behind it. Raises UsageFault."""
    if TOKEN_PREFIX in url:  # which no sentence may print
        raise UsageFault(f"a token stands where a server's address is to be: its place is {TOKEN}, or `ladder login`")
    parts = parts_of(url)
    if parts is None or parts.scheme not in USUAL_PORTS or parts.username is not None:
        form = f"it looks like https://arena.example, or it is `{LOCAL}`"
        raise UsageFault(f"{url!r} is not the address of a server: {form}")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise UsageFault(f"{url} would send your token in the clear: only https is spoken beyond this machine")
    if parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise UsageFault(f"{url}: leave out what stands behind the server's name")
    return f"{parts.scheme}://{parts.netloc.lower().removesuffix(f':{USUAL_PORTS[parts.scheme]}')}"


def parts_of(url: str) -> SplitResult | None:
    """Return an address in its parts; None where it names no host, or a port that is not a number."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    return parts if parts.hostname is not None and port != 0 and parts.netloc.isascii() else None
