"""The key that lets readers in, in a file that only this account can read.

How this works. Every account of the machine can reach a port of the machine. So each request has to show the key: in
the address once, which is exchanged for a cookie, or as a bearer token. The cookie holds a digest of the key, and is
named after it: otherwise two ladders on two ports of one host would overwrite each other's, as cookies know no ports.

A port has no owner: when these pages have ended, another account may listen on it and collect the cookies that browsers
send there. So a cookie opens the pages of one session only. The next session asks for the key again.
"""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path

from engine.errors import Refused

FILE = "web.key"
KEY_BYTES = 32
KEY = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
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
