"""How often an address or a name may ask, counted in this process by a sliding window.

A process that starts anew counts anew; several processes count apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from ladder.errors import QuotaUsed
from ladder.web.problems import Problem

MOST_STREAMS = 4
"""Of changes, from one address at once."""
WAIT_S = 15
"""After it a window of a minute has room again."""


class Limit(Enum):
    """What is counted: how often at most, and how a refusal calls it."""

    READS = ("600/minute", "requests from this address")
    WRITES = ("60/minute", "changes from this address")
    LOGINS_FROM = ("10/minute", "logins from this address")
    LOGINS_OF = ("5/minute", "logins with this name")
    CODES = ("5/10 minute", "codes that no program waits with")

    @property
    def item(self) -> RateLimitItem:
        return parse(self.value[0])


class Limits:
    def __init__(self) -> None:
        self._streams = Counter[str]()
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._items = {limit: limit.item for limit in Limit}

    def refusal(self, limit: Limit, who: str) -> Problem | None:
        """Count one more, and return what is said where that is too often."""
        if self._limiter.hit(self._items[limit], limit.name, who):
            return None
        return too_many(limit)

    def used_up(self, limit: Limit, who: str) -> Problem | None:
        """Return what is said where one more would be too often, and count none."""
        return None if self._limiter.test(self._items[limit], limit.name, who) else too_many(limit)

    @contextmanager
    def stream(self, address: str) -> Iterator[None]:
        """Let an address follow changes for the block. Raises QuotaUsed where MOST_STREAMS do already."""
        if self._streams[address] >= MOST_STREAMS:
            raise QuotaUsed(
                f"{MOST_STREAMS} pages follow changes from this address already: close one, or reload this one later"
            )
        self._streams[address] += 1
        try:
            yield
        finally:
            self._streams[address] -= 1
            self._streams += Counter()  # an address with none left is forgotten


def too_many(limit: Limit) -> Problem:
    most, words = limit.value
    detail = f"too many {words}: {most.replace('/', ' in ').replace('in minute', 'a minute')}s at most; wait a little"
    return Problem(429, "too many", detail.replace("a minutes", "a minute"), 3, {"Retry-After": str(WAIT_S)})
