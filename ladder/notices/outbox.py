"""Notices that wait: those that the clock makes, which one is next, and what came of it.

How this works. To take a notice writes down that its hook is tried, and when again if nobody says more. So it is sent
while no transaction is open, and a scheduler that dies meanwhile costs a pause. What is sent but not written down is
sent again: whoever receives notices knows them by their numbers. A hook's notices go out in their order.

Frozen boards. What tells of moves waits until the boards are thawed, also for whoever's bot has moved, as pages show it
to nobody; and in the ladder's hooks what tells of verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from ladder.database.connection import Connection, Rows
from ladder.ids import HookId
from ladder.leagues import leagues

FIRST_PAUSE_S = 10
LONGEST_PAUSE_S = 3600
"""Each pause is four times the one before."""
FAILS_FOR_S = 86_400
"""A hook that has failed for so long is disabled."""
KEPT_DAYS = 30


@dataclass(frozen=True, slots=True)
class Taken:
    """A notice that is to be sent now. `about`: what it tells of, by ids; `game`: None for a test;
    `at_s`: when it was taken, in seconds since 1970."""

    id: int
    hook_id: HookId
    url: str
    form: str
    secret: str
    event: str
    game: str | None
    about: dict[str, Any]
    made_at: datetime
    at_s: int


def write_due(connection: Connection) -> None:
    """Write the notices that no deed makes, once each: of a deadline that is near, of a boss that does not play.

    What is old is let go, and what tells of a boss that is back.
    """
    connection.execute(
        """
        SELECT make_notices('deadline', game, NULL, jsonb_build_object(
            'season', number, 'until', submit_until,
            'hours', CASE WHEN submit_until <= now() + interval '1 hour' THEN 1 ELSE 24 END), again => false)
        FROM season_plans WHERE submit_until > now() AND submit_until <= now() + interval '24 hours'
        """
    )
    bossless = [{"league": one.league, "game": one.game} for one in leagues.unguarded(connection)]
    for one in bossless:
        connection.execute(
            "SELECT make_notices('bossless', %(game)s, NULL, %(about)s, again => false)",
            {"game": one["game"], "about": Jsonb(one)},
        )
    connection.execute(
        """
        DELETE FROM notices
        WHERE event = 'bossless' AND about <> ALL(%s::jsonb[]) OR made_at < now() - make_interval(days => %s)
        """,
        [[Jsonb(one) for one in bossless], KEPT_DAYS],
    )


def take(connection: Connection) -> Taken | None:
    """Return the notice that is next, and write down that its hook is tried; None where none is due."""
    return Rows(connection, Taken).first(
        """
        WITH next AS (
            SELECT hooks.id AS hook_id, first.id
            FROM hooks LEFT JOIN players ON players.id = player_id
            CROSS JOIN LATERAL (
                SELECT id FROM notices
                WHERE hook_id = hooks.id AND sent_at IS NULL AND NOT (
                    (event IN ('promoted', 'demoted') OR event = 'verdict' AND player_id IS NULL) AND EXISTS (
                        SELECT FROM board_freezes
                        WHERE board_freezes.game = notices.game AND frozen_from <= made_at))
                ORDER BY id LIMIT 1) AS first
            WHERE hooks.disabled_at IS NULL AND players.disabled_at IS NULL AND next_at <= now()
            ORDER BY next_at, hooks.id LIMIT 1
            FOR UPDATE OF hooks SKIP LOCKED)
        UPDATE hooks
        SET tries = tries + 1, tried_at = now(),
            next_at = now() + make_interval(secs => least(%(first)s * 4.0 ^ least(tries, 9), %(longest)s))
        FROM next JOIN notices ON notices.id = next.id
        WHERE hooks.id = next.hook_id
        RETURNING notices.id, hooks.id AS hook_id, url, form, secret, event, game, about, made_at,
                  extract(epoch FROM now())::bigint AS at_s
        """,
        {"first": FIRST_PAUSE_S, "longest": LONGEST_PAUSE_S},
    )


def write_down_arrival(connection: Connection, taken: Taken, answer: str) -> None:
    connection.execute("UPDATE notices SET sent_at = now() WHERE id = %s", [taken.id])
    connection.execute(
        "UPDATE hooks SET tries = 0, next_at = now(), failing_since = NULL, answer = %s WHERE id = %s",
        [answer, taken.hook_id],
    )


def write_down_failure(connection: Connection, taken: Taken, answer: str) -> None:
    """Let the notice wait; or, where its hook has failed for a day, disable that and let go of all that waits."""
    row = connection.execute(
        """
        UPDATE hooks
        SET failing_since = coalesce(failing_since, now()), answer = %(answer)s,
            disabled_at = CASE WHEN failing_since < now() - make_interval(secs => %(longest)s) THEN now() END
        WHERE id = %(hook)s RETURNING disabled_at
        """,
        {"answer": answer, "hook": taken.hook_id, "longest": FAILS_FOR_S},
    ).fetchone()
    if row is not None and row[0] is not None:
        connection.execute("DELETE FROM notices WHERE hook_id = %s AND sent_at IS NULL", [taken.hook_id])
