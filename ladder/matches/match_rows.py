"""Matches as they are shown: one, lists of those that are over, their seats, and how many there are of each state.

How lists work (`latest_matches`). Which matches there are is found by an index, from the latest on, until there are
enough; the rest of them is read after that. So it does not matter how many there are, and a filter reads no more than
it has to pass over. A gauntlet can add thousands of matches within minutes. So those of gauntlets are left out, unless
a filter asks for them by `rated` or `gauntlet`.
"""

import zlib
from collections.abc import Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any, ClassVar, LiteralString

from psycopg.sql import SQL, Composable

from engine.bot.clock import Clock, Policy, TimeRule
from engine.bot.conditions import Conditions
from engine.conversation import UNFAIR
from engine.errors import Refused
from engine.immutable import immutable
from engine.text import ordinal, zoned_words
from engine.toolchains.params import params_text
from ladder.database.connection import Connection, Rows, first_value, one
from ladder.errors import DamagedRecord, NotAllowed, RecordPruned
from ladder.ids import BotId, GauntletId, LeagueId, MatchId, RequestId, VersionId
from ladder.leagues.leagues import conditions_of
from ladder.matches.filters import OWN, Filter, as_sql, comparisons

COMPRESSED = b"\x78\x9c"
"""So begins what is compressed, and no UTF-8."""


def packed_text(text: str) -> bytes:
    plain = text.encode("utf-8", "replace")
    return min(zlib.compress(plain), plain, key=len)


def unpacked_text(stored: bytes) -> str:
    """Return the text of what `packed_text` made. No UTF-8 begins as compressed bytes do. Raises DamagedRecord."""
    try:
        plain = zlib.decompress(stored) if stored.startswith(COMPRESSED) else stored
    except zlib.error as error:
        raise DamagedRecord("what a bot wrote to stderr is damaged") from error
    return plain.decode("utf-8", "replace")


@immutable
class SeatRow:
    """One seat of a match as shown; see SeatResult. `params`: besides its version's; what is not known is None."""

    match_id: MatchId
    seat: int
    version: str
    score: int | None
    place: int | None
    result: str | None
    verdict: str | None
    message: str
    slowest_us: int | None
    median_us: int | None
    charged_us: int | None
    overruns: int
    stderr: str
    stderr_dropped_bytes: int
    early_lines: int
    metrics: dict[str, str]
    params: dict[str, str] = field(default_factory=dict[str, str])

    PRIVATE: ClassVar = ("message", "stderr", "stderr_dropped_bytes", "metrics")

    @property
    def score_words(self) -> str:
        if self.score is not None:
            return str(self.score)
        return "?" if self.place is None else ordinal(self.place)

    @property
    def name(self) -> str:
        return f"{self.version} ({params_text(self.params)})" if self.params else self.version


