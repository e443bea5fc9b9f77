"""Standings: what each version's rating and record is in its league, kept as rows so that a board is one index scan."""

from __future__ import annotations

from dataclasses import dataclass

from psycopg.rows import class_row

from ladder.database import Connection
from ladder.rating import Rating


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of a board. `waiting`: matches of this version that are queued or being played."""

    version_id: int
    bot: str
    number: int
    player: str
    language: str
    is_boss: bool
    mu: float
    sigma: float
    score: float
    matches: int
    wins: int
    draws: int
    losses: int
    timeouts: int
    faults: int
    waiting: int

    @property
    def name(self) -> str:
        """Return how people call the version: `kraken@v8`."""
        return f"{self.bot}@v{self.number}"


@dataclass(frozen=True, slots=True)
class Stay:
    """A version's time in one league, past or present."""

    version_id: int
    league: str
    on_board: bool
    mu: float
    sigma: float
    score: float
    matches: int
    wins: int
    draws: int
    losses: int
    timeouts: int
    faults: int


def enter(connection: Connection, version_id: int, league_id: int, rating: Rating, *, on_board: bool) -> None:
    """Let a version into a league with that rating and an empty record."""
    connection.execute(
        """
        INSERT INTO standings (version_id, league_id, on_board, mu, sigma, score)
        VALUES (%(version_id)s, %(league_id)s, %(on_board)s, %(mu)s, %(sigma)s, %(score)s)
        """,
        {
            "version_id": version_id,
            "league_id": league_id,
            "on_board": on_board,
            "mu": rating.mu,
            "sigma": rating.sigma,
            "score": rating.score,
        },
    )


def leave_boards(connection: Connection, bot_id: int) -> None:
    """Take every version of the bot off the boards; ratings and records stay."""
    connection.execute(
        """
        UPDATE standings SET on_board = false
        FROM versions WHERE versions.id = standings.version_id AND versions.bot_id = %s AND on_board
        """,
        [bot_id],
    )


def board(connection: Connection, league_id: int) -> list[Standing]:
    """Return a league's board, best score first."""
    with connection.cursor(row_factory=class_row(Standing)) as cursor:
        return cursor.execute(
            """
            WITH waiting AS (
                SELECT seats.version_id, count(*)::int AS matches
                FROM matches JOIN seats ON seats.match_id = matches.id
                WHERE matches.state IN ('queued', 'running') AND matches.league_id = %(league_id)s
                GROUP BY seats.version_id)
            SELECT standings.version_id, bots.name AS bot, versions.number, players.name AS player, versions.language,
                   bots.boss_of IS NOT NULL AS is_boss, mu, sigma, score, standings.matches, wins, draws, losses,
                   timeouts, faults, coalesce(waiting.matches, 0) AS waiting
            FROM standings
            JOIN versions ON versions.id = standings.version_id
            JOIN bots ON bots.id = versions.bot_id
            JOIN players ON players.id = bots.player_id
            LEFT JOIN waiting ON waiting.version_id = standings.version_id
            WHERE standings.league_id = %(league_id)s AND on_board
            ORDER BY score DESC, standings.version_id
            """,
            {"league_id": league_id},
        ).fetchall()


def stays_of(connection: Connection, bot_id: int) -> list[Stay]:
    """Return every stay of every version of a bot, the latest first."""
    with connection.cursor(row_factory=class_row(Stay)) as cursor:
        return cursor.execute(
            """
            SELECT version_id, leagues.title AS league, on_board, mu, sigma, score, matches, wins, draws, losses,
                   timeouts, faults
            FROM standings
            JOIN leagues ON leagues.id = standings.league_id
            JOIN versions ON versions.id = standings.version_id
            WHERE versions.bot_id = %s
            ORDER BY versions.number DESC, leagues.position DESC
            """,
            [bot_id],
        ).fetchall()


def lock_ratings(connection: Connection, league_id: int, version_ids: tuple[int, int]) -> dict[int, Rating]:
    """Lock both versions' standings, in id order so that no two recordings wait for each other; return the ratings."""
    rows = connection.execute(
        """
        SELECT version_id, mu, sigma FROM standings
        WHERE league_id = %s AND version_id = ANY(%s)
        ORDER BY version_id
        FOR UPDATE
        """,
        [league_id, list(version_ids)],
    )
    return {version_id: Rating(mu, sigma) for version_id, mu, sigma in rows}


def add_result(
    connection: Connection, version_id: int, league_id: int, rating: Rating, result: str, verdict: str
) -> None:
    """Write the new rating and count the result (win, draw, loss) and the verdict."""
    connection.execute(
        """
        UPDATE standings
        SET mu = %(mu)s, sigma = %(sigma)s, score = %(score)s, matches = matches + 1,
            wins = wins + (%(result)s = 'win')::int,
            draws = draws + (%(result)s = 'draw')::int,
            losses = losses + (%(result)s = 'loss')::int,
            timeouts = timeouts + (%(verdict)s = 'timeout')::int,
            faults = faults + (%(verdict)s NOT IN ('ok', 'timeout'))::int
        WHERE version_id = %(version_id)s AND league_id = %(league_id)s
        """,
        {
            "version_id": version_id,
            "league_id": league_id,
            "mu": rating.mu,
            "sigma": rating.sigma,
            "score": rating.score,
            "result": result,
            "verdict": verdict,
        },
    )
