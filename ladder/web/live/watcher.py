"""Listeners, which follow changes, and the one watcher that looks for them while there is a listener.

How this works. All of this lives in the event loop of the server: a listener is a few objects and no thread. While
there are listeners, one task looks at the database once in PERIOD_S, in a thread, compares that with its look before,
and wakes the listeners that a change concerns. What a listener has not taken yet is added up, so a slow one costs
nothing. A new listener gets all its topics at the next look, as its page may be older than that: so nothing is missed
between a page and its stream, nor while a stream was lost.

`matches:3` are the matches of league 3, unrated ones too, which leave its board as it is.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from anyio import to_thread

from engine.errors import ArenaError, Unavailable, UsageFault
from engine.text import shortened
from ladder.ids import BotId, GauntletId, LeagueId, MatchId
from ladder.views import changes
from ladder.views.changes import Changes, Look, Watched
from ladder.web.site import Site

OF_ONE = ("board", "bot", "gauntlet", "match", "matches")
OF_ALL = ("gauntlets", "operations", "home")
MOST_TOPICS = 50
"""That one listener can name."""
FORM = re.compile(rf"(?:({'|'.join(OF_ONE)}):(0|[1-9][0-9]{{0,17}})|({'|'.join(OF_ALL)}))", re.ASCII)


@dataclass(frozen=True, slots=True)
class Topic:
    """A kind of thing, and the id of the one that is meant; 0 for topics of all."""

    kind: str
    id: int = 0

    @property
    def text(self) -> str:
        return f"{self.kind}:{self.id}" if self.kind in OF_ONE else self.kind


def topics_of(texts: Sequence[str]) -> frozenset[Topic]:
    """Read topics. Raises UsageFault for none, for more than MOST_TOPICS, and for one that makes no sense."""
    if not texts:
        raise UsageFault("name what to listen for, as in topic=board:3")
    if len(texts) > MOST_TOPICS:
        raise UsageFault(f"{len(texts)} topics are named; at most {MOST_TOPICS} can be")
    return frozenset(topic_of(text) for text in texts)


def topic_of(text: str) -> Topic:
    found = FORM.fullmatch(text)
    if found is None:
        known = ", ".join([*(f"{kind}:ID" for kind in OF_ONE), *OF_ALL])
        raise UsageFault(f"there is no topic {shortened(text)}; there are {known}")
    kind, number, of_all = found.groups()
    return Topic(of_all) if of_all else Topic(kind, int(number))


def watched_by(topics: Collection[Topic]) -> Watched:
    """Return what has to be looked at for topics, in addition to the ladder as a whole."""
    return Watched(
        leagues=[LeagueId(topic.id) for topic in topics if topic.kind == "board"],
        gauntlets=[GauntletId(topic.id) for topic in topics if topic.kind == "gauntlet"],
        matches=[MatchId(topic.id) for topic in topics if topic.kind == "match"],
    )


def concerned(topics: Collection[Topic], changes: Changes, bots: Collection[BotId]) -> frozenset[Topic]:
    """Return those of some topics that changes concern. `bots`: those whose matches are among the changes."""
    concerns: dict[str, Callable[[int], bool]] = {
        "board": changes.leagues.__contains__,
        "bot": bots.__contains__,
        "gauntlet": changes.gauntlets.__contains__,
        "match": changes.matches.__contains__,
        "matches": changes.played_in.__contains__,
        "gauntlets": lambda _: bool(changes.gauntlets),
        "operations": lambda _: changes.at_work or changes.has_games,
        "home": lambda _: changes.at_work or changes.has_games,
    }
    return frozenset(topic for topic in topics if changes.is_all or concerns[topic.kind](topic.id))


LOG = logging.getLogger(__name__)

PERIOD_S = 1.0
MOST_LISTENERS = 300
OUR_FAULT = "Ladder made a mistake when it looked for changes; its log says which"


@dataclass(frozen=True, slots=True)
class Update:
    """What a listener gets: topics that may have changed, or the reason why that is not known at present."""

    topics: frozenset[Topic]
    trouble: str | None = None


class Listener:
    """One stream, and the topics that it follows."""

    def __init__(self, topics: frozenset[Topic]) -> None:
        self.topics = topics
        self.is_new = True
        self._pending: frozenset[Topic] = frozenset()
        self._trouble: str | None = None
        self._is_over = False
        self._wake = asyncio.Event()

    def notify(self, topics: frozenset[Topic]) -> None:
        self.is_new = False
        self._trouble = None
        self._pending |= topics
        if topics:
            self._wake.set()

    def notify_trouble(self, why: str) -> None:
        """Report once why changes are not known. When they are known again, it gets all its topics."""
        self.is_new = True
        if self._trouble != why:
            self._trouble = why
            self._wake.set()

    def end(self) -> None:
        self._is_over = True
        self._wake.set()

    async def updates(self) -> AsyncIterator[Update]:
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._is_over:
                return
            topics, self._pending = self._pending, frozenset()
            if topics or self._trouble is not None:
                yield Update(topics, self._trouble)


class Live:
    """The listeners of a site, and its watcher."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._listeners: set[Listener] = set()
        self._watching: asyncio.Task[None] | None = None
        self._is_over = False

    @contextmanager
    def listening(self, topics: frozenset[Topic]) -> Iterator[Listener]:
        """Listen within the block. Raises Unavailable if there are MOST_LISTENERS already."""
        if len(self._listeners) >= MOST_LISTENERS:
            raise Unavailable(
                f"{MOST_LISTENERS} pages listen for changes already: close some, or reload this one later"
            )
        listener = Listener(topics)
        self._listeners.add(listener)
        if self._is_over:
            listener.end()
        elif self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        try:
            yield listener
        finally:
            self._listeners.discard(listener)

    def close(self) -> None:
        """End all streams at once, and those that begin later. Called in the server's event loop."""
        self._is_over = True
        for listener in self._listeners:
            listener.end()
        if self._watching is not None:
            self._watching.cancel()

    async def _watch(self) -> None:
        before: Look | None = None
        while self._listeners:
            before = await self._look(before)
            await asyncio.sleep(PERIOD_S)

    async def _look(self, before: Look | None) -> Look | None:
        """Look once, and wake the listeners that it concerns. Return what was seen, None if the look failed."""
        listeners = list(self._listeners)
        topics = frozenset(topic for listener in listeners for topic in listener.topics)
        try:
            now, changed = await to_thread.run_sync(self._changed, before, topics, abandon_on_cancel=True)
        except ArenaError as error:
            notify_trouble(listeners, str(error))
            return None
        except Exception:  # the edge of a task: without this, all pages would stop following after one fault of ours
            LOG.exception("looking for changes failed")
            notify_trouble(listeners, OUR_FAULT)
            return None
        for listener in listeners:
            listener.notify(listener.topics if listener.is_new else listener.topics & changed)
        return now

    def _changed(self, before: Look | None, topics: frozenset[Topic]) -> tuple[Look, frozenset[Topic]]:
        """Look at the database; return what was seen, and which topics may have changed since the look before."""
        with self._site.watching() as connection:
            now = changes.look(connection, watched_by(topics))
            if before is None:
                return now, topics
            found = changes.between(before, now)
            wants_bots = found.matches and any(topic.kind == "bot" for topic in topics)
            bots = changes.bots_in(connection, found.matches) if wants_bots else frozenset()
        return now, concerned(topics, found, bots)


def notify_trouble(listeners: list[Listener], why: str) -> None:
    for listener in listeners:
        listener.notify_trouble(why)
