"""Claims: a match that waits is enqueued, played by one worker at a time, and given back where that cannot play it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from psycopg.sql import SQL, Identifier

from engine.bot.conditions import Conditions
from engine.errors import ArenaError
from engine.immutable import immutable
from ladder.bots.builds import MOST_ATTEMPTS, MOST_ATTEMPTS_IN_ALL
from ladder.database.connection import Connection, Rows, one, without_nul
from ladder.fleet.workers import LACKS, LIVES, SOMEBODY_CAN
from ladder.ids import LeagueId, MatchId, VersionId, WorkerId
from ladder.leagues.leagues import conditions_of
from ladder.matches import failures
from ladder.matches.failures import Blame

IS_ORPHAN = SQL("state = 'running' AND (is_over(lease_until) OR NOT {is_held})").format(
    is_held=LIVES.format(worker_id=Identifier("worker_id"))
)
HAS_GAME = SQL("""has_game(workers.games, workers.plays, leagues.game, matches.edition)
    AND NOT lacks_trust(leagues.trusted, matches.edition)""")
WITH_LANGUAGES = SQL("""
    matches JOIN leagues ON leagues.id = league_id CROSS JOIN LATERAL (
        SELECT array_agg(language) AS languages
        FROM seats JOIN versions ON versions.id = seats.version_id
        WHERE match_id = matches.id) AS seated""")
OF_PLAYING = {"column": Identifier("plays"), "languages": SQL("seated.languages"), "has_game": HAS_GAME}
"""For LACKS and SOMEBODY_CAN: the languages of the seats, which the query calls `seated`; the query has the league."""
COMES_FIRST = SQL("""(
    gauntlet_id IS NOT NULL AND NOT EXISTS (SELECT FROM tunes WHERE tunes.gauntlet_id = matches.gauntlet_id)
    OR request_id IS NOT NULL OR attempt > 0)""")
"""Whether a match goes to the front of the queue: somebody waits for it, or it has waited its turn.

For a tune, which takes hours, nobody waits: its matches come after those of the boards."""


@immutable
class WaitingMatch:
    """A match to enqueue. `first`: at the front of the queue, as somebody asked for it or it was begun before."""

    id: MatchId
    first: bool


def matches_to_enqueue(connection: Connection, resend_after_s: int, under_way: int = 0) -> list[WaitingMatch]:
    """Return the queued matches to enqueue: those never enqueued, and replacements for messages that were lost.

    Left out is what no live worker can play, and what nobody may. `resend_after_s`: a younger message is not lost.
    `under_way`: messages that no worker has taken yet; if there are fewer than waiting matches, that many of the
    longest-waiting ones are enqueued again. An enqueue time in the future means that the clock was set back.
    """
    waiting = Rows(connection, WaitingMatch).all(
        SQL("""
        WITH alive AS MATERIALIZED (SELECT DISTINCT plays, games FROM workers JOIN live_workers USING (id)),
        free AS (
            SELECT matches.id, enqueued_at, {comes_first} AS first
            FROM {with_languages}
            WHERE state = 'queued' AND NOT {rests} AND NOT lacks_trust(trusted, edition)
              AND (NOT EXISTS (SELECT FROM alive)
                   OR EXISTS (
                       SELECT FROM alive
                       WHERE coalesce(plays @> seated.languages AND has_game(games, plays, game, edition), true)))),
        overdue AS (
            SELECT id FROM free
            WHERE NOT recently(enqueued_at, %(resend_after_s)s)
            ORDER BY first DESC, enqueued_at, id
            LIMIT (SELECT greatest(count(enqueued_at) - %(under_way)s, 0) FROM free))
        UPDATE matches SET enqueued_at = now()
        FROM free
        WHERE free.id = matches.id AND matches.state = 'queued'
          AND (free.enqueued_at IS NULL OR free.id IN (SELECT id FROM overdue))
        RETURNING matches.id, free.first
        """).format(comes_first=COMES_FIRST, rests=failures.RESTS, with_languages=WITH_LANGUAGES),
        {"resend_after_s": resend_after_s, "under_way": under_way},
    )
    return sorted(waiting, key=lambda match: match.id)


def requeue_for_others(connection: Connection, match_id: MatchId, worker_id: WorkerId) -> WaitingMatch | None:
    """Return how to enqueue again a waiting match that other workers can play but this one cannot, else None."""
    return Rows(connection, WaitingMatch).first(
        SQL("""
        SELECT matches.id, {comes_first} AS first FROM {with_languages}
        WHERE matches.id = %(id)s AND matches.state = 'queued' AND NOT {rests} AND {lacks} AND {somebody_can}
        """).format(
            comes_first=COMES_FIRST,
            rests=failures.RESTS,
            with_languages=WITH_LANGUAGES,
            lacks=LACKS.format(**OF_PLAYING),
            somebody_can=SOMEBODY_CAN.format(**OF_PLAYING),
        ),
        {"id": match_id, "worker_id": worker_id},
    )


def free_orphans(connection: Connection) -> int:
    """Put back matches whose worker is dead or lease over, but for those about to be recorded; return how many.

    Those that failed too often become void.
    """
    orphans = connection.execute(
        SQL("""
        SELECT id, database_began_anew(started_at, worker_id), attempt > 1,
               CASE WHEN is_over(lease_until) AND {is_held} THEN %(hangs)s
                    WHEN EXISTS (SELECT FROM workers WHERE workers.id = worker_id AND out_of_reach)
                    THEN %(out_of_reach)s
                    ELSE %(lost)s END
        FROM matches WHERE {is_orphan}
        ORDER BY id FOR UPDATE SKIP LOCKED
        """).format(is_orphan=IS_ORPHAN, is_held=LIVES.format(worker_id=Identifier("worker_id"))),
        {"hangs": failures.WORKER_HANGS, "lost": failures.WORKER_LOST, "out_of_reach": failures.WORKER_OUT_OF_REACH},
    ).fetchall()
    for orphan_id, _, _, why in orphans:  # all of them first: they speak for each other
        failures.write_down(connection, orphan_id, why, failures.CAUSES[why])
    for orphan_id, database_was_down, again, why in orphans:
        blame = Blame.NONE if database_was_down or why == failures.WORKER_OUT_OF_REACH else Blame.LIKELY
        resolve_failure(connection, orphan_id, why, blame=blame, waits=again)
    return len(orphans)


RESOLVE = """
    UPDATE matches
    SET strikes = strikes + %(strike)s, host_faults = host_faults + %(busy)s,
        lease_until = NULL,
        enqueued_at = CASE WHEN %(waits)s AND (attempt > 1 OR %(strike)s = 0) THEN now() END,
        state = CASE WHEN given_up THEN 'void' ELSE 'queued' END,
        reason = CASE
            WHEN NOT given_up THEN %(why)s
            WHEN host_faults + %(busy)s > 0
            THEN format('given up after %%s attempts, %%s of them because the host was too busy; the last: %%s',
                        attempt, host_faults + %(busy)s, %(why)s::text)
            ELSE format('given up after %%s attempts; the last: %%s', attempt, %(why)s::text) END
    FROM (
        SELECT id AS of_match,
               strikes + %(strike)s >= %(most_strikes)s OR host_faults + %(busy)s >= %(most_strikes)s
               OR attempt >= %(most_attempts)s AS given_up
        FROM matches WHERE id = %(id)s) AS verdict
    WHERE id = of_match
