"""A client of one server: HTTP as far as the commands need it, and being let in.

How this works. httpcore does the talking. httpx, which many know, is built on it, and its import would take longer than
all else that `ladder board` does from afar and not here: see docs/decisions/0016-httpcore-in-the-client.md. Being let
in is the device grant of RFC 8628, as the program that asks; the token is given back, too.
"""

import gzip
import socket
import ssl
import time
import zlib
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import field
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import orjson

from cli.ladders.server import Known, Server, origin
from engine.errors import ArenaError, MissingTool, Refused, Unavailable, UsageFault
from engine.immutable import immutable
from engine.machine import patience_s
from engine.text import harmless, one_line, shortened
from ladder.version import HEADER, VERSION, compared

TIMEOUT_S = 20.0
KEPT_OPEN_S = 5.0
"""An idle connection is used again for so long."""
NONE: Mapping[str, str] = {}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LOST = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, zlib.error, EOFError, OSError)
"""Errors after it may have been sent."""
NOT_REACHED = (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.ProxyError, UnicodeError)
"""Errors before a request is sent; the last one is for a name that no host can have."""


class NoAnswer(Exception):
    """A server has not answered, in the words of what failed. It may have got the request."""


class NotReached(NoAnswer):
    """Nothing was sent to it."""


@immutable
class Response:
    """What a server answered. `headers`: by their names in small letters."""

    status_code: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content: bytes = b""

    @property
    def is_success(self) -> bool:
        return 200 <= self.status_code < 300

    def header(self, name: str) -> str:
        return self.headers.get(name.lower(), "")

    def json(self) -> Any:
        return orjson.loads(self.content)


class Client(AbstractContextManager["Client"]):
    """What speaks HTTP with one server. It follows no redirection, so a token goes to nobody else."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        """`url`: scheme and place, as `cli.ladders.server.origin` gives them. `headers`: of each request."""
        usual = {"Host": urlsplit(url).netloc, "Accept": "*/*", "Accept-Encoding": "gzip", "Connection": "keep-alive"}
        self._url = url
        self._headers = {**usual, **headers}
        self._pool = pool_for(url)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._pool.close()

    def get(self, path: str, params: Mapping[str, str] = NONE, headers: Mapping[str, str] = NONE) -> Response:
        return self.request("GET", path, params, headers)

    def post_form(self, path: str, form: Mapping[str, str]) -> Response:
        return self.request("POST", path, NONE, FORM, urlencode(form).encode())

    def request(
        self,
        method: str,
        path: str,
        params: Mapping[str, str],
        headers: Mapping[str, str],
        content: bytes | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> Response:
        """Send a request and read the whole answer. Raises NoAnswer."""
        address = f"{self._url}{path}?{urlencode(params)}" if params else f"{self._url}{path}"
        timeouts = dict.fromkeys(("connect", "read", "write", "pool"), patience_s(timeout_s))
        lines = [(name.encode(), value.encode()) for name, value in {**self._headers, **headers}.items()]
        ask = partial(self._pool.request, headers=lines, content=content, extensions={"timeout": timeouts})
        try:
            try:
                reply = ask(method, address)
            except (httpcore.NetworkError, httpcore.RemoteProtocolError):
                if method != "GET":  # the server may have ended the connection just as it was used again
                    raise
                reply = ask(method, address)
            names = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in reply.headers}
            body = gzip.decompress(reply.content) if names.get("content-encoding") == "gzip" else reply.content
            return Response(reply.status, names, body)
        except (*NOT_REACHED, *LOST) as error:
            kind = NotReached if isinstance(error, NOT_REACHED) else NoAnswer
            raise kind(one_line(str(error)) or type(error).__name__) from error


def pool_for(url: str) -> httpcore.ConnectionPool:
    """Return what keeps the connection with a server, through the environment's proxy if any. Raises UsageFault."""
    trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if url.startswith("http:") else ssl.create_default_context()
    if (proxy := proxy_for(url)) is None:
        return httpcore.ConnectionPool(trusted, keepalive_expiry=KEPT_OPEN_S)
    parts = urlsplit(proxy)
    auth = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
    place = parts._replace(netloc=parts.netloc.rpartition("@")[2], path="", query="", fragment="").geturl()
    return httpcore.HTTPProxy(place, auth, ssl_context=trusted, keepalive_expiry=KEPT_OPEN_S)


