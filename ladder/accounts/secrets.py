"""Secrets and passwords, and the hashes under which they are kept. Pure but for the system's random numbers.

A secret of 32 random bytes needs no salt and no slow hash: it cannot be guessed, so SHA-256 is enough. The database has
the hash alone, and so does a copy of it that others get to see.

How this works. A hash takes a tenth of a second of a core and 64 MB. At most two are made at once, so that matches keep
their cores; others wait. Where there is no account the same work is done, so the time says nothing about names.
"""

from __future__ import annotations

import secrets
import threading
from functools import cache
from hashlib import sha256

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from engine.errors import UsageFault

FEWEST_CHARS, MOST_CHARS = 12, 200
HASHER = PasswordHasher()
AT_ONCE = threading.BoundedSemaphore(2)


@cache
def hash_of_nothing() -> str:
    """Return a hash that no password has, for the work of checking one where there is no account."""
    return hashed("no password is this one")


def require_usable(password: str) -> None:
    """Raise UsageFault for a password that is too short or too long."""
    if not FEWEST_CHARS <= len(password) <= MOST_CHARS:
        raise UsageFault(f"a password has {FEWEST_CHARS} to {MOST_CHARS} characters; this one has {len(password)}")


def hashed(password: str) -> str:
    """Return the hash of a password."""
    with AT_ONCE:
        return HASHER.hash(password.encode("utf-8", "surrogatepass"))


def fits(password: str, kept: str | None) -> bool:
    """Say whether a password is the one whose hash is kept; None: of nobody, which takes as long."""
    wanted = hash_of_nothing() if kept is None else kept
    if len(password) > MOST_CHARS:
        password = ""
    with AT_ONCE:
        try:
            HASHER.verify(wanted, password.encode("utf-8", "surrogatepass"))
        except (VerificationError, InvalidHashError):
            return False
    return kept is not None


def is_outdated(kept: str) -> bool:
    return HASHER.check_needs_rehash(kept)


SECRET_BYTES = 32
TOKEN_PREFIX = "ldr_"  # noqa: S105 - what tokens begin with, so that scanners of sources find one
TOKEN_CHARS = len(TOKEN_PREFIX) + 43
CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""Consonants: a code that people type spells no word."""
CODE_LENGTH = 8


def new_secret() -> str:
    """Return a new secret of 43 signs that can stand in an address."""
    return secrets.token_urlsafe(SECRET_BYTES)


def new_token() -> str:
    """Return a new token, which shows what it is."""
    return TOKEN_PREFIX + new_secret()


def new_user_code() -> str:
    """Return a code for people to type, as in WXKP-RTLM."""
    code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    return f"{code[:4]}-{code[4:]}"


def typed_code(words: str) -> str:
    """Return a code as it was given, from how somebody typed it: small letters, blanks and hyphens do not matter."""
    letters = "".join(sign for sign in words.upper() if sign.isalnum())
    return f"{letters[:4]}-{letters[4:]}"


def digest(secret: str) -> bytes:
    """Return the hash under which a secret is kept."""
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
