"""A ladder with thousands of versions and as many matches as one likes, made by the database itself from numbers.

How this works. Nothing is played. Who meets whom and who wins follows from a hash of the battle's number, opponents
being near each other in rank; matches, seats, ledger lines and the sums in the standings agree with each other as on a
real ladder, but ratings do not come from the matches, and nearly all records hold two turns.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.bot.clock import Spent
from engine.match import Turn
from ladder.database.connection import Connection, connect, one
from ladder.ids import LeagueId
from ladder.leagues import leagues
from ladder.matches.record import Recording, pack
from tests.watching import recorded
from workers.embedded import control
from workers.embedded.home import LadderHome
from workers.embedded.processes import Child
from workers.embedded.state_file import Running

GAME = "ocean-of-code"
LEAGUE = "bronze"
VERSIONS = 10_000
NEAR = 20
"""Opponents are this many ranks apart at most."""
AT_ONCE = 500_000
"""This many matches are made in one go."""
LATEST = 200
"""Of one bot's matches so many, the latest, have whole records: one that the official referee recorded."""
SHORT_RECORD = pack(Recording((Turn(0, "7 7", Spent(900, 400)), Turn(1, "7 7", Spent(900, 400)))))
QUICK = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "max_wal_size": "'8GB'"}
"""Settings of the server while it is filled; it would be thrown away after a crash."""


MEETINGS = """
    INSERT INTO meetings
    SELECT number, leagues.id, CASE number %% 2 WHEN 1 THEN one ELSE other END,
           CASE number %% 2 WHEN 1 THEN other ELSE one END,
           CASE WHEN luck < 2 THEN 1 WHEN luck < 51 THEN 2 ELSE 0 END
    FROM generate_series(%(start)s::bigint + 1, %(end)s) AS number,
         (SELECT min(id) AS base, count(*) AS many FROM versions WHERE source_hash = repeat('0', 64)) AS field,
         LATERAL (SELECT abs(hashint8extended((number + 1) / 2, 1) %% many) AS place,
                         abs(hashint8extended((number + 1) / 2, 2) %% %(near)s) + 1 AS gap,
                         abs(hashint8extended(number, 3) %% 100) AS luck) AS drawn,
         LATERAL (SELECT base + place AS one, base + (place + gap) %% many AS other) AS met,
         leagues
    WHERE leagues.game = %(game)s AND leagues.name = %(league)s
"""
"""Who meets whom in a match, and the first one's half points. Of two matches in a row the seats are swapped."""
MATCHES = """
    INSERT INTO matches (id, league_id, pair_id, seed, state, attempt, reason, turns, record, sandbox, time_policy,
                         clock, rules_level, created_at, started_at, finished_at)
    OVERRIDING SYSTEM VALUE
    SELECT id, league_id, (id + 1) / 2, hashint8extended((id + 1) / 2, 4), 'finished', 1, 'dead', 100, %(record)s,
           'bubblewrap', 'strict', 'fair', 1, moment, moment, moment
    FROM meetings, LATERAL (SELECT timestamptz '2026-01-01Z' + id * interval '0.1 s' AS moment) AS played
"""
SEATS = """
    INSERT INTO seats (match_id, seat, version_id, score, result, verdict, slowest_us, median_us, charged_us)
    SELECT id, seat, version_id, own, CASE own WHEN 2 THEN 'win' WHEN 1 THEN 'draw' ELSE 'loss' END, 'ok', 900, 400, 900
    FROM meetings, LATERAL (VALUES (0, one, points), (1, other, 2 - points)) AS seats (seat, version_id, own)
"""
LEDGER = """
    INSERT INTO ledger (match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after)
    SELECT id, version_id, league_id, 25, 0.9, 25, 0.9
    FROM meetings, LATERAL (VALUES (one), (other)) AS seats (version_id)
"""
STANDINGS = """
    UPDATE standings
    SET matches = standings.matches + found.matches, wins = standings.wins + found.wins,
        draws = standings.draws + found.draws, losses = standings.losses + found.losses
    FROM (
        SELECT version_id, count(*) AS matches, count(*) FILTER (WHERE own = 2) AS wins,
               count(*) FILTER (WHERE own = 1) AS draws, count(*) FILTER (WHERE own = 0) AS losses
        FROM meetings, LATERAL (VALUES (one, points), (other, 2 - points)) AS seats (version_id, own)
        GROUP BY version_id) AS found
    WHERE standings.version_id = found.version_id
"""
BUSY = (
    """
    UPDATE ledger SET version_id = %(busy)s
    FROM seats AS own, seats AS other
    WHERE own.match_id = ledger.match_id AND own.seat = 0 AND own.version_id = ledger.version_id
      AND other.match_id = ledger.match_id AND other.seat = 1 AND other.version_id <> %(busy)s
      AND ledger.match_id > %(begin)s
    """,
    """
    UPDATE seats SET version_id = %(busy)s
    FROM seats AS other
    WHERE seats.seat = 0 AND seats.match_id > %(begin)s
      AND other.match_id = seats.match_id AND other.seat = 1 AND other.version_id <> %(busy)s
    """,
)
"""One version in the place of whoever had the first seat."""
WHOLE = """
    UPDATE matches SET record = %(record)s, seed = %(seed)s, rules_level = %(level)s, turns = %(turns)s
    WHERE id > (SELECT max(id) FROM matches) - %(latest)s
"""