@immutable
class MatchRow:
    """A match as it is shown, without its seats. The rule for time and the limits are None until it is played.

    `host_faults`: how often it was given back as the host was too busy. `void_by`, `void_at`: None also for what was
    put aside. `imported_from`: the program that played it, so that it has no record, rule or limits, and perhaps no
    seed. `edition`: of its game, by the hash of all files, where the referee is a program. `starts_bots`: whether that
    starts the bots itself: then rule and limits were nobody's. `fair_clock`: whether its machine can keep it; None: not
    known.
    """

    HIDDEN: ClassVar = ("starts_bots",)
    SHOWN: ClassVar = ("caution",)

    id: MatchId
    game: str
    league: str
    rules_level: int
    seed: int | None
    players: int
    pair_id: int
    state: str
    attempt: int
    reason: str
    turns: int
    sandbox: str
    time_policy: str | None
    clock: str | None
    first_limit_ms: int | None
    turn_limit_ms: int | None
    host_faults: int
    rates: bool
    gauntlet_id: GauntletId | None
    request_id: RequestId | None
    created_at: datetime
    finished_at: datetime | None
    void_by: str | None
    void_at: datetime | None
    imported_from: str | None = None
    edition: str | None = None
    starts_bots: bool = False
    fair_clock: bool | None = None
    stderr_pruned_at: datetime | None = None
    record_pruned_at: datetime | None = None

    @property
    def caution(self) -> str | None:
        return UNFAIR if self.starts_bots else None

    @property
    def rule_words(self) -> str:
        lacking = " (which its machine cannot keep)" if self.clock == Clock.FAIR and self.fair_clock is False else ""
        return f"{self.clock} clock{lacking}, policy {self.time_policy}"

    @property
    def seed_words(self) -> str:
        return "unknown" if self.seed is None else str(self.seed)

    @property
    def turns_words(self) -> str:
        """Return for people how many turns it had; "" where nobody counted: it was imported, or a command played it."""
        return "" if self.imported_from or self.starts_bots or self.turns is None else str(self.turns)

    def require_record(self) -> None:
        """For whatever needs the lines that were said. Raises Refused for a match that was played elsewhere, Pruned."""
        if self.imported_from is not None:
            raise Refused(f"match {self.id} was {self.origin_words}")
        if self.record_pruned_at is not None:
            raise RecordPruned(f"of match {self.id} {self.pruned_words}; its result and its numbers stay")

    @property
    def origin_words(self) -> str:
        return f"imported from {self.imported_from}: it has no record of its turns"

    @property
    def pruned_words(self) -> str:
        since = self.record_pruned_at or self.stderr_pruned_at
        if since is None:
            return ""
        what = "its turns and what its bots wrote to stderr were" if self.record_pruned_at else "its bots' stderr was"
        return f"{what} let go on {since:%Y-%m-%d}, as it was old"

    @property
    def known_seed(self) -> int:
        self.require_record()
        if self.seed is None:
            raise LookupError(f"match {self.id} has no seed")
        return self.seed


@immutable
class Counts:
    """How many matches there are of each state."""

    queued: int
    running: int
    finished: int
    void: int

    @property
    def waiting(self) -> int:
        return self.queued + self.running


def count_matches(connection: Connection, game: str | None = None) -> Counts:
    """Rated matches of two are not looked at, but counted in the standings, each in two of them."""
    query = """
        WITH wanted AS (
            SELECT id, players = '{2}' AS for_two FROM leagues WHERE %(game)s::text IS NULL OR game = %(game)s),
        waiting AS (
            SELECT state FROM matches
            WHERE is_waiting(state) AND league_id IN (SELECT id FROM wanted))
        SELECT (SELECT count(*) FROM waiting WHERE state = 'queued') AS queued,
               (SELECT count(*) FROM waiting WHERE state = 'running') AS running,
               (SELECT coalesce(sum(matches), 0)::bigint / 2 FROM standings
                WHERE league_id IN (SELECT id FROM wanted WHERE for_two))
               + CASE WHEN EXISTS (SELECT FROM wanted WHERE NOT for_two)
                 THEN (SELECT count(*) FROM matches
                       WHERE state = 'finished' AND rates
                         AND league_id IN (SELECT id FROM wanted WHERE NOT for_two))
                 ELSE 0 END
               + (SELECT count(*) FROM matches
                  WHERE state = 'finished' AND NOT rates AND league_id IN (SELECT id FROM wanted)) AS finished,
               (SELECT count(*) FROM matches
                WHERE state = 'void' AND league_id IN (SELECT id FROM wanted)) AS void"""
    return Rows(connection, Counts).one(query, {"game": game})


def few_wait(connection: Connection, least: int) -> bool:
    """Say whether fewer matches are queued than are being played, or than `least`: soon a worker would have none."""
    query = """
        SELECT (SELECT count(*) FROM matches WHERE state = 'queued')
               < greatest((SELECT count(*) FROM matches WHERE state = 'running'), %(least)s)"""
    return bool(one(connection, query, {"least": least})[0])


def count_finished(connection: Connection, within_s: int) -> int:
    query = """
        SELECT count(*) FROM matches
        WHERE state = 'finished' AND finished_at BETWEEN now() - make_interval(secs => %(within_s)s) AND now()"""
    return int(one(connection, query, {"within_s": within_s})[0])


LENGTH_OF_MATCHES = 100


