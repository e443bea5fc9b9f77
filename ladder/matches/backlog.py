"""Matches that wait: for which of them another message has to be sent, and to which queue."""

from __future__ import annotations

from dataclasses import dataclass

from psycopg.sql import SQL, Identifier

from ladder.database.connection import Connection, Rows
from ladder.fleet.workers import LACKS, SOMEBODY_CAN
from ladder.ids import MatchId, WorkerId
from ladder.matches.failures import RESTS

HAS_GAME = SQL("""has_game(workers.games, workers.plays, leagues.game, matches.edition)
    AND NOT lacks_trust(leagues.trusted, matches.edition)""")
OF_PLAYING = {"column": Identifier("plays"), "languages": SQL("seated.languages"), "has_game": HAS_GAME}
"""For LACKS and SOMEBODY_CAN: the languages of the seats, which the query calls `seated`; the query has the league."""
COMES_FIRST = SQL("""(
    gauntlet_id IS NOT NULL AND NOT EXISTS (SELECT FROM tunes WHERE tunes.gauntlet_id = matches.gauntlet_id)
    OR request_id IS NOT NULL OR attempt > 0)""")
"""Whether a match goes to the front of the queue: somebody waits for it, or it has waited its turn.

For a tune, which takes hours, nobody waits: its matches come after those of the boards."""


@dataclass(frozen=True, slots=True)
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
    found = Rows(connection, WaitingMatch).all(
        SQL("""
        WITH alive AS MATERIALIZED (SELECT DISTINCT plays, games FROM workers JOIN live_workers USING (id)),
        free AS (
            SELECT matches.id, enqueued_at, {comes_first} AS first
            FROM matches JOIN leagues ON leagues.id = league_id CROSS JOIN LATERAL (
                SELECT array_agg(language) AS languages
                FROM seats JOIN versions ON versions.id = seats.version_id
                WHERE match_id = matches.id) AS seated
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
        """).format(comes_first=COMES_FIRST, rests=RESTS),
        {"resend_after_s": resend_after_s, "under_way": under_way},
    )
    return sorted(found, key=lambda match: match.id)


def requeue_for_others(connection: Connection, match_id: MatchId, worker_id: WorkerId) -> WaitingMatch | None:
    """Return how to enqueue again a waiting match that other workers can play but this one cannot, else None."""
    return Rows(connection, WaitingMatch).first(
        SQL("""
        SELECT matches.id, {comes_first} AS first
        FROM matches JOIN leagues ON leagues.id = league_id CROSS JOIN LATERAL (
            SELECT array_agg(language) AS languages
            FROM seats JOIN versions ON versions.id = seats.version_id
            WHERE match_id = matches.id) AS seated
        WHERE matches.id = %(id)s AND matches.state = 'queued' AND NOT {rests} AND {lacks} AND {somebody_can}
        """).format(
            comes_first=COMES_FIRST,
            rests=RESTS,
            lacks=LACKS.format(**OF_PLAYING),
            somebody_can=SOMEBODY_CAN.format(**OF_PLAYING),
        ),
        {"id": match_id, "worker_id": worker_id},
    )
