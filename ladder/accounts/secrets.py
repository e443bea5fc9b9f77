"""Secrets and passwords, and the hashes under which they are kept. Pure but for the system's random numbers.

A secret of 32 random bytes needs no salt and no slow hash: it cannot be guessed, so SHA-256 is enough. The database has
the hash alone, and so does a copy of it that others get to see.
"""

import secrets
from hashlib import sha256

TOKEN_PREFIX = "ldr_"  # noqa: S105 - what tokens begin with, so that scanners of sources find one
CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""Consonants: a code that people type spells no word."""


def new_secret() -> str:
    return secrets.token_urlsafe(32)


def new_user_code() -> str:
    code = "".join(secrets.choice(CODE_LETTERS) for _ in range(8))
    return f"{code[:4]}-{code[4:]}"


def typed_code(words: str) -> str:
    """Return a code as it was given, from how somebody typed it: small letters, blanks and hyphens do not matter."""
    letters = "".join(sign for sign in words.upper() if sign.isalnum())
    return f"{letters[:4]}-{letters[4:]}"


def digest(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