def seconds_of_match(connection: Connection, league_id: LeagueId) -> float | None:
    """Return how long the latest matches of a league took on the average; None where none was played here."""
    query = """
        SELECT avg(extract(epoch FROM finished_at - started_at))
        FROM (
            SELECT started_at, finished_at FROM matches
            WHERE league_id = %(league_id)s AND state = 'finished' ORDER BY id DESC LIMIT %(most)s
        ) AS latest"""
    (mean_s,) = one(connection, query, {"league_id": league_id, "most": LENGTH_OF_MATCHES})
    return None if mean_s is None else float(mean_s)


PACE_OF_MATCHES, PACE_WITHIN_S = 100, 60
"""A version's pace is that of at most this many of its latest matches, and of the last this many seconds."""


def pace_of_version(connection: Connection, version_id: VersionId) -> float | None:
    """Return how many rated matches of a version are finished per second at present; None if none was lately."""
    query = """
        SELECT count(*), extract(epoch FROM now() - min(finished_at))
        FROM (
            SELECT match_id FROM seats WHERE version_id = %(version_id)s ORDER BY match_id DESC LIMIT %(most)s
        ) AS latest
        JOIN matches ON matches.id = match_id
        WHERE state = 'finished' AND rates AND recently(finished_at, %(within_s)s)"""
    values = {"version_id": version_id, "most": PACE_OF_MATCHES, "within_s": PACE_WITHIN_S}
    finished, since_s = one(connection, query, values)
    return None if not since_s else finished / float(since_s)


@immutable
class Queued:
    """Queued matches of a game and languages. `failed`: queued again; `asked_for`: by somebody; `tuning`: by a tune."""

    game: str
    languages: list[str]
    matches: int
    failed: int
    asked_for: int
    tuning: int = 0


def queued(connection: Connection) -> list[Queued]:
    return Rows(connection, Queued).all("""
        SELECT game, languages, count(*) AS matches, count(*) FILTER (WHERE attempt > 0) AS failed,
               count(*) FILTER (WHERE is_asked_for) AS asked_for,
               count(*) FILTER (WHERE gauntlet_id IN (SELECT gauntlet_id FROM tunes)) AS tuning
        FROM (
            SELECT matches.id, matches.attempt, matches.gauntlet_id, leagues.game,
                   matches.gauntlet_id IS NOT NULL OR matches.request_id IS NOT NULL AS is_asked_for,
                   coalesce(array_agg(DISTINCT language) FILTER (WHERE language IS NOT NULL), '{}') AS languages
            FROM matches JOIN leagues ON leagues.id = matches.league_id
            LEFT JOIN seats ON seats.match_id = matches.id
            LEFT JOIN versions ON versions.id = seats.version_id
            WHERE matches.state = 'queued'
            GROUP BY matches.id, matches.attempt, matches.gauntlet_id, matches.request_id, leagues.game) AS waiting
        GROUP BY game, languages""")


SELECT_MATCH: LiteralString = """
    SELECT matches.id, leagues.game, leagues.title AS league,
           coalesce(matches.rules_level, leagues.rules_level) AS rules_level, matches.seed, matches.players,
           matches.pair_id,
           matches.state, matches.attempt, matches.reason, matches.turns, matches.sandbox,
           matches.time_policy, matches.clock, matches.first_limit_ms, matches.turn_limit_ms, matches.host_faults,
           matches.rates, matches.gauntlet_id, matches.request_id, matches.created_at, matches.finished_at,
           matches.void_by, matches.void_at, matches.imported_from, matches.edition, matches.fair_clock,
           matches.stderr_pruned_at, matches.record_pruned_at,
           matches.edition IS NOT NULL AND starts_bots(matches.edition) AS starts_bots
    FROM matches JOIN leagues ON leagues.id = matches.league_id
"""


def find_match(connection: Connection, match_id: MatchId) -> MatchRow | None:
    return Rows(connection, MatchRow).first(SELECT_MATCH + "WHERE matches.id = %s", [match_id])


def require_shown(connection: Connection, match_id: MatchId) -> None:
    """Raise NotAllowed for a match that has ended since the boards of its game are frozen, and is others'."""
    row = connection.execute("SELECT game, frozen_from FROM hidden_matches WHERE id = %s", [match_id]).fetchone()
    if row is not None:
        raise NotAllowed(
            f"how match {match_id} ended is hidden while the boards of {row[0]} are frozen, since "
            f"{zoned_words(row[1])}: those who play in it see it, and everybody when an operator thaws them"
        )


