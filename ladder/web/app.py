"""The application: its routes, and what goes around all of them.

How this works. An address that leads to this machine can have any name, also one that a stranger's page chose; so only
names that mean this machine are answered, else that page could read ours (DNS rebinding). Then the key is asked for.
`/?key=...`, on any page, exchanges the key for the cookie and leads to the same page without it. A served ladder has no
key, and answers to its public name alone; `ladder.web.identity` finds out who asks.
"""

import re
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from urllib.parse import parse_qsl, quote, urlencode

from fastapi import APIRouter, Depends, FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.game import Games
from ladder import web
from ladder.settings import WebSettings
from ladder.version import HEADER, VERSION
from ladder.web.api import routers as api_routers
from ladder.web.api.feeds import always
from ladder.web.conditional import Conditional
from ladder.web.entrance import Key
from ladder.web.identity import cookie_of
from ladder.web.pages import routers as page_routers
from ladder.web.pages.seasons import tell
from ladder.web.problems import Problem, UnforeseenFaults, answer_problems, answer_to
from ladder.web.rendering import GAMES, STATIC
from ladder.web.site import Site
from ladder.web.watcher import Live

OWN_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)
OPEN_PATHS = ("/healthz",)
"""What is answered without the key. It says nothing about the ladder but whether its database answers."""
KEY_PARAMETER = "key"
COOKIE_LASTS_S = 30 * 24 * 3600
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "",
    HEADER: VERSION,
}
"""Of every answer."""
OVER_TLS = {"Strict-Transport-Security": "max-age=31536000"}
"""Of every answer of a ladder whose public address is one of TLS: browsers ask it for nothing in clear text."""
NO_SUCH_NAME = Problem(404, "unknown", "the address holds a name with the character 0, which nothing has", 2)
"""PostgreSQL takes no such text."""


@dataclass
class Safety:
    app: ASGIApp
    key: Key | None
    web: WebSettings
    games: Games

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS | (OVER_TLS if self.web.scheme == "https" else {}))
            await send(message)

        GAMES.set(self.games)
        if self.web.is_served:  # a proxy asks without TLS; absolute addresses are made of this
            scope = {**scope, "scheme": self.web.scheme}
        if scope["method"] == "HEAD":  # the server leaves the body out
            scope = {**scope, "method": "GET", "head": True}
        await self.answering(scope)(scope, receive, send_safely)

    def answering(self, scope: Scope) -> ASGIApp:
        headers = Headers(scope=scope)
        if not self.is_meant(scope, headers.get("host", "")):
            here = "localhost, 127.0.0.1 and [::1] alone: type one of these in the address"
            names = f"{self.web.public_url} alone" if self.web.is_served else here
            return answer_to(scope, Problem(421, "misdirected", f"this ladder answers to {names}"))
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            return answer_to(scope, NO_SUCH_NAME)
        if self.key is None or scope["path"] in OPEN_PATHS:
            return self.app
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if any(name == KEY_PARAMETER and self.key.opens(value) for name, value in query):
            return enter(Request(scope), self.key)
        return self.app if is_known(headers, self.key) else answer_to(scope, no_key(self.key))

    def is_meant(self, scope: Scope, host: str) -> bool:
        """Say whether a name is one that this ladder answers to: this machine's, or the public one if it is served."""
        if not self.web.is_served:
            return OWN_HOST.fullmatch(host) is not None
        return host.lower() == self.web.host or scope["path"] in OPEN_PATHS


def no_key(key: Key) -> Problem:
    words = f"this ladder asks for its key: open the address that `ladder status` prints; the key is in {key.file}"
    return Problem(401, "no key", words, headers={"WWW-Authenticate": "Bearer"})


def is_known(headers: Headers, key: Key) -> bool:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and key.opens(token.strip()):
        return True
    return key.opens_by_cookie(cookie_of(headers, key.cookie_name) or "")


def enter(request: Request, key: Key) -> RedirectResponse:
    rest = [(name, value) for name, value in request.query_params.multi_items() if name != KEY_PARAMETER]
    path = "/" + quote(request.scope["path"].lstrip("/"))  # `//host/` would lead elsewhere
    answer = RedirectResponse(path + (f"?{urlencode(rest)}" if rest else ""), status_code=303)
    answer.set_cookie(key.cookie_name, key.cookie, max_age=COOKIE_LASTS_S, httponly=True, samesite="strict", path="/")
    answer.headers["Cache-Control"] = "no-store"
    return answer


@cache
def routes() -> list[BaseRoute]:
    """Return the routes of every site. FastAPI works each out at its first request: once for all sites of a process."""
    together = APIRouter()
    for router in api_routers():
        together.include_router(router)
    for router in page_routers():
        together.include_router(router, include_in_schema=False, dependencies=[Depends(tell)])
    return together.routes


def application(site: Site) -> FastAPI:
    app = FastAPI(title="Ladder", version="1", openapi_url=None, docs_url=None, redoc_url=None, routes=routes())
    app.state.site = site
    app.state.live = Live(site)
    app.state.room_for_stream = nullcontext  # raises QuotaUsed where somebody has no more
    app.state.may_follow = always
    answer_problems(app)
    app.mount("/static", StaticFiles(directory=STATIC))
    app.add_middleware(Conditional)
    if site.web.is_served:
        web.account.add_accounts(app, site)
    app.add_middleware(UnforeseenFaults)
    app.add_middleware(Safety, key=site.key, web=site.web, games=site.games)
    return app
