"""A client of one server: HTTP as far as the commands need it.

How this works. httpcore does the talking. httpx, which many know, is built on it, and its import would take longer than
all else that `ladder board` does from afar and not here: see docs/decisions/0016-httpcore-in-the-client.md.
"""

from __future__ import annotations

import gzip
import ssl
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import unquote, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import orjson

from cli.ladders.server import Server
from engine.errors import ArenaError, MissingTool, Refused, Unavailable, UsageFault
from engine.machine import patience_s
from engine.text import one_line, shortened
from ladder.version import HEADER, VERSION, compared

TIMEOUT_S = 20.0
KEPT_OPEN_S = 5.0
"""An idle connection is used again for so long."""
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
NOT_REACHED = (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.ProxyError, UnicodeError)
"""Errors before a request is sent; the last one is for a name that no host can have."""
LOST = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, zlib.error, EOFError, OSError)
"""Errors after it may have been sent."""
CUT = (httpcore.NetworkError, httpcore.RemoteProtocolError)
"""Errors of a connection that the server may have ended just as it was used again."""


class NoAnswer(Exception):
    """A server has not answered, in the words of what failed. It may have got the request."""


class NotReached(NoAnswer):
    """Nothing was sent to it."""


@dataclass(frozen=True, slots=True)
class Response:
    """What a server answered. `headers`: by their names in small letters."""

    status_code: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content: bytes = b""

    @property
    def is_success(self) -> bool:
        return 200 <= self.status_code < 300

    @property
    def is_redirect(self) -> bool:
        return 300 <= self.status_code < 400 and "location" in self.headers

    def header(self, name: str) -> str:
        return self.headers.get(name.lower(), "")

    def json(self) -> Any:
        return orjson.loads(self.content)


class Client:
    """What speaks HTTP with one server. It follows no redirection, so a token goes to nobody else."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        """`url`: scheme and place, as `cli.ladders.server.origin` gives them. `headers`: of each request."""
        own = {"Host": urlsplit(url).netloc, "Accept": "*/*", "Accept-Encoding": "gzip", "Connection": "keep-alive"}
        self._url = url
        self._headers = {**own, **headers}
        self._pool = pool_for(url)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._pool.close()

    def get(
        self, path: str, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Response:
        return self.request("GET", path, params or {}, headers or {})

    def post(
        self,
        path: str,
        content: str,
        headers: Mapping[str, str],
        params: Mapping[str, str] | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> Response:
        return self.request("POST", path, params or {}, headers, content.encode(), timeout_s)

    def post_form(self, path: str, form: Mapping[str, str]) -> Response:
        return self.post(path, urlencode(form), FORM)

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
        asked = f"{self._url}{path}?{urlencode(params)}" if params else f"{self._url}{path}"
        timeouts = dict.fromkeys(("connect", "read", "write", "pool"), patience_s(timeout_s))
        said = [(name.encode(), value.encode()) for name, value in {**self._headers, **headers}.items()]

        def attempt() -> Response:
            found = self._pool.request(method, asked, headers=said, content=content, extensions={"timeout": timeouts})
            return answer_of(found)

        try:
            try:
                return attempt()
            except CUT:
                if method != "GET":
                    raise
                return attempt()
        except NOT_REACHED as error:
            raise NotReached(words_of(error)) from error
        except LOST as error:
            raise NoAnswer(words_of(error)) from error


def answer_of(found: httpcore.Response) -> Response:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in found.headers}
    content = gzip.decompress(found.content) if headers.get("content-encoding") == "gzip" else found.content
    return Response(found.status, headers, content)


def words_of(error: Exception) -> str:
    return one_line(str(error)) or type(error).__name__


def pool_for(url: str) -> httpcore.ConnectionPool:
    """Return what keeps the connection with a server, through the environment's proxy if any. Raises UsageFault."""
    is_plain = url.startswith("http:")
    trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_plain else ssl.create_default_context()
    proxy = proxy_for(url)
    if proxy is None:
        return httpcore.ConnectionPool(trusted, keepalive_expiry=KEPT_OPEN_S)
    parts = urlsplit(proxy)
    auth = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
    place = parts._replace(netloc=parts.netloc.rpartition("@")[2], path="", query="", fragment="").geturl()
    return httpcore.HTTPProxy(place, auth, ssl_context=trusted, keepalive_expiry=KEPT_OPEN_S)


