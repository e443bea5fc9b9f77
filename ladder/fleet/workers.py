"""Worker processes: each has a row, and while it lives a session holds the advisory lock that says so.

The row lists the languages whose bots it can build and play, and the games with rules in Python that it has. What it
cannot do it leaves to others, if others can.

Workers out of reach hold their lock and have given no sign of life lately. Every few seconds a worker asks PostgreSQL
something on the session that holds its lock. PostgreSQL keeps in memory when each session was asked last, so nothing is
written. Some workers, drawn by chance, ask which workers have not asked lately though their locks stand, and those are
marked; each sweep marks them too. If all workers asked that, the work would grow with the square of the fleet, as each
answer takes a look at all locks. A marked worker's machine has no power, stands still, or its network is cut. When its
session ends the mark says that this was why: a worker that is killed alone leaves no such gap, as its lock is gone at
once. A worker that asks again loses its mark.

What the workers that live can do together. A worker registers the languages whose bots it can build and play where it
is. Without that it may be able to do everything; and while no worker is alive, it is unknown which languages the next
one has. So one is missing only if workers are alive, and all have registered without it. The same holds for games: of
one with rules in Python a worker needs the folder, and for one whose referee is a program it needs the languages that
this program is in.

The scheduler, and the rounds for which it asks the workers, have a row each with the moment when they were last at
work. The scheduler writes its own down, as its messages may wait in the broker; a round is written down by the worker
that does it. Where no sweep was done for OVERDUE_S, workers ask for one, so what a dead worker held is free again
although no scheduler lives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import ClassVar

from psycopg.sql import SQL

from engine.immutable import immutable
from ladder.database.connection import Connection, Rows, first_column, one
from ladder.database.tallies import Tallied
from ladder.ids import MatchId, WorkerId

SIGN_OF_LIFE_EVERY_S = 4
OUT_OF_REACH_AFTER_S = 12
"""Three signs of life are missing. PostgreSQL ends the session some ten seconds later: time for several sweeps."""
LOOKS_EACH_TIME = 4
"""This many of all workers look who is out of reach, on average, between two signs of life: others can be lost too."""
FEWER_BY_NOW = 0.9
"""At each sign of life a worker takes the others for fewer by this factor, until it looks again: some may be gone."""


def mark_out_of_reach(connection: Connection) -> int:
    """Mark workers out of reach and unmark those back, if this role sees that; return how many locks are held."""
    query = """
        WITH silent AS MATERIALIZED (
            SELECT coalesce(array_agg(pid), '{}') AS pids FROM pg_stat_activity
            WHERE datname = current_database()
              AND state_change < clock_timestamp() - make_interval(secs => %(limit_s)s)),
        asked AS MATERIALIZED (
            SELECT pid, objid::bigint AS worker_id, pid = ANY(pids) AS long_ago
            FROM pg_locks CROSS JOIN silent
            WHERE locktype = 'advisory' AND classid = %(lock_class)s AND objsubid = 2 AND granted
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())),
        changed AS (
            SELECT id, NOT out_of_reach AS long_ago FROM workers
            WHERE id = ANY(ARRAY(SELECT worker_id FROM asked WHERE long_ago)) AND NOT out_of_reach
               OR out_of_reach AND id = ANY(ARRAY(SELECT worker_id FROM asked WHERE NOT long_ago))
            FOR UPDATE SKIP LOCKED),
        marked AS (
            UPDATE workers SET out_of_reach = changed.long_ago FROM changed WHERE workers.id = changed.id)
        SELECT count(DISTINCT pid) FROM asked
        """
    return int(one(connection, query, {"limit_s": OUT_OF_REACH_AFTER_S, "lock_class": LOCK_CLASS})[0])


LOCK_CLASS = 1
"""First key of the workers' advisory locks; the second is the worker's id. Also in the view live_workers."""


@immutable
class Worker:
    """A live worker process and what it plays now, if anything. `host`, `pid`: None for readers who may not know them.

    `builds`, `plays`: the languages that it has registered; None: it has registered none, and may know all. `games`:
    the games with rules in Python that it has, likewise. `fair_clock`: whether its machine can keep the fair clock;
    None: not known. `is_to_end`: whether it was asked to finish its match and end.
    """

    PRIVATE: ClassVar = ("host", "pid")

    id: WorkerId
    host: str | None
    pid: int | None
    started_at: datetime
    match_id: MatchId | None
    builds: list[str] | None
    plays: list[str] | None
    games: list[str] | None = None
    fair_clock: bool | None = None
    is_to_end: bool = False


LIVES = SQL("coalesce({worker_id} IN (SELECT id FROM live_workers), false)")
"""Whether the worker of a row lives; the locks are read once, for however many rows."""
LACKS = SQL("""EXISTS (
    SELECT FROM workers
    WHERE workers.id = %(worker_id)s AND NOT (workers.{column} @> {languages} AND {has_game}))""")
"""Whether the worker `worker_id` has registered, in that column, and lacks one of the `languages`, or the game.

