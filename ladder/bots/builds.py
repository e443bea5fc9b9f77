"""Builds of versions: claimed by one worker at a time, settled once, put off where that is our fault."""

from typing import Any

from psycopg.sql import SQL, Composed, Identifier

from engine.bot.conditions import Conditions
from engine.immutable import immutable
from ladder.choices import VersionState
from ladder.database import tallies
from ladder.database.connection import Connection, Rows, first_column, first_value, without_nul
from ladder.database.tallies import Tallied
from ladder.fleet.workers import LACKS, LIVES, SOMEBODY_CAN
from ladder.ids import VersionId, WorkerId
from ladder.leagues.leagues import conditions_of
from ladder.names import HOUSE

MOST_ATTEMPTS = 3
"""A build or match that failed this often is given up, where that counts against it (see `failures`)."""
MOST_ATTEMPTS_IN_ALL = 30
"""Also one that is not to blame is given up after this many attempts, so that nothing goes on for ever.

While a worker is killed every other second (`make chaos`) bad luck alone had a match begun ten times: three times that
is hardly luck any more, and it still ends.
"""
DAY_S = 86_400
BUILD_LEASE_S = 1800
"""Longer than any build takes, also on a busy host; the longest match of its league is added for its smoke matches.

It is for workers that hang.
"""
IS_FREE = SQL("""(
    versions.lease_until IS NULL OR is_over(versions.lease_until) OR NOT {is_held})""").format(
    is_held=LIVES.format(worker_id=Identifier("versions", "worker_id"))
)
"""Whether no worker builds a row of `versions` just now."""
OF_BUILDING = {
    "column": Identifier("builds"),
    "languages": SQL("ARRAY[versions.language]"),
    "has_game": SQL("""(
        SELECT has_game(workers.games, workers.plays, game, (SELECT edition FROM games WHERE name = game))
        FROM bots AS its WHERE its.id = versions.bot_id)"""),
}
BUILT_BY_OTHERS: Composed = SQL("({lacks} AND {somebody_can})").format(
    lacks=LACKS.format(**OF_BUILDING), somebody_can=SOMEBODY_CAN.format(**OF_BUILDING)
)
"""Whether a row of `versions` waits for another worker than `worker_id`, which lacks its language or its game."""


@immutable
class BuildClaim:
    """A version that this worker may build, fenced by `attempt`.

    `first_limit_ms`, `turn_limit_ms`: its league's limits of time; None: its game's own. `lease_s`: how long the worker
    may keep it. `is_one_file`: its source is a text, no tree of files.
    """

    version_id: VersionId
    attempt: int
    game: str
    rules_level: int
    conditions: Conditions
    first_limit_ms: int | None
    turn_limit_ms: int | None
    lease_s: int
    language: str
    params: dict[str, str]
    source_hash: str
    bot: str
    is_one_file: bool


def is_built_by_others(connection: Connection, version_id: VersionId, worker_id: WorkerId) -> bool:
    query = SQL(
        "SELECT FROM versions WHERE id = %(id)s AND state = 'building' AND {is_free} AND {built_by_others}"
    ).format(is_free=IS_FREE, built_by_others=BUILT_BY_OTHERS)
    return connection.execute(query, {"id": version_id, "worker_id": worker_id}).fetchone() is not None


def claim_build(connection: Connection, version_id: VersionId, worker_id: WorkerId) -> BuildClaim | None:
    """Take the version for building, unless somebody else has it, it is built already, or it is left to others."""
    return Rows(connection, build_claim).first(
        SQL("""
        UPDATE versions
        SET attempt = versions.attempt + 1, strikes = strikes_without_worker(versions),
            worker_id = %(worker_id)s, began_at = now(),
            lease_until = now() + make_interval(secs => %(lease_s)s + leagues.longest_s)
        FROM bots, leagues
        WHERE versions.id = %(id)s AND state = 'building'
          AND versions.attempt < %(most_attempts)s AND strikes_without_worker(versions) < %(most_strikes)s
          AND {is_free}
          AND bots.id = versions.bot_id AND leagues.id = bots.league_id
          AND NOT {built_by_others}
        RETURNING versions.id AS version_id, versions.attempt, bots.game, leagues.rules_level,
                  league_conditions(leagues) AS conditions, leagues.first_limit_ms, leagues.turn_limit_ms,
                  %(lease_s)s + leagues.longest_s AS lease_s, versions.language, versions.params,
                  versions.source_hash, bots.name AS bot,
                  (SELECT tree IS NULL FROM sources WHERE hash = versions.source_hash) AS is_one_file
        """).format(is_free=IS_FREE, built_by_others=BUILT_BY_OTHERS),
        {
            "id": version_id,
            "worker_id": worker_id,
            "lease_s": BUILD_LEASE_S,
            "most_strikes": MOST_ATTEMPTS,
            "most_attempts": MOST_ATTEMPTS_IN_ALL,
        },
    )


def next_of_players(connection: Connection, version_id: VersionId, worker_id: WorkerId) -> VersionId | None:
    """Return a player's longest-waiting version to build in place of one of the house; None without either."""
    query = SQL("""
        SELECT versions.id FROM versions JOIN bots ON bots.id = bot_id JOIN players ON players.id = player_id
        WHERE state = 'building' AND players.name <> %(house)s AND {is_free} AND NOT {built_by_others}
          AND versions.attempt = 0
          AND EXISTS (
              SELECT FROM versions AS asked JOIN bots ON bots.id = asked.bot_id JOIN players ON players.id = player_id
              WHERE asked.id = %(id)s AND asked.state = 'building' AND players.name = %(house)s)
        ORDER BY versions.id LIMIT 1
        """).format(is_free=IS_FREE, built_by_others=BUILT_BY_OTHERS)
    return first_value(connection, query, {"id": version_id, "worker_id": worker_id, "house": HOUSE})