def find_matches(connection: Connection, match_ids: Sequence[MatchId]) -> list[MatchRow]:
    """Return matches by their numbers, the highest first."""
    query = SELECT_MATCH + "WHERE matches.id = ANY(%s) ORDER BY matches.id DESC"
    return Rows(connection, MatchRow).all(query, [list(match_ids)])


def running(connection: Connection, limit: int) -> list[MatchRow]:
    query = SELECT_MATCH + "WHERE matches.state = 'running' ORDER BY matches.started_at, matches.id LIMIT %s"
    return Rows(connection, MatchRow).all(query, [limit])


def count_waiting(connection: Connection) -> tuple[int, int]:
    query = """
        SELECT count(*) FILTER (WHERE state = 'queued'), count(*) FILTER (WHERE state = 'running')
        FROM matches WHERE is_waiting(state)"""
    queued, playing = one(connection, query, {})
    return int(queued), int(playing)


def seats_of(connection: Connection, match_ids: Sequence[MatchId]) -> list[SeatRow]:
    query = """
        SELECT match_id, seat, bots.name || '@v' || versions.number AS version, score,
               coalesce(place, CASE result WHEN 'loss' THEN 2 WHEN 'win' THEN 1 WHEN 'draw' THEN 1 END) AS place,
               result, verdict,
               seats.message, slowest_us, median_us, charged_us, overruns, stderr, stderr_dropped_bytes,
               early_lines, metrics, seats.params
        FROM seats JOIN versions ON versions.id = seats.version_id JOIN bots ON bots.id = versions.bot_id
        WHERE match_id = ANY(%s) ORDER BY match_id, seat"""
    return Rows(connection, seat_row).all(query, [list(match_ids)])


def seats_by_match(connection: Connection, match_ids: Sequence[MatchId]) -> dict[MatchId, list[SeatRow]]:
    by_match: dict[MatchId, list[SeatRow]] = {match_id: [] for match_id in match_ids}
    for seat in seats_of(connection, match_ids):
        by_match[seat.match_id].append(seat)
    return by_match


def seat_row(*, stderr: bytes, **columns: Any) -> SeatRow:
    return SeatRow(stderr=unpacked_text(stderr), **columns)


def is_seen(connection: Connection, match_id: MatchId, seat: int) -> bool:
    """Say whether the reader sees what is private of a seat; see `ladder.visibility`."""
    return bool(one(connection, "SELECT is_seen(%(match)s, %(seat)s)", {"match": match_id, "seat": seat})[0])


def match_record(connection: Connection, match_id: MatchId) -> bytes | None:
    return first_value(connection, "SELECT record FROM matches WHERE id = %s", [match_id])


def conditions_of_match(connection: Connection, match_id: MatchId) -> Conditions:
    """Return the conditions of a finished match: its own rule for time, and its league's other limits as they are."""
    query = """
        SELECT league_conditions(leagues), matches.time_policy, matches.clock
        FROM matches JOIN leagues ON leagues.id = matches.league_id WHERE matches.id = %(id)s"""
    conditions, policy, clock = one(connection, query, {"id": match_id})
    return replace(conditions_of(conditions), time=TimeRule(Policy(policy), Clock(clock)))


OF_GAUNTLETS = {"rated", "gauntlet"}
"""A filter that asks for one of these says itself whether matches of gauntlets are meant."""
IS_VOID = SQL("matches.state = 'void' AND (matches.finished_at IS NOT NULL OR matches.void_at IS NULL)")
"""Void ones that have ended."""

LATEST_OF_ALL = SQL("""
    WITH latest AS (
        (SELECT matches.id FROM matches {seats} WHERE matches.state = 'finished' AND {where}
         ORDER BY matches.finished_at DESC, matches.id DESC LIMIT %(limit)s)
        UNION ALL
        (SELECT matches.id FROM matches {seats}
         WHERE {is_void} AND {where}
         ORDER BY coalesce(matches.finished_at, matches.started_at) DESC NULLS LAST, matches.id DESC
         LIMIT %(limit)s))""")
