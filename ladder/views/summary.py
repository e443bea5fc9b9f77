"""What happened on a ladder, in numbers: the lines that the demo ends with."""

from __future__ import annotations

from dataclasses import dataclass

from psycopg.rows import class_row

from ladder.database.connection import Connection


@dataclass(frozen=True, slots=True)
class Summary:
    """Times in seconds or microseconds as named. `rated`: the finished matches that rate; each has two `ledger_lines`.

    `rejected`: the versions that were not let onto a board, each with the reason.
    """

    asked: int
    finished: int
    rated: int
    void: int
    repeated: int
    ledger_lines: int
    playing_s: float
    turns: int
    slowest_us: int
    timeouts: int
    faults: int
    rejected: list[str]

    @property
    def is_complete(self) -> bool:
        """Say whether there were matches, and every one was played and recorded exactly once."""
        return 0 < self.finished == self.asked and self.ledger_lines == 2 * self.rated

    @property
    def matches_per_s(self) -> float:
        """Return the pace from the first match's start to the last one's end."""
        return self.finished / self.playing_s if self.playing_s else 0.0


@dataclass(frozen=True, slots=True)
class Rise:
    """How far a version has been promoted."""

    version: str
    promotions: int
    from_league: str
    to_league: str


def summary(connection: Connection) -> Summary:
    """Sum up all matches."""
    with connection.cursor(row_factory=class_row(Summary)) as cursor:
        found = cursor.execute(
            """
            SELECT count(*)::int AS asked,
                   count(*) FILTER (WHERE state = 'finished')::int AS finished,
                   count(*) FILTER (WHERE state = 'finished' AND rates)::int AS rated,
                   count(*) FILTER (WHERE state = 'void')::int AS void,
                   count(*) FILTER (WHERE attempt > 1)::int AS repeated,
                   (SELECT count(*)::int FROM ledger) AS ledger_lines,
                   coalesce(extract(epoch FROM max(finished_at) - min(started_at)), 0)::float8 AS playing_s,
                   coalesce(sum(turns), 0)::int AS turns,
                   (SELECT coalesce(max(slowest_us), 0) FROM seats WHERE verdict = 'ok') AS slowest_us,
                   (SELECT count(*)::int FROM seats WHERE verdict = 'timeout') AS timeouts,
                   (SELECT count(*)::int FROM seats WHERE verdict NOT IN ('ok', 'timeout')) AS faults,
                   ARRAY(SELECT bots.name || '@v' || number || ': ' || message
                         FROM versions JOIN bots ON bots.id = bot_id
                         WHERE versions.state = 'rejected' ORDER BY versions.id) AS rejected
            FROM matches
            """
        ).fetchone()
    if found is None:
        raise LookupError("an aggregate has one row")
    return found


def rises(connection: Connection) -> list[Rise]:
    """Return the promoted versions, the one that rose farthest first."""
    with connection.cursor(row_factory=class_row(Rise)) as cursor:
        return cursor.execute(
            """
            SELECT bots.name || '@v' || versions.number AS version, count(*)::int AS promotions,
                   (array_agg(lower_league.title ORDER BY lower_league.position))[1] AS from_league,
                   (array_agg(upper_league.title ORDER BY upper_league.position DESC))[1] AS to_league
            FROM moves
            JOIN leagues AS lower_league ON lower_league.id = from_league
            JOIN leagues AS upper_league ON upper_league.id = to_league
            JOIN versions ON versions.id = version_id
            JOIN bots ON bots.id = versions.bot_id
            WHERE kind = 'promotion'
            GROUP BY versions.id, bots.name, versions.number
            ORDER BY promotions DESC, version
            """
        ).fetchall()