"""


def resolve_failure(
    connection: Connection,
    match_id: MatchId,
    why: str,
    *,
    host_busy: bool = False,
    blame: Blame = Blame.LIKELY,
    waits: bool = False,
) -> None:
    """Queue a match again after a failure, or put it aside. `waits`: not enqueued at once, but for a first time."""
    strike = blame is Blame.CERTAIN or (
        blame is Blame.LIKELY
        and not failures.others_fail_too(connection, match_id)
        and not (host_busy and failures.bots_play_elsewhere(connection, match_id))
    )
    if strike:
        failures.count_against(connection, match_id)
    connection.execute(
        RESOLVE,
        {
            "id": match_id,
            "why": failures.evidence_of(without_nul(why)).partition("\n")[0],
            "strike": int(strike),
            "busy": int(host_busy),
            "waits": waits,
            "most_strikes": MOST_ATTEMPTS,
            "most_attempts": MOST_ATTEMPTS_IN_ALL,
        },
    )


def shorten_leases(connection: Connection) -> None:
    """One does where the clock was set back. One that began with longer limits of time keeps its length."""
    connection.execute(
        """
        UPDATE matches SET lease_until = lease_end
        FROM (
            SELECT matches.id AS of_match, lease_end(lease_until, started_at, leagues.longest_s)
            FROM matches JOIN leagues ON leagues.id = matches.league_id
            WHERE matches.state = 'running') AS lease
        WHERE matches.id = of_match AND matches.state = 'running' AND lease_until > lease_end
        """
    )


TAKE_QUEUED = (
    SQL("""
    UPDATE matches
    SET state = 'running', attempt = matches.attempt + 1, worker_id = %(worker_id)s, started_at = now(),
        lease_until = now() + make_interval(secs => leagues.longest_s)
    FROM leagues LEFT JOIN (
        SELECT match_id,
               array_agg(version_id ORDER BY seat) AS version_ids,
               array_agg(language ORDER BY seat) AS languages,
               array_agg(versions.params || seats.params ORDER BY seat) AS params,
               array_agg(source_hash ORDER BY seat) AS source_hashes
        FROM seats
        JOIN versions ON versions.id = seats.version_id
        WHERE match_id = %(id)s GROUP BY match_id) AS seated ON true
    WHERE matches.id = %(id)s AND leagues.id = matches.league_id AND matches.state = 'queued'
      AND NOT {rests} AND NOT {lacks}
    RETURNING matches.id AS match_id, matches.attempt, matches.league_id, matches.rates, leagues.game,
              leagues.rules_level, league_conditions(leagues) AS conditions, leagues.first_limit_ms,
              leagues.turn_limit_ms, leagues.longest_s AS lease_s, matches.seed, matches.players, matches.edition,
              version_ids, languages,
              params, source_hashes,
              {any_lately} AS host_was_busy
    """)
    .format(rests=failures.RESTS, lacks=LACKS.format(**OF_PLAYING), any_lately=failures.ANY_LATELY)
    .as_bytes(None)
)


@immutable
class MatchClaim:
    """A match that a worker may play, fenced by `attempt`. `suspicions`: why a seat's host is not blamed, or ""."""

    match_id: MatchId
    attempt: int
    league_id: LeagueId
    rates: bool
    game: str
    rules_level: int
    conditions: Conditions
    first_limit_ms: int | None
    turn_limit_ms: int | None
    lease_s: int
    seed: int
    players: int
    edition: str | None
    version_ids: list[VersionId]
    languages: list[str]
    params: list[dict[str, str]]
    source_hashes: list[str]
    suspicions: tuple[str, ...] = ()


