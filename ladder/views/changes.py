"""What has changed on a ladder since the last look at it, found by comparing two looks.

How this works. A look holds what matters at one moment, in a few numbers: the latest ledger lines and finished matches
one by one, so that a line which was written earlier and committed later is seen too; which versions are on
the boards that are watched; the states of matches and gauntlets that are watched. Two looks are compared. What people
and the scheduler do seldom, such as promotions, submissions and closed seasons, concerns everything. Each query reads
an index from its end, or rows that are few; only a board that is watched is read whole.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import LiteralString, TypeVar

from ladder.database.connection import Connection, one
from ladder.ids import BotId, GauntletId, LeagueId, MatchId

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
    """What matters at one moment.

    `played`: the latest finished matches, unrated ones too. `seldom`: what changes seldom, and
    `at_work`: what workers and the queue are at; both are only compared. `boards`, `gauntlets`, `matches`: of what is
    watched, the versions on the board and the states.
    """

    lines: frozenset[Line]
    played: frozenset[Played]
    seldom: Hashable
    at_work: Hashable
    boards: Mapping[LeagueId, Hashable]
    gauntlets: Mapping[GauntletId, Hashable]
    matches: Mapping[MatchId, Hashable]


@dataclass(frozen=True, slots=True)
class Changes:
    """What has changed. `is_all`: something that may concern everything. `at_work`: what workers and the queue do.

    `leagues`: whose boards have changed. `played_in`: where a match was finished, unrated ones too.
    """

    is_all: bool
    at_work: bool
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
        members(connection, watched.leagues),
        states_of_gauntlets(connection, watched.gauntlets),
        states_of_matches(connection, watched.matches),
    )


def between(before: Look, now: Look) -> Changes:
    """Compare two looks. What only one of them watched does not count as changed."""
    lines = now.lines - before.lines
    played = now.played - before.played
    return Changes(
        is_all=now.seldom != before.seldom,
        at_work=now.at_work != before.at_work,
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
