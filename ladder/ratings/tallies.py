"""What a league's ledger must add up to for each version, and writing what it adds up to."""

from __future__ import annotations

from dataclasses import dataclass

from ladder.database.connection import Connection
from ladder.ids import LeagueId, VersionId
from ladder.ratings.counts import COLUMNS, COUNTS, Record, columns_of, record_of
from ladder.ratings.ledger import rating_settings
from ladder.ratings.models import Rating, fresh

COUNTS_AS_GIVEN = ", ".join(f"{name} = %({name})s" for name in COUNTS)


@dataclass(frozen=True, slots=True)
class Tally:
    """What a league's ledger must add up to for a version: the rating it began with, and the one and record it has.

    `marked`: what promotions go by, see `marked`.
    """

    version_id: VersionId
    name: str
    first: Rating
    rating: Rating
    score: float
    record: Record
    marked: tuple[int, int]


def tallies(connection: Connection, league_id: LeagueId) -> dict[VersionId, Tally]:
    """Return every stay in a league, on its board or not, by version."""
    rows = connection.execute(
        f"""
        SELECT version_id, bots.name || '@v' || versions.number, first_mu, first_sigma, mu, sigma, score,
               boss_wins, counted_from, {COLUMNS}
        FROM standings
        JOIN versions ON versions.id = standings.version_id
        JOIN bots ON bots.id = versions.bot_id
        WHERE standings.league_id = %s
        ORDER BY version_id
        """,
        [league_id],
    )
    return {
        row[0]: Tally(
            *(row[0], row[1], Rating(*row[2:4]), Rating(*row[4:6]), row[6]), record_of(row[9:]), tuple(row[7:9])
        )
        for row in rows
    }


def marked(connection: Connection, league_id: LeagueId) -> dict[VersionId, tuple[int, int]]:
    """Count by version what finished matches of a league are marked with; other versions have none of either.

    First its wins against the boss that count towards a promotion, then its matches from before it went back.
    """
    rows = connection.execute(
        """
        SELECT seats.version_id, count(*) FILTER (WHERE NOT discounted)::int,
               count(*) FILTER (WHERE discounted)::int
        FROM seats JOIN matches ON matches.id = seats.match_id
        WHERE (beat_boss OR discounted) AND matches.league_id = %s AND matches.state = 'finished'
          AND matches.rates
        GROUP BY seats.version_id
        """,
        [league_id],
    )
    return {version_id: (boss_wins, discounted) for version_id, boss_wins, discounted in rows}


def begin_afresh(connection: Connection, league_id: LeagueId) -> None:
    """Let every stay in a league begin with the league's fresh rating as it is now."""
    rating = fresh(rating_settings(connection, league_id))
    connection.execute(
        """
        UPDATE standings SET first_mu = %(mu)s, first_sigma = %(sigma)s
        WHERE league_id = %(league)s AND (first_mu, first_sigma) <> (%(mu)s::float8, %(sigma)s::float8)
        """,
        {"mu": rating.mu, "sigma": rating.sigma, "league": league_id},
    )


def correct(connection: Connection, league_id: LeagueId, tally: Tally) -> None:
    """Write another rating, score and record of a version."""
    connection.execute(
        f"""
        UPDATE standings
        SET mu = %(mu)s, sigma = %(sigma)s, score = %(score)s, {COUNTS_AS_GIVEN},
            further_opponents = %(further_opponents)s, boss_wins = %(boss_wins)s, counted_from = %(counted_from)s
        WHERE version_id = %(version)s AND league_id = %(league)s
        """,
        {
            "mu": tally.rating.mu,
            "sigma": tally.rating.sigma,
            "score": tally.score,
            **columns_of(tally.record),
            "further_opponents": tally.record.met - tally.record.matches,
            "boss_wins": tally.marked[0],
            "counted_from": tally.marked[1],
            "version": tally.version_id,
            "league": league_id,
        },
    )
