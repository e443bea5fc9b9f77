"""Listeners, which follow changes, and the one watcher that looks for them while there is a listener.

How this works. All of this lives in the event loop of the server: a listener is a few objects and no thread. While
there are listeners, one task looks at the database once in PERIOD_S, in a thread, compares that with its look before,
and wakes the listeners that a change concerns. What a listener has not taken yet is added up, so a slow one costs
nothing. A new listener gets all its topics at the next look, as its page may be older than that: so nothing is missed
between a page and its stream, nor while a stream was lost.

`matches:3` are the matches of league 3, unrated ones too, which leave its board as it is.

A look holds what matters at one moment, in a few numbers: the latest ledger lines and finished matches
one by one, so that a line which was written earlier and committed later is seen too; which versions are on the boards
that are watched; the states of matches and gauntlets that are watched. Two looks are compared. What people and the
scheduler do seldom, such as promotions, submissions and closed seasons, concerns everything. Each query reads an index
from its end, or rows that are few; only a board that is watched is read whole.
"""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import LiteralString

from anyio import to_thread

from engine.errors import ArenaError, Unavailable, UsageFault
from engine.immutable import immutable
from engine.text import shortened
from ladder.database.connection import Connection, one
from ladder.errors import ForOperators
from ladder.ids import GauntletId, LeagueId, MatchId
from ladder.web.site import Site

LATEST = 1000
"""This many ledger lines, and this many finished matches, are compared."""
OF_ONE = ("board", "bot", "gauntlet", "match", "matches")
OF_ALL = ("gauntlets", "operations", "home", "clarifications")
MOST_TOPICS = 50
"""That one listener can name."""
FORM = re.compile(rf"(?:({'|'.join(OF_ONE)}):(0|[1-9][0-9]{{0,17}})|({'|'.join(OF_ALL)}))", re.ASCII)
LOG = logging.getLogger(__name__)
PERIOD_S = 1.0
MOST_LISTENERS = 300
OUR_FAULT = "Ladder made a mistake when it looked for changes; its log says which"


@immutable
class Topic:
    """A kind of thing, and the id of the one that is meant; 0 for topics of all."""

    kind: str
    id: int = 0

    @property
    def text(self) -> str:
        return f"{self.kind}:{self.id}" if self.kind in OF_ONE else self.kind


def topics_of(texts: Sequence[str]) -> frozenset[Topic]:
    if not texts:
        raise UsageFault("name what to listen for, as in topic=board:3")
    if len(texts) > MOST_TOPICS:
        raise UsageFault(f"{len(texts)} topics are named; at most {MOST_TOPICS} can be")
    return frozenset(map(topic_of, texts))


def topic_of(text: str) -> Topic:
    match = FORM.fullmatch(text)
    if match is None:
        forms = ", ".join([*(f"{kind}:ID" for kind in OF_ONE), *OF_ALL])
        raise UsageFault(f"there is no topic {shortened(text)}; there are {forms}")
    kind, number, of_all = match.groups()
    return Topic(of_all) if of_all else Topic(kind, int(number))


@immutable
class LadderMoment:
    """What matters at one moment.

    `lines`: of the ledger, each by its sequence, match and league; `played`: finished matches with their leagues and
    gauntlets, if any; both the latest. `states`: of topics that are watched one by one. `moved`: the last move of a
    version between leagues, 0 where none has moved.
    """

    lines: frozenset[tuple[int, MatchId, LeagueId]]
    played: frozenset[tuple[MatchId, LeagueId, GauntletId | None]]
    seldom: str
    at_work: str
    states: Mapping[Topic, object]
    moved: int


LINES = "SELECT sequence, match_id, league_id FROM ledger ORDER BY sequence DESC LIMIT %s"
PLAYED = """
    SELECT id, league_id, gauntlet_id FROM matches
    WHERE state = 'finished' ORDER BY finished_at DESC, id DESC LIMIT %s
"""
SELDOM = """
    SELECT ROW(
        (SELECT max(id) FROM moves), (SELECT max(id) FROM versions),
        (SELECT max(id) FROM audit WHERE details @> '{"concerns_others": true}'),
        (SELECT array_agg(id ORDER BY id) FROM versions WHERE state = 'building'),
        (SELECT max(id) FROM gauntlets),
        (SELECT array_agg(id ORDER BY id) FROM gauntlets WHERE state = 'running'),
        (SELECT max(id) FROM seasons), (SELECT max(closed_at) FROM seasons))::text
"""
"""Changes when people or the scheduler do something: promotions, versions, gauntlets, seasons."""
AT_WORK = """
    SELECT ROW(
        (SELECT array_agg(id ORDER BY id) FROM matches WHERE state = 'running'), (SELECT max(id) FROM matches),
        (SELECT array_agg(id ORDER BY id) FROM live_workers), (SELECT max(failed_at) FROM failed_attempts),
        (SELECT max(id) FROM requests))::text
"""
"""Changes when workers come, go, play or fail, and when matches are asked for or made."""
STATES: Mapping[str, LiteralString] = {
    "board": """
        SELECT league_id, count(*), sum(version_id), sum(version_id) FILTER (WHERE is_rival) FROM standings
        WHERE on_board AND league_id = ANY(%s) GROUP BY league_id
    """,
    "gauntlet": "SELECT id, state, verdict FROM gauntlets WHERE id = ANY(%s)",
    "match": "SELECT id, state, attempt FROM matches WHERE id = ANY(%s)",
    "clarifications": """
        SELECT one, max(id), count(answer), count(withdrawn_at)
        FROM unnest(%s::bigint[]) AS one LEFT JOIN clarifications ON true GROUP BY one
    """,
}
"""What changes with a topic, by its kind: after the id of each. A board: when a version comes or goes."""
BOTS_IN = """
    SELECT DISTINCT versions.bot_id FROM seats JOIN versions ON versions.id = seats.version_id
    WHERE seats.match_id = ANY(%s)
"""


