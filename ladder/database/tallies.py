"""How often things have happened, for those who watch a ladder: sums that PostgreSQL keeps, so that nobody counts.

How this works. What happens adds lines, in the transaction in which it happens; the ends of matches and builds do so by
triggers. Nobody who adds a line waits for another, as they would for a sum. The sweep adds the lines to the sums every
few seconds, so both are small however much was played.
"""

from enum import StrEnum

from engine.immutable import immutable
from ladder.database.connection import Connection, Rows
from ladder.ids import LeagueId


class Tallied(StrEnum):
    """What is counted, by the word in the rows. The first ones are added by triggers, and by nobody else.

    Labels: the first verdict of FINISHED that is not `ok`; the upper bound in seconds of MATCH_S, WAIT_S, BUILD_S; the
    cause of FAILED; the machine of HOST_BUSY; the reason of REJECTED and REFUSED.
    """

    FINISHED = "finished"
    TAKEN_BACK = "taken_back"
    PUT_ASIDE = "put_aside"
    MATCH_S = "match_s"
    WAIT_S = "wait_s"
    BUILD_S = "build_s"
    IMPORTED = "imported"
    FAILED = "failed"
    HOST_BUSY = "host_busy"
    REJECTED = "rejected"
    REFUSED = "refused"
    LOST = "lost"


@immutable
class Tally:
    """How often something has happened, and how long it took. `game`, `league`: "" where that is not told apart."""

    name: str
    game: str
    league: str
    label: str
    number: int
    seconds: float


def add(
    connection: Connection, what: Tallied, label: str = "", *, league_id: LeagueId | None = None, number: int = 1
) -> None:
    query = "INSERT INTO tally_lines (name, league_id, label, number) VALUES (%s, %s, %s, %s)"
    connection.execute(query, [what, league_id, label, number])


def sum_up(connection: Connection) -> None:
    """Add the lines to the sums. Of two who do so at once each takes the lines that the other has not."""
    query = """
        WITH taken AS (DELETE FROM tally_lines RETURNING *)
        INSERT INTO tallies (name, league_id, label, number, seconds)
        SELECT name, league_id, label, sum(number), sum(seconds) FROM taken
        GROUP BY name, league_id, label ORDER BY name, league_id, label
        ON CONFLICT ON CONSTRAINT tallies_are_sums
        DO UPDATE SET number = tallies.number + excluded.number, seconds = tallies.seconds + excluded.seconds
        """
    connection.execute(query)


def count_what_came(connection: Connection) -> None:
    query = """
        INSERT INTO tally_lines (name, league_id, number)
        SELECT CASE state WHEN 'finished' THEN %(imported)s ELSE %(put_aside)s END, league_id, count(*)
        FROM matches WHERE state IN ('finished', 'void') GROUP BY state, league_id
        """
    connection.execute(query, {"imported": Tallied.IMPORTED, "put_aside": Tallied.PUT_ASIDE})


def tallies(connection: Connection) -> list[Tally]:
    """Return what was counted up to this snapshot."""
    return Rows(connection, Tally).all("""
        SELECT counted.name, coalesce(game, '') AS game, coalesce(leagues.name, '') AS league, label,
               sum(number)::bigint AS number, sum(seconds) AS seconds
        FROM (SELECT * FROM tallies UNION ALL SELECT * FROM tally_lines) AS counted
        LEFT JOIN leagues ON leagues.id = league_id
        GROUP BY counted.name, leagues.id, label
        """)
