"""Hashing and checking passwords: argon2id with the defaults of argon2-cffi.

How this works. A hash takes a tenth of a second of a core and 64 MB. At most AT_ONCE are made at once, so that matches
keep their cores: the pages have so many threads for it. Where there is no account the same work is done, so the time
says nothing about names.
"""

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from engine.errors import UsageFault

FEWEST_CHARS, MOST_CHARS = 12, 200
HASHER = PasswordHasher()
AT_ONCE = 2


@cache
def hash_of_nothing() -> str:
    """Return a hash that no password has, for the work of checking one where there is no account."""
    return hashed("no password is this one")


def require_usable(password: str) -> None:
    if not FEWEST_CHARS <= len(password) <= MOST_CHARS:
        raise UsageFault(f"a password has {FEWEST_CHARS} to {MOST_CHARS} characters; this one has {len(password)}")


def hashed(password: str) -> str:
    return HASHER.hash(password.encode("utf-8", "surrogatepass"))


def fits(password: str, password_hash: str | None) -> bool:
    """Say whether a password is the one with that hash; None: of nobody, which takes as long."""
    if len(password) > MOST_CHARS:
        password = ""
    try:
        HASHER.verify(password_hash or hash_of_nothing(), password.encode("utf-8", "surrogatepass"))
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


def is_outdated(password_hash: str) -> bool:
    return HASHER.check_needs_rehash(password_hash)