def proxy_for(url: str) -> str | None:
    """Return the proxy for a server; None where TLS does not hide the token from it. Raises UsageFault for no HTTP."""
    proxies = getproxies()
    named = proxies.get("https") or proxies.get("all")
    if url.startswith("http:") or not named or proxy_bypass(urlsplit(url).netloc):
        return None
    proxy = named if "://" in named else f"http://{named}"
    if urlsplit(proxy).scheme not in {"http", "https"}:
        named = f"{proxy.partition('://')[0]}://…"
        raise UsageFault(f"the environment names {named} as the proxy for https; a proxy is http:// or https://")
    return proxy


FAULTS: dict[int | None, type[ArenaError]] = {2: UsageFault, 3: Refused, 4: Unavailable, 5: MissingTool}
"""An error by its exit status."""
AWAY = frozenset({502, 503, 504})


def client_of(server: Server) -> Client:
    version = {HEADER: VERSION, "User-Agent": f"ladder/{VERSION}"}
    return Client(server.url, version | ({"Authorization": f"Bearer {server.token}"} if server.token else {}))


def no_answer(url: str, error: NoAnswer) -> Unavailable:
    words = str(error)
    if "CERTIFICATE_VERIFY_FAILED" in words:  # as OpenSSL says it
        why = words.partition("verify failed: ")[2].partition(" (_ssl")[0] or words
        instead = "where a school or team signs its own, SSL_CERT_FILE names its file"
        return Unavailable(f"the certificate of {url} is not trusted ({why}): {instead}")
    return Unavailable(f"{url} does not answer ({words})")


def require_good(answer: Response, url: str) -> None:
    """Raise what an answer says is wrong. Raises Unavailable, Refused, UsageFault and other errors of ours."""
    theirs = answer.header(HEADER)
    if order := compared(theirs):
        what = "this program is too old for it: update it" if order > 0 else "this program is too new for it"
        raise Refused(f"{url} is Ladder {shortened(theirs)} and this is {VERSION}: {what}")
    if answer.is_success:
        return
    if 300 <= answer.status_code < 400 and "location" in answer.headers:
        raise Refused(f"{url} leads elsewhere, to {shortened(answer.header('Location'))}: name that server")
    problem = problem_in(answer)
    detail = problem.get("detail")
    if answer.status_code == 401:
        if problem.get("title") == "no key":  # it is one person's ladder
            raise Refused(f"{url} does not know this machine: put its key or a token into LADDER_TOKEN")
        why = f": {one_line(detail)}; " if isinstance(detail, str) else ": "
        raise Refused(f"{url} does not let this machine in{why}log in with `ladder login {url}`")
    if not isinstance(detail, str):
        if answer.status_code in AWAY:
            raise Unavailable(f"{url} does not answer now ({answer.status_code})")
        raise Unavailable(f"{url} is not a ladder: it answered {answer.status_code}")
    raise FAULTS.get(problem.get("exit_status"), ArenaError)(one_line(detail))


def problem_in(answer: Response) -> dict[str, Any]:
    """Return the problem, or another object, that an answer holds; an empty one where it holds none."""
    with suppress(ValueError):
        return problem if isinstance(problem := answer.json(), dict) else {}
    return {}


def seconds_to_wait(answer: Response) -> float | None:
    """Return after how long to ask again; None where there is no reason to."""
    after = answer.header("Retry-After")
    return float(after) if answer.status_code == 429 and after.isdecimal() else None


GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
SLOWER_S = 5.0
"""A program that hears `slow_down` waits this much longer."""
MOST_INTERVAL_S = 60.0


@immutable
class DeviceRequest:
    """A server has been asked. `code`: what is typed on `page`; `shown_page`: has it already; `secret`: our own."""

    secret: str
    code: str
    page: str
    shown_page: str
    expires_in_s: float
    interval_s: float


