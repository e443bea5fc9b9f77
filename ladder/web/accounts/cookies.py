"""The cookies of sessions and forms. Their names begin with __Host-, so no other host can set them."""

from __future__ import annotations

from hashlib import sha256
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers
from starlette.responses import Response

from ladder.accounts.secrets import new_secret
from ladder.accounts.sessions import LASTS_DAYS

SESSION = "__Host-ladder"
FORM = "__Host-ladder-form"
"""Of a browser in which nobody has logged in."""
DAY_S = 24 * 3600


def cookie_of(headers: Headers, name: str) -> str | None:
    """Return what a cookie holds, if the request has it."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return found.value if found is not None and found.value else None


def keep_session(answer: Response, secret: str) -> None:
    """Let a browser keep the secret of its session."""
    keep(answer, SESSION, secret, LASTS_DAYS * DAY_S)


def forget_session(answer: Response) -> None:
    """Let a browser forget its session."""
    keep(answer, SESSION, "", 0)


def keep(answer: Response, name: str, value: str, age_s: int) -> None:
    """Set a cookie that no script reads and no form of another site sends."""
    answer.set_cookie(name, value, max_age=age_s, path="/", secure=True, httponly=True, samesite="lax")


def form_secret(headers: Headers) -> tuple[str, bool]:
    """Return the secret from which the token of this browser's forms follows, and whether its cookie is to be set."""
    found = cookie_of(headers, SESSION) or cookie_of(headers, FORM)
    return (found, False) if found else (new_secret(), True)


def form_token(secret: str) -> str:
    """Return the token that forms carry: only pages that this browser got from us know it."""
    return sha256(f"form:{secret}".encode()).hexdigest()
