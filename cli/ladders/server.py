"""Which ladder a command means: this machine's, or one behind a server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from engine.errors import UsageFault

SERVER, TOKEN, DATABASE = "LADDER_SERVER", "LADDER_TOKEN", "LADDER_DATABASE_URL"
LOCAL = "local"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Server:
    """A server and the secret that it knows this machine by; "" for none."""

    url: str
    token: str = ""


def server_meant(url: str | None, environment: Mapping[str, str] = os.environ) -> Server | None:
    """Return the server that is named by an address; None for this machine's own ladder.

    Raises UsageFault for an address that is none, or one that would carry the token in the clear over a network.
    """
    if not url or url == LOCAL:
        return None
    if environment.get(DATABASE):
        raise UsageFault(f"a server is named, {url}, and {DATABASE} is set, which names a database: leave one out")
    return Server(origin(url), environment.get(TOKEN, ""))


def origin(url: str) -> str:
    """Return a server's address without anything behind it. Raises UsageFault."""
    parts = parts_of(url)
    if parts is None or parts.scheme not in {"http", "https"} or parts.username is not None:
        raise UsageFault(f"{url!r} is no server's address: it looks like https://arena.example, or it is `{LOCAL}`")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise UsageFault(f"{url} would send your token in the clear: only https is spoken beyond this machine")
    if parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise UsageFault(f"{url}: leave out what stands behind the server's name")
    return f"{parts.scheme}://{parts.netloc}"


def parts_of(url: str) -> SplitResult | None:
    """Return an address in its parts; None where it names no host, or a port that is no number."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    return parts if parts.hostname is not None and port != 0 else None
