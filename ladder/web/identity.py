"""Who asks: by the cookie of a session or by a token, and from which address; and what is refused before it is read.

How this works. This part goes around the application of a served ladder. It refuses forms of other sites, finds out who
asks, counts the request, for its player where there is one, as a class shares an address, and puts the player into the
request's state. Where only players may read, it leads browsers of others to the login, and answers programs with 401.

How often a player, an address or a name may ask is counted in this process by a sliding window. A process that starts
anew counts anew; several processes count apart. Checking a password takes a tenth of a second of a core. It has threads
of its own, so that a class that logs in at once keeps no thread from those who look at pages; and only so many wait for
one of them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import replace
from enum import Enum
from functools import lru_cache, partial
from hashlib import sha256
from ipaddress import ip_address
from typing import TypeVar
from urllib.parse import quote

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request, cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.errors import ArenaError
from engine.immutable import immutable
from ladder.access import Actor, Role, Via
from ladder.access import Scope as TokenScope
from ladder.accounts import passwords, sessions, tokens
from ladder.accounts.secrets import TOKEN_PREFIX
from ladder.database.connection import Pool, transaction
from ladder.errors import AskedTooOften, NotLoggedIn, Overloaded, QuotaUsed
from ladder.event_log import event
from ladder.settings import Rates, WebSettings
from ladder.visibility import PUBLIC, Sight, sight_of
from ladder.web.addresses import API
from ladder.web.problems import Problem, answer_to, problem_of
from ladder.web.rendering import IS_SERVED, LOGGED_IN, OPERATES, LoggedIn

SESSION = "__Host-ladder"
FORM = "__Host-ladder-form"
"""Of a browser in which nobody has logged in."""
FORWARDED = {"x-forwarded-for", "x-real-ip", "forwarded"}
"""Headers by which proxies say for whom they ask. Only the first counts, and only from ours."""
MOST_PEERS = 100
T = TypeVar("T")
MOST_CODES, CODES_MINUTES = 5, 10


def cookie_of(headers: Headers, name: str) -> str | None:
    return cookie_parser(headers.get("cookie", "")).get(name) or None


def keep(answer: Response, name: str, value: str, age_s: int) -> None:
    """Set a cookie that no script reads and no form of another site sends."""
    answer.set_cookie(name, value, max_age=age_s, path="/", secure=True, httponly=True, samesite="lax")


def form_secret(headers: Headers) -> str | None:
    """Return the secret from which the token of this browser's forms follows; None where it has none yet."""
    return cookie_of(headers, SESSION) or cookie_of(headers, FORM)


def form_token(secret: str) -> str:
    return sha256(f"form:{secret}".encode()).hexdigest()


@immutable
class Asking:
    """Who asks: `actor`, None if not logged in. `session`: its secret; `target`: the path; `sight`: what is seen."""

    address: str = ""
    actor: Actor | None = None
    session: str | None = None
    target: str = ""
    sight: Sight = PUBLIC

    @property
    def counted_as(self) -> str:
        """Return for whom a request is counted. No address has a blank in it."""
        return self.address if self.actor is None else f"player {self.actor.player.lower()}"


NOBODY = Asking()
ASKING: ContextVar[Asking] = ContextVar("ASKING", default=NOBODY)
"""The request that is answered; on a ladder of somebody alone always the default."""
SAFE = {"GET", "HEAD", "OPTIONS"}
FOR_ALL = ("/healthz", "/static/", "/login", "/join", "/oauth/", "/r/")
"""How paths begin that are for those who have not logged in, too."""
FOR_PLAYERS = ("/account", "/desk", "/device", "/logout")
"""How paths begin that are for those who have."""
UNCOUNTED = ("/healthz", "/static/", "/join/", "/r/")
"""How paths begin that cost little or hold 32 random bytes, which nobody guesses."""
COUNTED_APART = ("/login", "/oauth/")
"""How paths begin whose writes have counts of their own, or need 32 random bytes."""


class Limit(Enum):
    """What is counted, as a refusal calls it."""

    READS = "requests"
    WRITES = "changes"
    LOGINS_FROM = "logins from this address"
    LOGINS_OF = "logins with this name"
    CODES = "codes that no program waits with"


