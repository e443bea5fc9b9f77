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

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import LiteralString, TypeVar

from anyio import to_thread

from engine.errors import ArenaError, Unavailable, UsageFault
from engine.text import shortened
from ladder.database.connection import Connection, one
from ladder.errors import ForOperators
from ladder.ids import BotId, GauntletId, LeagueId, MatchId
from ladder.web.site import Site

Id = TypeVar("Id", LeagueId, GauntletId, MatchId)

LATEST = 1000
"""This many ledger lines, and this many finished matches, are compared."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What is looked at in particular, as pages show it."""

    leagues: Collection[LeagueId] = ()
    gauntlets: Collection[GauntletId] = ()
    matches: Collection[MatchId] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A ledger line, by its place in the ledger."""

    sequence: int
    match_id: MatchId
    league_id: LeagueId


@dataclass(frozen=True, slots=True)
class Played:
    """A finished match. `gauntlet_id`: for which gauntlet it was played, if for one."""

    match_id: MatchId
    league_id: LeagueId
    gauntlet_id: GauntletId | None


@dataclass(frozen=True, slots=True)
class Look:
    """What matters at one moment; all but `lines`, `played`, the latest finished matches, and `moved` is only compared.

    `moved`: the last move of a version between leagues, 0 where none has moved.
    """

    lines: frozenset[Line]
    played: frozenset[Played]
    seldom: Hashable
    at_work: Hashable
    clarifications: Hashable
    boards: Mapping[LeagueId, Hashable]
    gauntlets: Mapping[GauntletId, Hashable]
    matches: Mapping[MatchId, Hashable]
    moved: int


@dataclass(frozen=True, slots=True)
class Changes:
    """What has changed. `is_all`: what may concern everything; `played_in`: where unrated matches ended, too."""

    is_all: bool
    at_work: bool
    clarifications: bool
    leagues: frozenset[LeagueId]
    played_in: frozenset[LeagueId]
    gauntlets: frozenset[GauntletId]
    matches: frozenset[MatchId]

    @property
    def has_games(self) -> bool:
        return bool(self.matches or self.leagues)


def look(connection: Connection, watched: Watched) -> Look:
    """Look at the ladder. The connection must see one snapshot."""
    return Look(
        latest_lines(connection),
        latest_played(connection),
        what_changes_seldom(connection),
        what_is_at_work(connection),
        what_is_asked(connection),
        members(connection, watched.leagues),
        states_of_gauntlets(connection, watched.gauntlets),
        states_of_matches(connection, watched.matches),
        int(one(connection, "SELECT coalesce(max(id), 0) FROM moves", {})[0]),
    )


def between(before: Look, now: Look) -> Changes:
    """Compare two looks. What only one of them watched does not count as changed."""
    lines = now.lines - before.lines
    played = now.played - before.played
    return Changes(
        is_all=now.seldom != before.seldom,
        at_work=now.at_work != before.at_work,
        clarifications=now.clarifications != before.clarifications,
        leagues=frozenset(line.league_id for line in lines) | differing(before.boards, now.boards),
        played_in=frozenset(match.league_id for match in played),
        gauntlets=frozenset(match.gauntlet_id for match in played if match.gauntlet_id is not None)
        | differing(before.gauntlets, now.gauntlets),
        matches=frozenset(line.match_id for line in lines)
        | frozenset(match.match_id for match in played)
        | differing(before.matches, now.matches),
    )


def differing(before: Mapping[Id, Hashable], now: Mapping[Id, Hashable]) -> frozenset[Id]:
    return frozenset(key for key, value in now.items() if key in before and before[key] != value)


def bots_in(connection: Connection, match_ids: Collection[MatchId]) -> frozenset[BotId]:
    rows = connection.execute(
        """
        SELECT DISTINCT versions.bot_id FROM seats JOIN versions ON versions.id = seats.version_id
        WHERE seats.match_id = ANY(%s)
        """,
        [list(match_ids)],
    )
    return frozenset(row[0] for row in rows)


def latest_lines(connection: Connection) -> frozenset[Line]:
    rows = connection.execute(
        "SELECT sequence, match_id, league_id FROM ledger ORDER BY sequence DESC LIMIT %s", [LATEST]
    )
    return frozenset(Line(*row) for row in rows)


def latest_played(connection: Connection) -> frozenset[Played]:
    rows = connection.execute(
        """
        SELECT id, league_id, gauntlet_id FROM matches
        WHERE state = 'finished' ORDER BY finished_at DESC, id DESC LIMIT %s
        """,
        [LATEST],
    )
    return frozenset(Played(*row) for row in rows)


def what_changes_seldom(connection: Connection) -> Hashable:
    """Return what changes when people or the scheduler do something: promotions, versions, gauntlets, seasons."""
    return text_of(
        connection,
        """
        SELECT ROW(
            (SELECT max(id) FROM moves), (SELECT max(id) FROM versions),
            (SELECT max(id) FROM audit WHERE details @> '{"concerns_others": true}'),
            (SELECT array_agg(id ORDER BY id) FROM versions WHERE state = 'building'),
            (SELECT max(id) FROM gauntlets),
            (SELECT array_agg(id ORDER BY id) FROM gauntlets WHERE state = 'running'),
            (SELECT max(id) FROM seasons), (SELECT max(closed_at) FROM seasons))::text
        """,
    )


def what_is_at_work(connection: Connection) -> Hashable:
    """Return what changes when workers come, go, play or fail, and when matches are asked for or made."""
    return text_of(
        connection,
        """
        SELECT ROW(
            (SELECT array_agg(id ORDER BY id) FROM matches WHERE state = 'running'), (SELECT max(id) FROM matches),
            (SELECT array_agg(id ORDER BY id) FROM live_workers), (SELECT max(failed_at) FROM failed_attempts),
            (SELECT max(id) FROM requests))::text
        """,
    )


def what_is_asked(connection: Connection) -> Hashable:
    """Return what changes with questions, answers and announcements."""
    return text_of(connection, "SELECT ROW(max(id), count(answer), count(withdrawn_at))::text FROM clarifications")


def text_of(connection: Connection, query: LiteralString) -> str:
    return str(one(connection, query, {})[0])


def members(connection: Connection, league_ids: Collection[LeagueId]) -> dict[LeagueId, Hashable]:
    """Return numbers for each of those boards, which change when a version comes or goes."""
    rows = connection.execute(
        """
        SELECT league_id, count(*), sum(version_id), sum(version_id) FILTER (WHERE is_rival) FROM standings
        WHERE on_board AND league_id = ANY(%s) GROUP BY league_id
        """,
        [list(league_ids)],
    )
    found: dict[LeagueId, Hashable] = {league_id: tuple(numbers) for league_id, *numbers in rows}
    return {league_id: found.get(league_id) for league_id in league_ids}


def states_of_gauntlets(connection: Connection, gauntlet_ids: Collection[GauntletId]) -> dict[GauntletId, Hashable]:
    rows = connection.execute("SELECT id, state, verdict FROM gauntlets WHERE id = ANY(%s)", [list(gauntlet_ids)])
    return {gauntlet_id: (state, verdict) for gauntlet_id, state, verdict in rows}


def states_of_matches(connection: Connection, match_ids: Collection[MatchId]) -> dict[MatchId, Hashable]:
    rows = connection.execute("SELECT id, state, attempt FROM matches WHERE id = ANY(%s)", [list(match_ids)])
    return {match_id: (state, attempt) for match_id, state, attempt in rows}


OF_ONE = ("board", "bot", "gauntlet", "match", "matches")
OF_ALL = ("gauntlets", "operations", "home", "clarifications")
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
        "clarifications": lambda _: changes.clarifications,
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
    """What a listener gets: topics that may have changed, or the reason why that is not known at present.

    `moved`: see Look.
    """

    topics: frozenset[Topic]
    moved: int = 0
    trouble: str | None = None


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

    async def updates(self) -> AsyncIterator[Update]:
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._is_over:
                return
            topics, self._pending = self._pending, frozenset()
            if topics or self._trouble is not None:
                yield Update(topics, self._moved, self._trouble)


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
            notify_trouble(listeners, words_for_all(error, self._site))
            return None
        except Exception:  # the edge of a task: without this, all pages would stop following after one fault of ours
            LOG.exception("looking for changes failed")
            notify_trouble(listeners, OUR_FAULT)
            return None
        for listener in listeners:
            listener.notify(listener.topics if listener.is_new else listener.topics & changed, now.moved)
        return now

    def _changed(self, before: Look | None, topics: frozenset[Topic]) -> tuple[Look, frozenset[Topic]]:
        with self._site.watching() as connection:
            now = look(connection, watched_by(topics))
            if before is None:
                return now, topics
            found = between(before, now)
            wants_bots = found.matches and any(topic.kind == "bot" for topic in topics)
            bots = bots_in(connection, found.matches) if wants_bots else frozenset()
        return now, concerned(topics, found, bots)


def words_for_all(error: ArenaError, site: Site) -> str:
    """Return what is wrong as all who listen may read it, operators and players alike."""
    return error.for_players if isinstance(error, ForOperators) and site.web.is_served else str(error)


def notify_trouble(listeners: list[Listener], why: str) -> None:
    for listener in listeners:
        listener.notify_trouble(why)