LATEST_OF_BOT = SQL("""
    WITH latest AS (
        SELECT DISTINCT found.id
        FROM versions CROSS JOIN LATERAL (
            SELECT DISTINCT own.match_id AS id  -- a variant of a version may meet another: both seats are its own
            FROM seats AS own JOIN matches ON matches.id = own.match_id {seats}
            WHERE own.version_id = versions.id AND (matches.state = 'finished' OR {is_void}) AND {where}
            ORDER BY own.match_id DESC LIMIT %(limit)s) AS found
        WHERE versions.bot_id = %(bot_id)s AND (%(version_id)s::bigint IS NULL OR versions.id = %(version_id)s)
        ORDER BY found.id DESC LIMIT %(limit)s)""")
LATEST_OF_GAME = SQL("""
    WITH void AS MATERIALIZED (
        SELECT matches.id FROM matches {seats}
        WHERE matches.league_id IN (SELECT id FROM leagues WHERE leagues.game = %(game)s) AND {is_void} AND {where}),
    latest AS (
        (SELECT own.id
         FROM leagues AS of_game CROSS JOIN LATERAL (
             SELECT matches.id FROM matches {seats}
             WHERE matches.league_id = of_game.id AND matches.state = 'finished' AND {where}
             ORDER BY matches.id DESC LIMIT %(limit)s) AS own
         WHERE of_game.game = %(game)s)
        UNION ALL
        (SELECT id FROM void)
        ORDER BY id DESC LIMIT %(limit)s)""")
"""Of finished matches it reads `limit` in each of the game's leagues, by the index of a league's finished ones; of all
others only those that are void, which are few, by theirs. The first index holds `gauntlet_id` too: otherwise PostgreSQL
might take the index of all matches for as good, and read through other leagues' matches.
"""
ORDER_OF_LATEST = SQL("""
    JOIN latest ON latest.id = matches.id
    ORDER BY coalesce(matches.finished_at, matches.started_at) DESC NULLS LAST, matches.id DESC
    LIMIT %(limit)s""")
BOTH_SEATS = SQL("""
    JOIN leagues ON leagues.id = matches.league_id
    LEFT JOIN seats AS first ON first.match_id = matches.id AND first.seat = 0
    LEFT JOIN seats AS second ON second.match_id = matches.id AND second.seat = 1""")
OTHER_SEAT = SQL("""
    JOIN leagues ON leagues.id = matches.league_id
    LEFT JOIN seats AS other ON other.match_id = matches.id AND other.seat = 1 - own.seat""")
"""What a filter's condition is about, where a match is looked at from the side of `own`."""
NOT_OF_GAUNTLETS = SQL("matches.gauntlet_id IS NULL")


def latest_matches(
    connection: Connection,
    limit: int,
    bot_id: BotId | None = None,
    game: str | None = None,
    version_id: VersionId | None = None,
    wanted: Filter | None = None,
) -> list[MatchRow]:
    """Return the matches that were over last; of gauntlets only where `wanted` asks for them."""
    of_many = LATEST_OF_ALL if game is None else LATEST_OF_GAME
    latest = of_many if bot_id is None else LATEST_OF_BOT
    seats, where, values = parts_of_query(wanted, OTHER_SEAT if bot_id is not None else BOTH_SEATS)
    query = latest.format(seats=seats, where=where, is_void=IS_VOID) + SQL(SELECT_MATCH) + ORDER_OF_LATEST
    named = {"limit": limit, "bot_id": bot_id, "version_id": version_id, "game": game}
    return Rows(connection, MatchRow).all(query, {**values, **named})


def parts_of_query(filter_: Filter | None, seats: SQL) -> tuple[Composable, Composable, dict[str, object]]:
    if filter_ is None:
        return SQL(""), NOT_OF_GAUNTLETS, {}
    condition, values = as_sql(filter_, OWN if seats is OTHER_SEAT else None)
    if not any(comparison.field in OF_GAUNTLETS for comparison in comparisons(filter_)):
        condition = SQL("{} AND ({})").format(NOT_OF_GAUNTLETS, condition)
    return seats, condition, values