def ask(client: Client, url: str, scopes: str) -> DeviceRequest:
    """Ask to be let in. Raises Unavailable, Refused, also where a server has no such login."""
    name = harmless(f"ladder on {socket.gethostname()}")[:60]
    answer = post_to(client, url, "/oauth/device", {"client_id": name, "scope": scopes})
    if answer.status_code in {401, 404, 405}:
        raise Refused(f"{url} has no logins: it is one person's ladder, whose key goes into LADDER_TOKEN, or none")
    require_good(answer, url)
    grant = problem_in(answer)
    try:
        page = own_page(url, grant["verification_uri"])
        return DeviceRequest(
            secret=str(grant["device_code"]),
            code=str(grant["user_code"]),
            page=page,
            shown_page=own_page(url, grant.get("verification_uri_complete", page)),
            expires_in_s=float(grant.get("expires_in", 600)),
            interval_s=interval_in(grant),
        )
    except (KeyError, TypeError, ValueError, UsageFault) as error:
        raise Unavailable(f"{url} is not a ladder: it was asked for a login and gave no code") from error


def interval_in(grant: dict[str, Any]) -> float:
    return min(max(float(grant.get("interval", 5)), 1), MOST_INTERVAL_S)


def own_page(url: str, page: object) -> str:
    """Return a page's address. Raises UsageFault where it is of another kind than the server's: a browser opens it."""
    address = str(page)
    place = "/".join(address.split("/", 3)[:3])
    origin(place)
    if place.partition(":")[0] != url.partition(":")[0] or not address.isprintable():
        raise UsageFault(f"{shortened(address)} is not a page of {url}")
    return address


def collect(client: Client, url: str, request: DeviceRequest) -> str:
    """Wait for an answer in a browser and return the token. Raises Refused for a no or none in time; Unavailable."""
    until = time.monotonic() + request.expires_in_s
    interval_s = request.interval_s
    while time.monotonic() < until:
        time.sleep(min(interval_s, max(until - time.monotonic(), 0)))
        try:
            answer = post_to(client, url, "/oauth/token", {"grant_type": GRANT_TYPE, "device_code": request.secret})
        except Unavailable:
            interval_s = min(2 * interval_s, MOST_INTERVAL_S)  # as the RFC has it for connections that fail
            continue
        token = problem_in(answer).get("access_token")
        if answer.is_success and isinstance(token, str):
            return token
        interval_s = interval_after(url, interval_s, answer)
    raise Refused(over_text(url))


def interval_after(url: str, interval_s: float, answer: Response) -> float:
    """Return how long to wait after an answer without a token. Raises Refused where none is to come."""
    if (wait_s := seconds_to_wait(answer)) is not None:
        return max(interval_s, min(wait_s, MOST_INTERVAL_S))
    match problem_in(answer).get("error"):
        case "authorization_pending":
            return interval_s
        case "slow_down":
            return interval_s + SLOWER_S
        case "access_denied":
            raise Refused(f"{url} does not let this machine in: the answer in the browser was no")
        case "expired_token" | "invalid_grant":
            raise Refused(over_text(url))
    require_good(answer, url)
    raise Unavailable(f"{url} is not a ladder: it was asked for a token and gave none")


def over_text(url: str) -> str:
    return f"the code's time is over, and nobody has answered: `ladder login {url}` asks anew"


def read_login(client: Client, url: str) -> Known:
    try:
        answer = client.get("/api/v1/me")
    except NoAnswer as error:
        raise no_answer(url, error) from error
    require_good(answer, url)
    login = problem_in(answer)
    try:
        names = (login[key] for key in ("player", "member", "token"))
        player, member, token = (None if name is None else one_line(str(name)) for name in names)
        until = None if login["expires_at"] is None else datetime.fromisoformat(login["expires_at"])
        return Known(player, str(login["role"]), tuple(map(str, login["scopes"])), token, until, member)
    except (KeyError, TypeError, ValueError) as error:
        raise Unavailable(f"{url} is not a ladder: it does not say whom it knows") from error


def give_back(client: Client, url: str, token: str) -> bool:
    """End a token, where the server answers; return whether it did."""
    with suppress(Unavailable):
        return post_to(client, url, "/oauth/revoke", {"token": token}).is_success
    return False


def post_to(client: Client, url: str, path: str, form: dict[str, str]) -> Response:
    try:
        return client.post_form(path, form)
    except NoAnswer as error:
        raise no_answer(url, error) from error