def build_claim(*, conditions: dict[str, Any], **columns: Any) -> BuildClaim:
    return BuildClaim(conditions=conditions_of(conditions), **columns)


def finish_build(connection: Connection, claim: BuildClaim, state: str, message: str, warnings: str) -> bool:
    """Write down how the build ended, if the claim still holds. Returns whether it did."""
    updated = connection.execute(
        """
        UPDATE versions SET state = %(state)s, message = %(message)s, warnings = %(warnings)s, lease_until = NULL
        WHERE id = %(id)s AND state = 'building' AND attempt = %(attempt)s
        """,
        {"id": claim.version_id, "attempt": claim.attempt, "state": state, "message": message, "warnings": warnings},
    )
    return updated.rowcount == 1


def put_off_build(connection: Connection, claim: BuildClaim, why: str, *, blameless: bool = False) -> None:
    """Put off a build for a fault of ours, or give it up after too many. `blameless`: nothing to do with it."""
    row = connection.execute(
        """
        UPDATE versions
        SET state = CASE WHEN given_up THEN 'rejected' ELSE state END,
            message = CASE WHEN given_up
                THEN 'it could not be tried here, which is not its fault; submit it again later: ' || %(why)s
                ELSE message END,
            strikes = new_strikes, lease_until = NULL, enqueued_at = now()
        FROM (
            SELECT new_strikes, new_strikes >= %(most_strikes)s OR attempt >= %(most_attempts)s AS given_up
            FROM versions, LATERAL (
                SELECT strikes + (NOT %(blameless)s AND NOT a_match_just_failed())::int AS new_strikes) AS counted
            WHERE id = %(id)s) AS verdict
        WHERE id = %(id)s AND state = 'building' AND attempt = %(attempt)s
        RETURNING state
        """,
        {
            "id": claim.version_id,
            "attempt": claim.attempt,
            "why": without_nul(why),
            "blameless": blameless,
            "most_strikes": MOST_ATTEMPTS,
            "most_attempts": MOST_ATTEMPTS_IN_ALL,
        },
    ).fetchone()
    if row is not None and row[0] == VersionState.REJECTED:
        tallies.add(connection, Tallied.REJECTED, "not_tried")


def give_up_builds(connection: Connection) -> int:
    given_up = connection.execute(
        SQL("""
        UPDATE versions
        SET state = 'rejected', message = 'building it ended the worker ' || attempt || ' times; it is given up'
        WHERE state = 'building' AND lease_until IS NOT NULL
          AND (attempt >= %(most_attempts)s OR strikes_without_worker(versions) >= %(most_strikes)s)
          AND {is_free}
        """).format(is_free=IS_FREE),
        {"most_strikes": MOST_ATTEMPTS, "most_attempts": MOST_ATTEMPTS_IN_ALL},
    ).rowcount
    if given_up:
        tallies.add(connection, Tallied.REJECTED, "worker_lost", number=given_up)
    return given_up


def shorten_build_leases(connection: Connection) -> None:
    """Let no lease last longer than from now on: one does where the database's clock was set back meanwhile."""
    query = """
        UPDATE versions
        SET lease_until = lease_end(lease_until, began_at, %(lease_s)s)
        WHERE state = 'building' AND lease_until > lease_end(lease_until, began_at, %(lease_s)s)
        """
    connection.execute(query, {"lease_s": BUILD_LEASE_S})


def builds_to_enqueue(connection: Connection, resend_after_s: int, under_way: int = 0) -> list[VersionId]:
    """Return the versions to enqueue, as `ladder.matches.claims.matches_to_enqueue` does matches."""
    query = SQL("""
        WITH free AS (
            SELECT id, enqueued_at, enqueued_at IS NULL OR lease_until IS NOT NULL AND enqueued_at < began_at AS never
            FROM versions
            WHERE state = 'building' AND {is_free}),
        overdue AS (
            SELECT id FROM free
            WHERE NOT never AND NOT recently(enqueued_at, %(resend_after_s)s)
            ORDER BY enqueued_at, id
            LIMIT (SELECT greatest(count(*) FILTER (WHERE NOT never) - %(under_way)s, 0) FROM free))
        UPDATE versions SET enqueued_at = now()
        WHERE state = 'building' AND id IN (SELECT id FROM free WHERE never UNION ALL SELECT id FROM overdue)
        RETURNING id
        """).format(is_free=IS_FREE)
    return first_column(connection, query, {"resend_after_s": resend_after_s, "under_way": under_way})


def store_artefact(connection: Connection, key: str, archive: bytes) -> None:
    connection.execute("INSERT INTO artefacts (key, archive) VALUES (%s, %s) ON CONFLICT DO NOTHING", [key, archive])


def fetch_artefact(connection: Connection, key: str) -> bytes | None:
    query = "SELECT archive, recently(used_at, %s) FROM artefacts WHERE key = %s"
    row = connection.execute(query, [DAY_S, key]).fetchone()
    if row is None:
        return None
    archive, is_noted = row
    if not is_noted:
        connection.execute("UPDATE artefacts SET used_at = now() WHERE key = %s", [key])
    return bytes(archive)


def prune_artefacts(connection: Connection, most_bytes: int) -> int:
    """Let go of artefacts unused for longest, none of the last day, until others have room; return how many."""
    query = """
        DELETE FROM artefacts WHERE key IN (
            SELECT key FROM (
                SELECT key, used_at, sum(octet_length(archive)) OVER (ORDER BY used_at DESC, key) AS total
                FROM artefacts) AS by_use
            WHERE total > %s AND NOT recently(used_at, %s))
        """
    return connection.execute(query, [most_bytes, DAY_S]).rowcount
