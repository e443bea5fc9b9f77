"""How often a player, an address or a name may ask, counted in this process by a sliding window; and whose turn it is.

A process that starts anew counts anew; several processes count apart.

How this works. Checking a password takes a tenth of a second of a core. It has threads of its own, so that a class that
logs in at once keeps no thread from those who look at pages; and only so many wait for one of them.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from ladder.accounts import passwords
from ladder.errors import AskedTooOften, Overloaded, QuotaUsed
from ladder.settings import Rates
from ladder.web.accounts.identity import Limit

T = TypeVar("T")
MOST_CODES, CODES_MINUTES = 5, 10


class Limits:
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

    async def in_turn(self, work: Callable[..., T], *given: object) -> T:
        """Do what takes a password, in a thread for that. Raises Overloaded where `waiting_logins` wait already."""
        if self._waiting >= self._rates.waiting_logins:
            raise Overloaded(f"{self._waiting} passwords wait to be checked, which is LADDER_WAITING_LOGINS")
        self._waiting += 1
        try:
            loop, copied = asyncio.get_running_loop(), copy_context()
            return await loop.run_in_executor(self._threads, lambda: copied.run(work, *given))
        finally:
            self._waiting -= 1