def look(connection: Connection, topics: Collection[Topic]) -> LadderMoment:
    """Look at the ladder. The connection must see one snapshot."""
    states: dict[Topic, object] = {topic: None for topic in topics if topic.kind in STATES}
    for kind, query in STATES.items():
        if ids := [topic.id for topic in states if topic.kind == kind]:
            states |= {Topic(kind, number): state for number, *state in connection.execute(query, [ids])}
    return LadderMoment(
        frozenset(connection.execute(LINES, [LATEST])),
        frozenset(connection.execute(PLAYED, [LATEST])),
        one(connection, SELDOM, {})[0],
        one(connection, AT_WORK, {})[0],
        states,
        one(connection, "SELECT coalesce(max(id), 0) FROM moves", {})[0],
    )


def changed(
    connection: Connection, before: LadderMoment, now: LadderMoment, topics: frozenset[Topic]
) -> frozenset[Topic]:
    """Return those of some topics that a change may concern. What only one of the looks watched has not changed."""
    if now.seldom != before.seldom:
        return topics
    lines, played = now.lines - before.lines, now.played - before.played
    affected = {
        topic for topic, state in now.states.items() if topic in before.states and before.states[topic] != state
    }
    affected |= {Topic("board", league_id) for _, _, league_id in lines}
    affected |= {Topic("match", match_id) for _, match_id, _ in lines}
    for match_id, league_id, gauntlet_id in played:
        affected |= {Topic("match", match_id), Topic("matches", league_id)}
        affected |= {Topic("gauntlet", gauntlet_id)} if gauntlet_id is not None else set()
    match_ids = [topic.id for topic in affected if topic.kind == "match"]
    kinds = {topic.kind for topic in affected}
    if match_ids and any(topic.kind == "bot" for topic in topics):
        affected |= {Topic("bot", bot_id) for (bot_id,) in connection.execute(BOTS_IN, [match_ids])}
    if "gauntlet" in kinds:
        affected.add(Topic("gauntlets"))
    if now.at_work != before.at_work or kinds & {"match", "board"}:
        affected |= {Topic("operations"), Topic("home")}
    return topics & affected


class Listener:
    """One stream, and the topics that it follows."""

    def __init__(self, topics: frozenset[Topic]) -> None:
        self.topics = topics
        self.is_new = True
        self._pending: frozenset[Topic] = frozenset()
        self._moved = 0
        self._trouble: str | None = None
        self._is_over = False
        self._wake = asyncio.Event()

    def notify(self, topics: frozenset[Topic], moved: int) -> None:
        self.is_new = False
        self._moved = moved
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

    async def updates(self) -> AsyncIterator[tuple[frozenset[Topic], int, str | None]]:
        """Give topics that may have changed, the last move, see LadderMoment, and why changes are not known now."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._is_over:
                return
            topics, self._pending = self._pending, frozenset()
            if topics or self._trouble is not None:
                yield topics, self._moved, self._trouble


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
        before: LadderMoment | None = None
        while self._listeners:
            before = await self._look(before)
            await asyncio.sleep(PERIOD_S)

    async def _look(self, before: LadderMoment | None) -> LadderMoment | None:
        """Look once, and wake the listeners that it concerns. Return what was seen, None if the look failed."""
        listeners = list(self._listeners)
        topics = frozenset(topic for listener in listeners for topic in listener.topics)
        try:
            now, concerned = await to_thread.run_sync(self._compared, before, topics, abandon_on_cancel=True)
        except ArenaError as error:
            is_served = self._site.web.is_served  # then all who listen read it, operators and players alike
            trouble = error.for_players if is_served and isinstance(error, ForOperators) else str(error)
        except Exception:  # the edge of a task: without this, all pages would stop following after one fault of ours
            LOG.exception("looking for changes failed")
            trouble = OUR_FAULT
        else:
            for listener in listeners:
                listener.notify(listener.topics if listener.is_new else listener.topics & concerned, now.moved)
            return now
        for listener in listeners:
            listener.notify_trouble(trouble)
        return None

    def _compared(self, before: LadderMoment | None, topics: frozenset[Topic]) -> tuple[LadderMoment, frozenset[Topic]]:
        with self._site.watching() as connection:
            now = look(connection, topics)
            return now, topics if before is None else changed(connection, before, now, topics)