def claim_match(connection: Connection, match_id: MatchId, worker_id: WorkerId) -> MatchClaim | None:
    """Take the match unless somebody has it, it is over or rests, or the worker lacks something for it."""
    return claim_matches(connection, [(match_id, worker_id)])[0]


def claim_matches(connection: Connection, requests: Sequence[tuple[MatchId, WorkerId]]) -> list[MatchClaim | None]:
    """All of them, or none where it raises; in the order of their ids, so that no two wait for each other.

    All that dead workers held is freed first, as they speak for each other's matches.
    """
    places = sorted(range(len(requests)), key=requests.__getitem__)
    claims = dict(zip(places, take_queued(connection, [requests[place] for place in places]), strict=True))
    unclaimed = [place for place in places if claims[place] is None]
    query = SQL("SELECT FROM matches WHERE id = %(id)s AND {is_orphan}").format(is_orphan=IS_ORPHAN)
    if any(connection.execute(query, {"id": requests[place][0]}).fetchone() is not None for place in unclaimed):
        free_orphans(connection)
        claims |= zip(unclaimed, take_queued(connection, [requests[place] for place in unclaimed]), strict=True)
    in_order: list[MatchClaim | None] = []
    for place in range(len(requests)):
        claim, host_was_busy = claims[place] or (None, False)
        if claim is not None and host_was_busy:
            claim = replace(claim, suspicions=failures.suspicions(connection, claim.match_id, claim.players))
        in_order.append(claim)
    return in_order


def take_queued(
    connection: Connection, requests: Sequence[tuple[MatchId, WorkerId]]
) -> list[tuple[MatchClaim, bool] | None]:
    """Take those that wait and that their worker can play. Returns besides whether the host was too busy of late."""
    rows = [{"id": match_id, "worker_id": worker_id} for match_id, worker_id in requests]
    taken = Rows(connection, match_claim)
    return [taken.first(TAKE_QUEUED, row) for row in rows]  # no executemany: see `flows.recording`


def match_claim(*, conditions: dict[str, Any], host_was_busy: bool, **columns: Any) -> tuple[MatchClaim, bool]:
    if len(columns["version_ids"] or ()) != columns["players"]:
        raise ArenaError(f"the match does not have {columns['players']} seats with a source each")
    return MatchClaim(conditions=conditions_of(conditions), **columns), host_was_busy


def give_back(
    connection: Connection,
    claim: MatchClaim,
    why: str,
    *,
    host_busy: bool = False,
    seat: int | None = None,
    answered_seat: int | None = None,
    blame: Blame = Blame.LIKELY,
) -> str | None:
    """Put a claimed match back for a fault of ours, or aside; return its state, None if it is another's.

    `host_busy`: in the turn of `seat`; `answered_seat`: the last before a referee broke. It waits for the sweep then.
    """
    query = "SELECT FROM matches WHERE id = %s AND state = 'running' AND attempt = %s FOR UPDATE"
    locked = connection.execute(query, [claim.match_id, claim.attempt]).fetchone()
    if locked is None:
        return None
    cause = failures.HOST_BUSY if host_busy else blame.value
    failures.write_down(connection, claim.match_id, without_nul(why), cause, seat, answered_seat)
    resolve_failure(connection, claim.match_id, why, host_busy=host_busy, blame=blame, waits=True)
    return str(one(connection, "SELECT state FROM matches WHERE id = %(id)s", {"id": claim.match_id})[0])


def refuse_claim(connection: Connection, match_id: MatchId, worker_id: WorkerId, why: str) -> None:
    """Count an attempt at a queued match that could not even be claimed, because its row makes no sense."""
    query = """
        UPDATE matches SET attempt = attempt + 1, worker_id = %(worker_id)s, started_at = now()
        WHERE id = %(id)s AND state = 'queued'"""
    updated = connection.execute(query, {"id": match_id, "worker_id": worker_id})
    if updated.rowcount:
        failures.write_down(connection, match_id, without_nul(why), Blame.CERTAIN.value)
        resolve_failure(connection, match_id, why, blame=Blame.CERTAIN, waits=True)