def proxy_for(url: str) -> str | None:
    """Return the proxy for a server; None where TLS does not hide the token from it. Raises UsageFault for no HTTP."""
    named = getproxies()
    found = named.get("https") or named.get("all")
    if url.startswith("http:") or not found or proxy_bypass(urlsplit(url).netloc):
        return None
    proxy = found if "://" in found else f"http://{found}"
    if urlsplit(proxy).scheme not in {"http", "https"}:
        raise UsageFault(
            f"the environment names {proxy.partition('://')[0]}://… as the proxy for https; a proxy is http:// or https://"
        )
    return proxy


FAULTS: dict[int | None, type[ArenaError]] = {2: UsageFault, 3: Refused, 4: Unavailable, 5: MissingTool}
"""An error by its exit status."""
AWAY = frozenset({502, 503, 504})
ASKS_FOR_KEY = "no key"
"""How one person's ladder says that it lets nobody in without its key."""
UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"
"""How OpenSSL says that a certificate does not fit."""


def client_of(server: Server) -> Client:
    own = {HEADER: VERSION, "User-Agent": f"ladder/{VERSION}"}
    return Client(server.url, own | ({"Authorization": f"Bearer {server.token}"} if server.token else {}))


def no_answer(url: str, error: NoAnswer) -> Unavailable:
    words = str(error)
    if UNTRUSTED in words:
        why = words.partition("verify failed: ")[2].partition(" (_ssl")[0] or words
        return Unavailable(
            f"the certificate of {url} is not trusted ({why}): where a school or team signs its own, SSL_CERT_FILE "
            "names its file"
        )
    return Unavailable(f"{url} does not answer ({words})")


def require_understood(answer: Response, url: str) -> None:
    """Raise Refused where a server is of a Ladder that this program does not understand."""
    theirs = answer.header(HEADER)
    order = compared(theirs)
    if order:
        what = "this program is too old for it: update it" if order > 0 else "this program is too new for it"
        raise Refused(f"{url} is Ladder {shortened(theirs)} and this is {VERSION}: {what}")


def require_good(answer: Response, url: str) -> None:
    """Raise what an answer says is wrong. Raises Unavailable, Refused, UsageFault and other errors of ours."""
    require_understood(answer, url)
    if answer.is_success:
        return
    if answer.is_redirect:
        raise Refused(f"{url} leads elsewhere, to {shortened(answer.header('Location'))}: name that server")
    problem = problem_in(answer)
    detail = problem.get("detail")
    if answer.status_code == 401 and problem.get("title") == ASKS_FOR_KEY:
        raise Refused(f"{url} does not know this machine: put its key or a token into LADDER_TOKEN")
    if answer.status_code == 401:
        why = f": {one_line(detail)}; " if isinstance(detail, str) else ": "
        raise Refused(f"{url} does not let this machine in{why}log in with `ladder login {url}`")
    if not isinstance(detail, str):
        if answer.status_code in AWAY:
            raise Unavailable(f"{url} does not answer now ({answer.status_code})")
        raise Unavailable(f"{url} is not a ladder: it answered {answer.status_code}")
    raise FAULTS.get(problem.get("exit_status"), ArenaError)(one_line(detail))


def problem_in(answer: Response) -> dict[str, Any]:
    """Return the problem, or another object, that an answer holds; an empty one where it holds none."""
    try:
        found = answer.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def seconds_to_wait(answer: Response) -> float | None:
    """Return after how long to ask again; None where there is no reason to."""
    after = answer.header("Retry-After")
    return float(after) if answer.status_code == 429 and after.isdecimal() else None
