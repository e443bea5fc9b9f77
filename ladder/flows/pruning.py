"""Letting go of what is old: what bots wrote to stderr, and the turns of matches. Results, numbers and ledger stay.

How this works. All matches are walked through by their numbers, some hundreds at a time, each time in a transaction of
its own that holds rows of old matches alone: recordings never wait for it, and what it does not get it leaves for the
next day. Everything follows from rows, so it may end at any time and begin anew.

What is kept for how long: see `ladder.retention`. Nothing of a gauntlet that runs is let go, nor of a request
that is not over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from psycopg.sql import SQL, Composed

from engine.immutable import immutable
from ladder.database.connection import Connection, Pool, Rows, first_value, transaction
from ladder.ids import GauntletId, MatchId
from ladder.matches import match_rows
from ladder.matches.archive import write_match
from ladder.retention import LONGER, Retention

BATCH = 500


@immutable
class PrunedAmount:
    """How many matches' records and stderr were let go, and how many bytes these were."""

    records: int = 0
    stderr: int = 0
    bytes: int = 0

    def plus(self, other: PrunedAmount) -> PrunedAmount:
        return PrunedAmount(self.records + other.records, self.stderr + other.stderr, self.bytes + other.bytes)


@immutable
class Due:
    """A match of which something is due. `is_record`: its record too; `is_stderr`: there is stderr to be let go."""

    id: MatchId
    is_record: bool
    is_stderr: bool
    bytes: int


DUE = SQL("""
    WITH batch AS MATERIALIZED ({walked}),
    -- Each version's latest match that is no longer among its newest.
    former AS (
        SELECT version_id, (
            SELECT match_id FROM seats WHERE seats.version_id = played.version_id
            ORDER BY match_id DESC OFFSET %(newest)s LIMIT 1) AS latest
        FROM (SELECT DISTINCT version_id FROM seats WHERE match_id IN (SELECT id FROM batch)) AS played)
    SELECT matches.id, is_record, is_stderr,
           CASE WHEN is_record THEN octet_length(record) ELSE 0 END + written.bytes AS bytes
    FROM matches
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(octet_length(stderr)), 0)::bigint AS bytes,
               CASE WHEN request_id IS NOT NULL OR gauntlet_id IS NOT NULL OR state = 'void'
                      OR bool_or(verdict <> 'ok') THEN {longer} ELSE 1 END AS times
        FROM seats WHERE match_id = matches.id) AS written
    CROSS JOIN LATERAL (
        SELECT record IS NOT NULL AND coalesce(
                   finished_at < now() - make_interval(days => %(record_days)s::int * times), false) AS is_record,
               written.bytes > 0 AND coalesce(
                   finished_at < now() - make_interval(
                       days => least(%(stderr_days)s::int, %(record_days)s::int) * times), false) AS is_stderr) AS due
    WHERE matches.id IN (SELECT id FROM batch) AND (is_record OR is_stderr)
      AND state IN ('finished', 'void') AND imported_from IS NULL
      AND NOT EXISTS (
          SELECT FROM seats JOIN former USING (version_id)
          WHERE match_id = matches.id AND (latest IS NULL OR latest < match_id))
      AND NOT EXISTS (SELECT FROM gauntlets WHERE id = gauntlet_id AND gauntlets.state = 'running')
      AND NOT EXISTS (SELECT FROM requests WHERE id = request_id AND made < battles AND lapsed IS NULL)
    ORDER BY matches.id
    FOR UPDATE OF matches SKIP LOCKED
""")


@immutable
class Pruning:
    """What is to be let go. `gauntlet`: of that one alone, however new."""

    retention: Retention
    gauntlet: GauntletId | None = None
    is_dry_run: bool = False

    @property
    def values(self) -> dict[str, int | None]:
        retention = self.retention if self.gauntlet is None else Retention(0, 0, newest=0)
        return {
            "gauntlet": self.gauntlet,
            "newest": retention.newest,
            "record_days": retention.record_days,
            "stderr_days": retention.stderr_days,
            "batch": BATCH,
        }

    @property
    def walked(self) -> Composed:
        which = SQL("true") if self.gauntlet is None else SQL("gauntlet_id = %(gauntlet)s")
        return SQL("SELECT id FROM matches WHERE {} AND id > %(after)s ORDER BY id LIMIT %(batch)s").format(which)


def prune_some(connection: Connection, pruning: Pruning, after: int) -> tuple[PrunedAmount, int | None]:
    """Let go of what is due of the next BATCH matches; return it and where to go on, or None. Raises Unavailable."""
    if pruning.gauntlet is None and pruning.retention.record_days is None and pruning.retention.stderr_days is None:
        return PrunedAmount(), None
    values = {**pruning.values, "after": after}
    last = first_value(connection, SQL("SELECT max(id) FROM ({}) AS batch").format(pruning.walked), values)
    if last is None:
        return PrunedAmount(), None
    due = Rows(connection, Due).all(DUE.format(walked=pruning.walked, longer=LONGER), values)
    if due and not pruning.is_dry_run:
        if pruning.retention.archive is not None:
            seats = match_rows.seats_by_match(connection, [match.id for match in due])
            for match in match_rows.find_matches(connection, list(seats)):
                if (record := match_rows.match_record(connection, match.id)) is not None:
                    write_match(pruning.retention.archive, match, seats[match.id], record)
        let_go(connection, due)
    amount = PrunedAmount(
        records=sum(match.is_record for match in due),
        stderr=sum(match.is_stderr for match in due),
        bytes=sum(match.bytes for match in due),
    )
    return amount, last


def let_go(connection: Connection, due: Sequence[Due]) -> None:
    stderr = [match.id for match in due if match.is_stderr]
    records = [match.id for match in due if match.is_record]
    connection.execute("UPDATE seats SET stderr = '' WHERE match_id = ANY(%s) AND stderr <> ''", [stderr])
    query = """
        UPDATE matches
        SET record = CASE WHEN id = ANY(%(records)s) THEN NULL ELSE record END,
            record_pruned_at = CASE WHEN id = ANY(%(records)s) THEN now() ELSE record_pruned_at END,
            stderr_pruned_at = CASE WHEN id = ANY(%(stderr)s) THEN now() ELSE stderr_pruned_at END
        WHERE id = ANY(%(stderr)s) OR id = ANY(%(records)s)
        """
    connection.execute(query, {"stderr": stderr, "records": records})


def prune_for(
    pool: Pool, pruning: Pruning, after: int, limit_s: float, on_batch: Callable[[PrunedAmount], None] = lambda _: None
) -> tuple[PrunedAmount, int | None]:
    """Do as `prune_some` for about so many seconds, each time in a transaction of its own; `on_batch` hears the sum."""
    total, began = PrunedAmount(), time.monotonic()
    while True:
        with transaction(pool) as connection:
            amount, last = prune_some(connection, pruning, after)
        total = total.plus(amount)
        on_batch(total)
        if last is None or time.monotonic() - began >= limit_s:
            return total, last
        after = last