@contextmanager
def services(children: Sequence[Child] = ()) -> Iterator[Running]:
    """Run embedded services with the schema and the leagues for the block, and leave nothing."""
    folder = Path(tempfile.mkdtemp(prefix="ladder-bench-", dir="/tmp"))
    folder.chmod(0o755)
    home = LadderHome.at(folder / "home")
    try:
        yield control.up(home, children, prepare="ladder.actions.installation:bring_up_to_date")
    finally:
        control.destroy(home)
        shutil.rmtree(folder)


def add_versions(database_url: str, versions: int = VERSIONS) -> None:
    with connect(database_url) as connection:
        put_on_board(connection, leagues.find_league(connection, GAME, LEAGUE).id, versions)


def put_on_board(connection: Connection, league_id: LeagueId, versions: int) -> None:
    """Let this many versions onto the board of a league; see `add_versions`. An old schema will do."""
    connection.execute(
        """
        WITH player AS (
            INSERT INTO players (name) SELECT 'player-' || place FROM generate_series(1, %(versions)s) AS place
            RETURNING id, name),
        bot AS (
            INSERT INTO bots (game, name, player_id, league_id)
            SELECT %(game)s, replace(name, 'player', 'bot'), id, %(league)s FROM player ORDER BY id
            RETURNING id),
        source AS (
            INSERT INTO sources (hash, content) VALUES (repeat('0', 64), 'print(7, 7)') RETURNING hash)
        INSERT INTO versions (bot_id, number, source_hash, language, state)
        SELECT bot.id, 1, hash, 'python', 'accepted' FROM bot, source ORDER BY bot.id
        """,
        {"versions": versions, "game": GAME, "league": league_id},
    )
    connection.execute(
        """
        INSERT INTO standings (version_id, league_id, mu, sigma, score, first_mu, first_sigma)
        SELECT id, %(league)s, 40.0 - 30.0 * place / %(versions)s + 2.7, 0.9, 40.0 - 30.0 * place / %(versions)s,
               25, 25.0 / 3
        FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place
              FROM versions WHERE source_hash = repeat('0', 64)) AS placed
        """,
        {"versions": versions, "league": league_id},
    )


def fill(database_url: str, matches: int) -> None:
    """Add finished matches until there are this many (an even number), with the server in a hurry."""
    with connect(database_url, autocommit=True) as connection:
        change_settings(connection, QUICK)
        add_matches(connection, matches)
        connection.execute("CHECKPOINT")
        change_settings(connection, dict.fromkeys(QUICK, "DEFAULT"))


def make_one_busy(database_url: str) -> str:
    """Let one bot have played in the latest tenth of all matches, and return its name."""
    with connect(database_url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # what is changed refers to what exists
        busy = one(connection, "SELECT min(id) + 100 FROM versions WHERE source_hash = repeat('0', 64)", {})[0]
        begin = one(connection, "SELECT max(id) * 9 / 10 FROM matches", {})[0]
        for statement in BUSY:
            connection.execute(statement, {"busy": busy, "begin": begin})
        found = recorded(GAME, 100)
        whole = {"record": pack(Recording(found.turns)), "seed": found.spec.seed, "level": found.spec.rules_level}
        connection.execute(WHOLE, {**whole, "turns": len(found.turns), "latest": LATEST})
        connection.execute("VACUUM ANALYZE")
        name = "SELECT bots.name FROM bots JOIN versions ON bots.id = bot_id WHERE versions.id = %(busy)s"
        return str(one(connection, name, {"busy": busy})[0])


def change_settings(connection: Connection, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        connection.execute(f"ALTER SYSTEM SET {name} = {value}".encode())
    connection.execute("SELECT pg_reload_conf()")


def add_matches(connection: Connection, matches: int) -> None:
    """Add finished matches until there are this many (an even number). The connection is one without transactions."""
    connection.execute("SET session_replication_role = replica")  # what is added refers to what exists
    connection.execute("SET work_mem = '256MB'")
    begin = int(one(connection, "SELECT coalesce(max(id), 0) FROM matches", {})[0])
    with without_indexes(connection):
        for start in range(begin, matches, AT_ONCE):
            with connection.transaction():
                add_some(connection, start, min(start + AT_ONCE, matches))
    connection.execute("VACUUM ANALYZE")


@contextmanager
def without_indexes(connection: Connection) -> Iterator[None]:
    """Drop the indexes that no constraint needs, and make them again after the block: that takes less time."""
    found = connection.execute(
        """
        SELECT format('DROP INDEX %I', relname), pg_get_indexdef(indexrelid)
        FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE indrelid IN ('matches'::regclass, 'seats'::regclass, 'ledger'::regclass)
          AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
        """
    ).fetchall()
    for drop, _ in found:
        connection.execute(drop)
    yield
    connection.execute("SET maintenance_work_mem = '1GB'")
    for _, make in found:
        connection.execute(make)


def add_some(connection: Connection, start: int, end: int) -> None:
    """Add the matches of the numbers after `start`, up to `end`."""
    connection.execute("CREATE TEMP TABLE meetings (id bigint, league_id bigint, one bigint, other bigint, points int)")
    numbers = {"start": start, "end": end, "near": NEAR, "game": GAME, "league": LEAGUE}
    connection.execute(MEETINGS, numbers)
    connection.execute(MATCHES, {"record": SHORT_RECORD})
    for statement in (SEATS, LEDGER, STANDINGS):
        connection.execute(statement)
    connection.execute("DROP TABLE meetings")
    connection.execute("SELECT setval(pg_get_serial_sequence('matches', 'id'), %s)", [end])
