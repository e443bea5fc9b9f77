"""Being let in by a server: the device grant of RFC 8628, as the program that asks; and giving the token back."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cli.ladders.client import Client, NoAnswer, Response, no_answer, problem_in, require_good, seconds_to_wait
from cli.ladders.server import origin
from engine.errors import Refused, Unavailable, UsageFault
from engine.text import harmless, one_line, shortened

GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
USUAL_INTERVAL_S = 5.0
"""Between two questions, where a server does not say."""
SLOWER_S = 5.0
"""A program that hears `slow_down` waits this much longer."""
MOST_INTERVAL_S = 60.0
MOST_CLIENT_CHARS = 60


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """A server has been asked. `code`: what is typed on `page`; `shown_page`: has it already; `secret`: our own."""

    secret: str
    code: str
    page: str
    shown_page: str
    expires_in_s: float
    interval_s: float


@dataclass(frozen=True, slots=True)
class Known:
    """Whom a server knows somebody as. `player`: None for the one whose ladder it is, by its key.

    `member`: who it is, where the player is a team.
    """

    player: str | None
    member: str | None
    role: str
    scopes: tuple[str, ...]
    token: str | None
    expires_at: datetime | None


def own_name() -> str:
    return harmless(f"ladder on {socket.gethostname()}")[:MOST_CLIENT_CHARS]


def ask(client: Client, url: str, scopes: str) -> DeviceRequest:
    """Ask to be let in. Raises Unavailable, Refused, also where a server has no such login."""
    answer = posted(client, url, "/oauth/device", {"client_id": own_name(), "scope": scopes})
    if answer.status_code in {401, 404, 405}:
        raise Refused(f"{url} has no logins: it is one person's ladder, whose key goes into LADDER_TOKEN, or none")
    require_good(answer, url)
    found = problem_in(answer)
    try:
        page = own_page(url, found["verification_uri"])
        shown = own_page(url, found.get("verification_uri_complete", page))
        secret, code = str(found["device_code"]), str(found["user_code"])
        return DeviceRequest(secret, code, page, shown, seconds(found, "expires_in", 600), interval_in(found))
    except (KeyError, TypeError, ValueError, UsageFault) as error:
        raise Unavailable(f"{url} is not a ladder: it was asked for a login and gave no code") from error


def interval_in(found: dict[str, Any]) -> float:
    return min(max(seconds(found, "interval", USUAL_INTERVAL_S), 1), MOST_INTERVAL_S)


def seconds(found: dict[str, Any], name: str, usual: float) -> float:
    """Return a number of seconds. Raises ValueError and TypeError."""
    return float(found.get(name, usual))


def own_page(url: str, page: object) -> str:
    """Return a page's address. Raises UsageFault where it is of another kind than the server's: a browser opens it."""
    address = str(page)
    place = "/".join(address.split("/", 3)[:3])
    origin(place)
    if place.partition(":")[0] != url.partition(":")[0] or not address.isprintable():
        raise UsageFault(f"{shortened(address)} is not a page of {url}")
    return address


def collect(client: Client, url: str, asked: DeviceRequest, sleep: Callable[[float], None] = time.sleep) -> str:
    """Wait until somebody has answered in a browser, and return the token.

    Raises Refused where the answer is no, or nobody has answered in time; Unavailable.
    """
    until = time.monotonic() + asked.expires_in_s
    interval_s = asked.interval_s
    while time.monotonic() < until:
        sleep(min(interval_s, max(until - time.monotonic(), 0)))
        try:
            answer = posted(client, url, "/oauth/token", {"grant_type": GRANT_TYPE, "device_code": asked.secret})
        except Unavailable:
            interval_s = min(2 * interval_s, MOST_INTERVAL_S)  # as the RFC has it for connections that fail
            continue
        found = problem_in(answer)
        if answer.is_success and isinstance(found.get("access_token"), str):
            return str(found["access_token"])
        interval_s = after(url, interval_s, answer, found)
    raise Refused(over(url))


def after(url: str, interval_s: float, answer: Response, found: dict[str, Any]) -> float:
    """Return how long to wait after an answer without a token. Raises Refused where none is to come."""
    wait_s = seconds_to_wait(answer)
    if wait_s is not None:
        return max(interval_s, min(wait_s, MOST_INTERVAL_S))
    match found.get("error"):
        case "authorization_pending":
            return interval_s
        case "slow_down":
            return interval_s + SLOWER_S
        case "access_denied":
            raise Refused(f"{url} does not let this machine in: the answer in the browser was no")
        case "expired_token" | "invalid_grant":
            raise Refused(over(url))
    require_good(answer, url)
    raise Unavailable(f"{url} is not a ladder: it was asked for a token and gave none")


def over(url: str) -> str:
    return f"the code's time is over, and nobody has answered: `ladder login {url}` asks anew"


def known(client: Client, url: str) -> Known:
    """Return whom a server knows us as. Raises Refused, Unavailable."""
    try:
        answer = client.get("/api/v1/me")
    except NoAnswer as error:
        raise no_answer(url, error) from error
    require_good(answer, url)
    found = problem_in(answer)
    try:
        until = found["expires_at"]
        return Known(
            line_or_none(found["player"]),
            line_or_none(found["member"]),
            str(found["role"]),
            tuple(map(str, found["scopes"])),
            line_or_none(found["token"]),
            None if until is None else datetime.fromisoformat(until),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Unavailable(f"{url} is not a ladder: it does not say whom it knows") from error


def line_or_none(found: object) -> str | None:
    return None if found is None else one_line(str(found))


def give_back(client: Client, url: str, token: str) -> bool:
    """End a token, where the server answers; return whether it did."""
    with suppress(Unavailable):
        return posted(client, url, "/oauth/revoke", {"token": token}).is_success
    return False


def posted(client: Client, url: str, path: str, form: dict[str, str]) -> Response:
    """Send a form. Raises Unavailable where nobody answers."""
    try:
        return client.post_form(path, form)
    except NoAnswer as error:
        raise no_answer(url, error) from error
