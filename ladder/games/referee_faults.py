"""After whose answers referee programs broke: a version that brings that about voids matches that it would lose.

How this works. An attempt at a match that failed because its referee broke names the seat whose answer came last. One
such match says nothing: referees have bugs. A version with several among its latest ones has found such a bug.
"""

from collections.abc import Sequence

from engine.immutable import immutable
from ladder.database.connection import Connection, Rows, first_column
from ladder.ids import VersionId

LATEST = 100
"""Of this many matches of a version that were played or given up last ..."""
FLAGGED = 3
"""... this many that are void after its answer are too many."""


@immutable
class RefereeFaults:
    """How many matches of a version are `void` as the referee broke after its answer; `lately`: of its latest 100."""

    version: str
    void: int
    lately: int

    @property
    def is_flagged(self) -> bool:
        return self.lately >= FLAGGED


def faults_after(connection: Connection, version_ids: Sequence[VersionId]) -> list[RefereeFaults]:
    """Return those of these versions after whose answers a referee broke, in their order."""
    query = """
        WITH broken AS (
            SELECT DISTINCT seats.version_id, matches.id
            FROM seats
            JOIN failed_attempts AS failed ON failed.match_id = seats.match_id AND failed.answered_seat = seats.seat
            JOIN matches ON matches.id = seats.match_id
            WHERE seats.version_id = ANY(%(ids)s) AND matches.state = 'void' AND failed.attempt = matches.attempt)
        SELECT bots.name || '@v' || versions.number AS version, count(*)::int AS void,
               (SELECT count(*)::int FROM (
                    SELECT seats.match_id FROM seats JOIN matches ON matches.id = seats.match_id
                    WHERE seats.version_id = versions.id AND matches.state IN ('finished', 'void')
                    ORDER BY seats.match_id DESC LIMIT %(latest)s) AS latest
                JOIN broken AS own ON own.id = latest.match_id AND own.version_id = versions.id) AS lately
        FROM broken
        JOIN versions ON versions.id = broken.version_id
        JOIN bots ON bots.id = versions.bot_id
        GROUP BY versions.id, versions.number, bots.name ORDER BY versions.number
        """
    return Rows(connection, RefereeFaults).all(query, {"ids": list(version_ids), "latest": LATEST})


def flagged(connection: Connection) -> list[RefereeFaults]:
    """Return the versions on boards after whose answers referees broke so often that it is more than chance."""
    query = """
        SELECT seats.version_id
        FROM failed_attempts AS failed
        JOIN matches ON matches.id = failed.match_id AND matches.state = 'void' AND matches.attempt = failed.attempt
        JOIN seats ON seats.match_id = failed.match_id AND seats.seat = failed.answered_seat
        WHERE failed.answered_seat IS NOT NULL
          AND EXISTS (SELECT FROM standings WHERE version_id = seats.version_id AND on_board)
        GROUP BY seats.version_id HAVING count(*) >= %s
        """
    of_versions = faults_after(connection, first_column(connection, query, [FLAGGED]))
    return sorted((faults for faults in of_versions if faults.is_flagged), key=lambda faults: faults.version)