class Identity:
    """The part of the application that finds out who asks."""

    def __init__(
        self, app: ASGIApp, pool: Pool, web: WebSettings, limits: RequestLimits, note_proxy: Callable[[str], None]
    ) -> None:
        """`note_proxy`: is given the address that sends a forwarded header and is not trusted, once for each."""
        self.app = app
        self.pool = pool
        self.web = web
        self.limits = limits
        self.note = lru_cache(MOST_PEERS)(partial(self.log_proxy, note_proxy))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        IS_SERVED.set(True)
        await (await self.answering(scope))(scope, receive, send)

    async def answering(self, scope: Scope) -> ASGIApp:
        headers = Headers(scope=scope)
        address = address_of(scope, headers, self.web)
        if not FORWARDED.isdisjoint(headers) and not self.web.is_proxy(peer_of(scope)):
            self.note(peer_of(scope))
        refusal = of_another_site(scope, headers, self.web)
        if refusal is not None:
            return answer_to(scope, refusal)
        try:
            try:
                asking = await run_in_threadpool(who_asks, self.pool, headers, address)
            except NotLoggedIn:
                self.count(scope, address)
                raise
            self.count(scope, asking.counted_as)
        except ArenaError as error:
            return answer_to(scope, problem_of(error))
        ASKING.set(replace(asking, target=scope["path"], sight=sight_of(asking.actor)))
        actor, session = asking.actor, asking.session
        me = None if actor is None or session is None else LoggedIn(actor.player, form_token(session), actor.operates)
        LOGGED_IN.set(me)  # none for a token: forms are for people
        OPERATES.set(actor is not None and actor.operates)
        return self.app if self.may_look(scope, asking) else self.to_login(scope)

    @staticmethod
    def log_proxy(note: Callable[[str], None], address: str) -> None:
        event("proxy_not_trusted", logging.WARNING, address=address)
        note(address)

    def count(self, scope: Scope, who: str) -> None:
        """Count a request. Raises AskedTooOften."""
        writes = scope["method"] not in SAFE
        if not scope["path"].startswith(UNCOUNTED + COUNTED_APART if writes else UNCOUNTED):
            self.limits.count(Limit.WRITES if writes else Limit.READS, who)

    def may_look(self, scope: Scope, asking: Asking) -> bool:
        if asking.actor is not None or scope["path"].startswith(FOR_ALL):
            return True
        return self.web.read == "everyone" and not scope["path"].startswith(FOR_PLAYERS)

    def to_login(self, scope: Scope) -> Response:
        if scope["path"].startswith(f"{API}/") or scope["method"] not in SAFE:
            return answer_to(scope, problem_of(not_logged_in(self.web)))
        query = scope["query_string"].decode("latin-1")
        return by_login("/" + scope["path"].lstrip("/") + (f"?{query}" if query else ""))


def by_login(place: str) -> RedirectResponse:
    return RedirectResponse(f"/login?next={quote(place, safe='')}", 303, {"Cache-Control": "no-store"})


def not_logged_in(web: WebSettings) -> NotLoggedIn:
    address = web.public_url
    return NotLoggedIn(f"log in at {address}/login, or show a token: {address}/account makes one")


def address_of(scope: Scope, headers: Headers, web: WebSettings) -> str:
    """Return the address that a request comes from: as the last proxy of ours saw it, if it came by one."""
    address = peer_of(scope)
    forwarded = headers.get("x-forwarded-for")
    if forwarded is None or not web.is_proxy(address):
        return address
    for word in reversed([word.strip() for word in forwarded.split(",")]):
        try:
            address = str(ip_address(word))
        except ValueError:
            return address
        if not web.is_proxy(address):
            return address
    return address