`has_game`: a condition on a row of `workers`, null where it is not known.
"""
SOMEBODY_CAN = SQL("""EXISTS (
    SELECT FROM workers JOIN live_workers ON live_workers.id = workers.id
    WHERE coalesce(workers.{column} @> {languages} AND {has_game}, true))""")
"""Whether a worker that lives may be able to do all `languages` in that game. To look who lives is slow beside a
claim."""


def enlist(
    connection: Connection,
    host: str,
    pid: int,
    builds: Sequence[str] | None = None,
    plays: Sequence[str] | None = None,
    games: Sequence[str] | None = None,
    *,
    fair_clock: bool | None = None,
    tier: str | None = None,
) -> WorkerId:
    """Add a worker, alive until it is marked dead or this connection ends, and return its id.

    `builds`, `plays`: languages; `games`: with rules in Python; None: all.
    """
    query = """
        WITH enlisted AS (
            INSERT INTO workers (host, pid, builds, plays, games, fair_clock, tier)
            VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING id)
        SELECT id, pg_advisory_lock(%s, id) FROM enlisted
        """
    able = [None if words is None else list(words) for words in (builds, plays, games)]
    return WorkerId(one(connection, query, [host, pid, *able, fair_clock, tier, LOCK_CLASS])[0])


def register_languages(
    connection: Connection, worker_id: WorkerId, builds: Sequence[str], plays: Sequence[str]
) -> None:
    query = "UPDATE workers SET builds = %s, plays = %s WHERE id = %s"
    connection.execute(query, [list(builds), list(plays), worker_id])


def mark_dead(connection: Connection, worker_id: WorkerId) -> None:
    connection.execute("SELECT pg_advisory_unlock(%s, %s)", [LOCK_CLASS, worker_id])


def mark_ended(connection: Connection, *worker_ids: WorkerId) -> None:
    """Those are not counted as lost when their locks are gone."""
    connection.execute("UPDATE workers SET has_ended = true WHERE id = ANY(%s)", [list(worker_ids)])


def count_lost(connection: Connection) -> None:
    """Count workers whose locks are gone without a word, but for those that a failure of the database cut off."""
    query = """
        WITH gone AS (
            UPDATE workers SET has_ended = true
            WHERE NOT has_ended AND id NOT IN (SELECT id FROM live_workers)
            RETURNING NOT database_began_anew(started_at, id) AS is_lost)
        INSERT INTO tally_lines (name, number)
        SELECT %(lost)s, count(*) FROM gone WHERE is_lost HAVING count(*) > 0
        """
    connection.execute(query, {"lost": Tallied.LOST})


def live_workers(connection: Connection) -> list[Worker]:
    return Rows(connection, Worker).all("""
        SELECT workers.id, workers.host, workers.pid, workers.started_at, matches.id AS match_id,
               workers.builds, workers.plays, workers.games, workers.fair_clock, workers.is_to_end
        FROM workers
        JOIN live_workers ON live_workers.id = workers.id
        LEFT JOIN matches ON matches.worker_id = workers.id AND matches.state = 'running'
        ORDER BY workers.id
        """)


def drain(connection: Connection, host: str | None) -> FleetSize:
    """Ask the workers that live, or those of a host, to finish their matches and end. Returns how many these are."""
    query = """
            WITH asked AS (
                UPDATE workers SET is_to_end = true
                WHERE id IN (SELECT id FROM live_workers) AND coalesce(host = %(host)s, true)
                RETURNING id, host)
            SELECT count(DISTINCT host) AS machines, count(*) AS processes,
                   count(*) FILTER (WHERE id IN (SELECT worker_id FROM matches WHERE state = 'running')) AS at_work
            FROM asked
            """
    return Rows(connection, FleetSize).one(query, {"host": host})


def any_to_end(connection: Connection, worker_ids: Sequence[WorkerId]) -> bool:
    query = "SELECT EXISTS (SELECT FROM workers WHERE id = ANY(%(ids)s) AND is_to_end)"
    return bool(one(connection, query, {"ids": list(worker_ids)})[0])


def machines_without_fair_clock(connection: Connection) -> list[str]:
    query = "SELECT DISTINCT host FROM workers JOIN live_workers USING (id) WHERE NOT fair_clock"
    return sorted(first_column(connection, query))


@immutable
class FleetSize:
    """How many machines have workers that live, how many processes these are, and how many play or build just now."""

    machines: int
    processes: int
    at_work: int


def fleet_size(connection: Connection) -> FleetSize:
    return Rows(connection, FleetSize).one("SELECT machines, processes, at_work FROM count_fleet()", {})


def forget_dead(connection: Connection) -> None:
    query = """
        DELETE FROM workers
        WHERE started_at < now() - interval '1 hour' AND id NOT IN (SELECT id FROM live_workers)
          AND NOT EXISTS (SELECT FROM matches WHERE worker_id = workers.id AND state = 'running')
        """
    connection.execute(query)


@immutable
class InLanguage:
    """What is to be done for bots of one language. `work`: builds or plays; `versions`: names of those concerned."""

    language: str
    work: str
    versions: list[str]


def stranded(connection: Connection, fleet: Fleet) -> list[InLanguage]:
    """Return what no worker can do of what is to be: boards and gauntlets played, versions built.

    Namesakes in several games are named once. Nothing while no worker lives: the next one may have every language.
    """
    query = """
        WITH concerned (version_id, work) AS (
            SELECT version_id, 'plays' FROM standings WHERE on_board
            UNION ALL
            SELECT unnest(ARRAY[candidate_id, baseline_id]), 'plays' FROM gauntlets WHERE state = 'running'
            UNION ALL
            SELECT version_id, 'plays'
            FROM gauntlet_opponents JOIN gauntlets ON gauntlets.id = gauntlet_opponents.gauntlet_id
            WHERE gauntlets.state = 'running'
            UNION ALL
            SELECT id, 'builds' FROM versions WHERE state = 'building'),
        named AS (
            SELECT DISTINCT language, work, bots.name, number
            FROM concerned JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id)
        SELECT language, work, array_agg(name || '@v' || number ORDER BY name, number) AS versions
        FROM named GROUP BY language, work ORDER BY language, work"""
    rows = Rows(connection, InLanguage).all(query) if fleet.workers else []
    return [row for row in rows if not fleet.can(row.work, row.language)]


@dataclass(frozen=True)
class Fleet:
    """The workers that live. `needs`: languages of referees, by game; `lacks_game`: none can lead the chosen game."""

    workers: Sequence[Worker] = ()
    needs: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    lacks_game: bool = False

    def for_game(self, game: str) -> Fleet:
        able = [worker for worker in self.workers if may_lead(worker, game, self.needs.get(game))]
        return Fleet(able, self.needs, lacks_game=bool(self.workers) and not able)

    def plays(self, *languages: str) -> bool:
        return self.can("plays", *languages)

    def can(self, work: str, *languages: str) -> bool:
        registered = self._registered[work]
        somebody_can = not registered or any(known is None or known.issuperset(languages) for known in registered)
        return somebody_can and not self.lacks_game

    @cached_property
    def _registered(self) -> Mapping[str, Set[frozenset[str] | None]]:
        """By work each set of languages that some worker has registered, once: in a large fleet most have the same."""
        registered = {
            "builds": [worker.builds for worker in self.workers],
            "plays": [worker.plays for worker in self.workers],
        }
        return {
            work: {None if languages is None else frozenset(languages) for languages in of_all}
            for work, of_all in registered.items()
        }


def may_lead(worker: Worker, game: str, needs: Sequence[str] | None) -> bool:
    """Say whether a worker may be able to lead the matches of a game. `needs`: None for one with rules in Python."""
    if needs is None:
        return worker.games is None or game in worker.games
    return worker.plays is None or set(worker.plays).issuperset(needs)


def fleet_of(connection: Connection) -> Fleet:
    query = "SELECT name, needs FROM games JOIN game_editions ON hash = edition WHERE removed_at IS NULL"
    return Fleet(live_workers(connection), dict(connection.execute(query).fetchall()))


OVERDUE_S = 60
DAY_S = 86_400


class MaintenanceRound(StrEnum):
    """Who was at work. `SCHEDULE`: matches and promotions; `SWEEP`: after dead workers; `PRUNE`: once a day."""

    SCHEDULER = "scheduler"
    SCHEDULE = "schedule"
    SWEEP = "sweep"
    PRUNE = "prune"


@immutable
class Overdue:
    """What was not done for OVERDUE_S. `since_s`: for how long, in seconds; None: the database's clock was set back."""

    round: str
    since_s: int | None


def write_down_round(connection: Connection, round_: MaintenanceRound) -> None:
    """Does nothing where somebody else is writing it down."""
    query = """
        UPDATE rounds SET at = clock_timestamp()
        WHERE name = (SELECT name FROM rounds WHERE name = %s FOR UPDATE SKIP LOCKED)
        """
    connection.execute(query, [round_])


def begin_of_day(connection: Connection, daily: MaintenanceRound) -> bool:
    """Write down a round that is done once a day, unless it was within the last one, or somebody else does."""
    query = """
        UPDATE rounds SET at = clock_timestamp()
        WHERE name = (SELECT name FROM rounds WHERE name = %s AND NOT recently(at, %s) FOR UPDATE SKIP LOCKED)
        """
    return connection.execute(query, [daily, DAY_S]).rowcount == 1


def overdue(connection: Connection) -> list[Overdue]:
    query = """
        SELECT name AS round,
               CASE WHEN at < clock_timestamp() THEN extract(epoch FROM clock_timestamp() - at)::int END AS since_s
        FROM rounds WHERE name <> %s AND NOT recently(at, %s) ORDER BY at
        """
    return Rows(connection, Overdue).all(query, [MaintenanceRound.PRUNE, OVERDUE_S])
