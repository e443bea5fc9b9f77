"""What a form sends, and whether it comes from our own page; and pages with forms."""

from collections.abc import Mapping
from contextlib import suppress
from hmac import compare_digest
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from starlette.responses import RedirectResponse, Response

from engine.errors import UsageFault
from engine.text import shortened
from ladder.access import Actor
from ladder.accounts.secrets import new_secret
from ladder.actions.logins import Browser
from ladder.errors import NotAllowed
from ladder.ids import LARGEST_ID
from ladder.web.identity import ASKING, FORM, SESSION, RequestLimits, cookie_of, form_secret, form_token, keep
from ladder.web.rendering import page

N = TypeVar("N", int, float)
NUMBERS: Mapping[type, str] = {int: "a whole number", float: "a number"}
MOST_BYTES = 32 * 1024
"""Of a form. The longest has a text of 2,000 characters, of which each takes 12 bytes at most."""
MOST_FIELDS = 50
TOKEN_FIELD = "form_token"  # noqa: S105 - a field's name
FORM_LASTS_S = 24 * 3600


async def read_form(request: Request) -> Mapping[str, str]:
    """Return the fields of a form. Raises UsageFault for one that is too long or cannot be read, as soon as it is."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise UsageFault(f"this form has more than {MOST_BYTES} bytes")
    try:
        return dict(
            parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
        )
    except ValueError as error:
        raise UsageFault("this is not a form in UTF-8") from error


async def read_own_form(request: Request) -> Mapping[str, str]:
    """Return the fields of a form of our own pages. Raises NotAllowed for any other, UsageFault."""
    fields = await read_form(request)
    require_own(request, fields)
    return fields


def require_own(request: Request, fields: Mapping[str, str]) -> None:
    secret = form_secret(request.headers)
    if secret is None or not compare_digest(fields.get(TOKEN_FIELD, "").encode(), form_token(secret).encode()):
        raise NotAllowed("this form is too old, or not from this ladder: open its page again")


AnyForm = Annotated[Mapping[str, str], Depends(read_form)]
OwnForm = Annotated[Mapping[str, str], Depends(read_own_form)]
OWN = [Depends(read_own_form)]
"""Of a form that says all in its address."""


def number_in(
    form: Mapping[str, str], name: str, kind: type[N], least: float = 0, most: float = LARGEST_ID
) -> N | None:
    """Return the number in a field, None where it is empty. Raises UsageFault for what is none, or out of bounds."""
    words = form.get(name, "").strip()
    if not words:
        return None
    with suppress(ValueError):
        number = kind(words)
        if words.isascii() and "_" not in words and least <= number <= most:
            return number
    bounds = "" if most == LARGEST_ID else f" from {least} to {most:,}"
    raise UsageFault(f"{name} is {shortened(words)}; it must be {NUMBERS[kind]}{bounds}")


def player_of() -> Actor:
    """Return the player who has logged in. Raises NotAllowed for a token: pages of accounts are for people."""
    asking = ASKING.get()
    if asking.actor is None or asking.session is None:
        raise NotAllowed("this page is for a person who has logged in, not for a token")
    return asking.actor


Player = Annotated[Actor, Depends(player_of)]


def limits_of(request: Request) -> RequestLimits:
    limits: RequestLimits = request.app.state.limits
    return limits


LimitsHere = Annotated[RequestLimits, Depends(limits_of)]


def browser_of(request: Request) -> Browser:
    asking = ASKING.get()
    return Browser(request.headers.get("user-agent", ""), asking.address, cookie_of(request.headers, SESSION))


def require_twice(form: Mapping[str, str]) -> None:
    if form.get("password", "") != form.get("again", ""):
        raise UsageFault("the two passwords differ")


def form_page(request: Request, name: str, /, *, status: int = 200, **values: Any) -> Response:
    """Return a page with forms, which no cache keeps, and whose forms work in this browser alone."""
    known_secret = form_secret(request.headers)
    secret = known_secret or new_secret()
    answer = page(name, status=status, form_token=form_token(secret), **values)
    answer.headers["Cache-Control"] = "no-store"
    if known_secret is None:
        keep(answer, FORM, secret, FORM_LASTS_S)
    return answer


def going_to(place: str) -> RedirectResponse:
    return RedirectResponse(own_place(place), 303, {"Cache-Control": "no-store"})


def own_place(place: str) -> str:
    """Return a path of this ladder: that one, or the first page where it would lead elsewhere."""
    fits = place.startswith("/") and not place.startswith(("//", "/\\")) and place.isprintable() and "\\" not in place
    return place if fits and len(place) <= 2000 else "/"