def peer_of(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else "local"


def of_another_site(scope: Scope, headers: Headers, web: WebSettings) -> Problem | None:
    if scope["method"] in SAFE:
        return None
    origin = headers.get("origin")
    same = headers.get("sec-fetch-site", "same-origin") in {"same-origin", "none"}
    if same and (origin is None or origin.lower() == web.public_url):
        return None
    return Problem(403, "another site", "this request comes from a page of another site, so it is refused", 3)


def who_asks(pool: Pool, headers: Headers, address: str) -> Asking:
    """Raises NotLoggedIn where a token is shown that lets nobody in, DatabaseDown."""
    header = headers.get("authorization")
    if header is not None:
        return by_token(pool, header, address)
    secret = cookie_of(headers, SESSION)
    if secret is None:
        return Asking(address)
    with transaction(pool) as connection:
        session = sessions.find(connection, secret)
        if session is not None and session.is_stale:
            sessions.write_down_visit(connection, secret)
    if session is None:
        return Asking(address)
    member = None if session.team is None else session.account
    actor = Actor(session.team or session.account, Role(session.role), Via.SESSION, address=address, member=member)
    return Asking(address, actor, secret)


def by_token(pool: Pool, header: str, address: str) -> Asking:
    """Return who shows a token in that header. Raises NotLoggedIn for one that lets nobody in."""
    scheme, _, secret = header.partition(" ")
    secret = secret.strip()
    if scheme.lower() != "bearer" or not secret.startswith(TOKEN_PREFIX):
        raise NotLoggedIn(
            f"this is not a token: one begins with {TOKEN_PREFIX} and is sent as `Authorization: Bearer ...`"
        )
    with transaction(pool) as connection:
        token = tokens.presented(connection, secret)
        if token is None or token.refusal is not None:
            raise NotLoggedIn("this token is unknown" if token is None else str(token.refusal))
        if token.is_stale:
            tokens.write_down_use(connection, token.id, address)
    name, role, scopes = token.team or token.account, Role(token.role), frozenset(map(TokenScope, token.scopes))
    member = None if token.team is None else token.account
    return Asking(address, Actor(name, role, Via.TOKEN, scopes, token.id, token.game, token.bot, address, member))


async def is_let_in_still(request: Request, pool: Pool, web: WebSettings) -> bool:
    """Say whether whoever follows something would be let in now, too; yes while the database does not answer."""
    try:
        asking = await run_in_threadpool(who_asks, pool, request.headers, ASKING.get().address)
    except NotLoggedIn:
        return False
    except ArenaError:
        return True
    return asking.actor is not None or web.read == "everyone"


class RequestLimits:
    def __init__(self, rates: Rates) -> None:
        self._rates = rates
        self._streams = Counter[str]()
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._items = {
            Limit.READS: RateLimitItemPerMinute(rates.reads),
            Limit.WRITES: RateLimitItemPerMinute(rates.writes),
            Limit.LOGINS_FROM: RateLimitItemPerMinute(rates.logins),
            Limit.LOGINS_OF: RateLimitItemPerMinute(rates.tries),
            Limit.CODES: RateLimitItemPerMinute(MOST_CODES, CODES_MINUTES),
        }
        self._threads = ThreadPoolExecutor(passwords.AT_ONCE, "password")
        self._waiting = 0

    def count(self, limit: Limit, who: str) -> None:
        self.require_room(limit, who, self._limiter.hit)

    def require_room(self, limit: Limit, who: str, act: Callable[..., bool] | None = None) -> None:
        """Raise AskedTooOften where one more would be too often, and count none."""
        item = self._items[limit]
        if not (act or self._limiter.test)(item, limit.name, who):
            period = "a minute" if item.multiples == 1 else f"in {item.multiples} minutes"
            raise AskedTooOften(f"too many {limit.value}: {item.amount} {period} at most; wait a little")

    @contextmanager
    def stream(self, who: str) -> Iterator[None]:
        """Let somebody follow changes for the block. Raises QuotaUsed where `live_pages` do already."""
        most = self._rates.live_pages
        if self._streams[who] >= most:
            raise QuotaUsed(f"{most} of your pages follow changes already: close one, or reload this one later")
        self._streams[who] += 1
        try:
            yield
        finally:
            self._streams[who] -= 1
            self._streams += Counter()  # who has none left is forgotten

    async def in_turn(self, work: Callable[..., T], *arguments: object) -> T:
        """Do what takes a password, in a thread for that. Raises Overloaded where `waiting_logins` wait already."""
        if self._waiting >= self._rates.waiting_logins:
            raise Overloaded(f"{self._waiting} passwords wait to be checked, which is LADDER_WAITING_LOGINS")
        self._waiting += 1
        try:
            loop, copied = asyncio.get_running_loop(), copy_context()
            return await loop.run_in_executor(self._threads, lambda: copied.run(work, *arguments))
        finally:
            self._waiting -= 1
