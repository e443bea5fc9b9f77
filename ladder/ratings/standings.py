"""Standings: what each version's rating and record is in its league, kept as rows so that a board is one index scan.

How this works. The index `standings_board` holds a league's board in its order, so a page is read from where the one
before ended (a Mark) without looking at what lies above; versions, bots and players are joined to its rows alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from math import inf, isfinite

from psycopg.rows import class_row

from engine.errors import UsageFault
from ladder.database.connection import Connection, one
from ladder.ratings.ledger import rating_settings
from ladder.ratings.models import Rating, RatingSettings, fresh, score

LARGEST_ID = 2**63 - 1
"""Of PostgreSQL's."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on a board: after the row of that version, which stood there with that score and rank."""

    rank: int
    score: float
    version_id: int

    @property
    def text(self) -> str:
        """Return the mark as people and scripts pass it on: `50:27.25:1234`."""
        return f"{self.rank}:{self.score!r}:{self.version_id}"

    @classmethod
    def read(cls, text: str) -> Mark:
        """Return the mark that was written so. Raises UsageFault for anything else."""
        rank, _, rest = text.partition(":")
        score, _, version_id = rest.partition(":")
        try:
            mark = cls(int(rank), float(score), int(version_id))
        except ValueError:
            mark = TOP
        if not (0 < mark.rank <= LARGEST_ID and isfinite(mark.score) and 0 < mark.version_id <= LARGEST_ID):
            raise UsageFault(f"{text!r} is no place on a board: take what the page before gave, as in 50:27.25:1234")
        return mark


TOP = Mark(0, inf, 0)
"""Before a board's first row."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of a board. `waiting`: matches of this version that are queued or being played.

    `kept`: it stays beside its bot's newer version. `eligible_at`: when it earned its promotion. `boss_wins`: matches
    won against the league's boss. `owed_from`: how many of its matches count for nothing but its rating, because it
    has gone back since. `demoted_at`: when it was sent back from here.
    """

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
    kept: bool
    eligible_at: datetime | None
    boss_wins: int
    owed_from: int
    demoted_at: datetime | None

    @property
    def counted(self) -> int:
        """Return how many matches count towards its battles: played since it came, or last came back."""
        return max(self.matches - self.owed_from, 0)  # a match that counted may have been taken back

    @property
    def name(self) -> str:
        """Return how people call the version: `kraken@v8`."""
        return f"{self.bot}@v{self.number}"

    def mark(self, rank: int) -> Mark:
        """Return the place after this line, which stands at that rank."""
        return Mark(rank, self.score, self.version_id)


@dataclass(frozen=True, slots=True)
class Stay:
    """A version's time in one league, past or present; see Standing."""

    version_id: int
    league_id: int
    league: str
    on_board: bool
    kept: bool
    eligible_at: datetime | None
    boss_wins: int
    owed_from: int
    demoted_at: datetime | None
    mu: float
    sigma: float
    score: float
    matches: int
    wins: int
    draws: int
    losses: int
    timeouts: int
    faults: int


def enter(connection: Connection, version_id: int, league_id: int, *, on_board: bool) -> None:
    """Let a version into a league with the league's fresh rating and an empty record."""
    # Whoever changes how a league rates holds the table (see hold): after this line its settings stay as they are.
    connection.execute("LOCK TABLE standings IN ROW EXCLUSIVE MODE")
    settings = rating_settings(connection, league_id)
    rating = fresh(settings)
    connection.execute(
        """
        INSERT INTO standings (version_id, league_id, on_board, mu, sigma, score, first_mu, first_sigma)
        VALUES (%(version_id)s, %(league_id)s, %(on_board)s, %(mu)s, %(sigma)s, %(score)s, %(mu)s, %(sigma)s)
        """,
        {
            "version_id": version_id,
            "league_id": league_id,
            "on_board": on_board,
            "mu": rating.mu,
            "sigma": rating.sigma,
            "score": score(settings, rating),
        },
    )


@dataclass(frozen=True, slots=True)
class Tally:
    """What a league's ledger must add up to for a version: the rating it began with, and the one and record it has.

    `counts`: matches, wins, draws, losses, time-outs and faults. `marked`: what promotions go by, see `marked`.
    """

    version_id: int
    name: str
    first: Rating
    rating: Rating
    score: float
    counts: tuple[int, int, int, int, int, int]
    marked: tuple[int, int]


def tallies(connection: Connection, league_id: int) -> dict[int, Tally]:
    """Return every stay in a league, on its board or not, by version."""
    rows = connection.execute(
        """
        SELECT version_id, bots.name || '@v' || versions.number, first_mu, first_sigma, mu, sigma, score,
               matches, wins, draws, losses, timeouts, faults, boss_wins, owed_from
        FROM standings
        JOIN versions ON versions.id = standings.version_id
        JOIN bots ON bots.id = versions.bot_id
        WHERE standings.league_id = %s
        ORDER BY version_id
        """,
        [league_id],
    )
    return {
        row[0]: Tally(row[0], row[1], Rating(*row[2:4]), Rating(*row[4:6]), row[6], tuple(row[7:13]), tuple(row[13:]))
        for row in rows
    }


def marked(connection: Connection, league_id: int) -> dict[int, tuple[int, int]]:
    """Count by version what finished matches of a league are marked with; who is not named has none of either.

    First its wins against the boss that count towards a promotion, then its matches from before it went back.
    """
    rows = connection.execute(
        """
        SELECT seats.version_id, count(*) FILTER (WHERE NOT spent)::int, count(*) FILTER (WHERE spent)::int
        FROM seats JOIN matches ON matches.id = seats.match_id
        WHERE (beat_boss OR spent) AND matches.league_id = %s AND matches.state = 'finished'
          AND matches.rates
        GROUP BY seats.version_id
        """,
        [league_id],
    )
    return {version_id: (boss_wins, spent) for version_id, boss_wins, spent in rows}


def begin_afresh(connection: Connection, league_id: int) -> None:
    """Let every stay in a league begin with the league's fresh rating as it is now."""
    rating = fresh(rating_settings(connection, league_id))
    connection.execute(
        """
        UPDATE standings SET first_mu = %(mu)s, first_sigma = %(sigma)s
        WHERE league_id = %(league)s AND (first_mu, first_sigma) <> (%(mu)s::float8, %(sigma)s::float8)
        """,
        {"mu": rating.mu, "sigma": rating.sigma, "league": league_id},
    )


def correct(connection: Connection, league_id: int, tally: Tally) -> None:
    """Write another rating, score and record of a version."""
    connection.execute(
        """
        UPDATE standings
        SET mu = %s, sigma = %s, score = %s, matches = %s, wins = %s, draws = %s, losses = %s, timeouts = %s,
            faults = %s, boss_wins = %s, owed_from = %s
        WHERE version_id = %s AND league_id = %s
        """,
        [
            tally.rating.mu,
            tally.rating.sigma,
            tally.score,
            *tally.counts,
            *tally.marked,
            tally.version_id,
            league_id,
        ],
    )


def hold(connection: Connection) -> None:
    """Keep all others from changing or rating anything until this transaction ends; boards can be read.

    For those who rate a whole league again. They call it before they lock any row, so they wait for what is being
    recorded, and recordings wait for them; nobody waits in a circle.
    """
    connection.execute("LOCK TABLE standings IN EXCLUSIVE MODE")


def leave_boards(connection: Connection, bot_id: int) -> None:
    """Take every version of the bot off the boards; ratings and records stay."""
    connection.execute(
        """
        UPDATE standings SET on_board = false, kept = false
        FROM versions WHERE versions.id = standings.version_id AND versions.bot_id = %s AND on_board
        """,
        [bot_id],
    )


def leave_board(connection: Connection, version_id: int) -> None:
    """Take one version off the board where it is, if any; its rating and record stay."""
    connection.execute(
        "UPDATE standings SET on_board = false, kept = false WHERE version_id = %s AND on_board", [version_id]
    )


def keep_on_boards(connection: Connection, bot_id: int) -> None:
    """Let the versions of the bot that are on boards stay there as rivals of the one that comes."""
    connection.execute(
        """
        UPDATE standings SET kept = true
        FROM versions WHERE versions.id = standings.version_id AND versions.bot_id = %s AND on_board
        """,
        [bot_id],
    )


def come_back(connection: Connection, version_id: int, league_id: int) -> bool:
    """Put a version back on the board of a league where it has been. Returns whether it has."""
    done = connection.execute(
        "UPDATE standings SET on_board = true, kept = false WHERE version_id = %s AND league_id = %s",
        [version_id, league_id],
    )
    return done.rowcount == 1


def begin_again(connection: Connection, version_id: int, league_id: int) -> None:
    """Let a version have its battles again before it can be promoted. Its rating and record stay.

    The caller has locked its standing, so nothing is recorded between the two counts.
    """
    connection.execute(
        """
        UPDATE standings SET owed_from = matches, eligible_at = NULL, boss_wins = 0
        WHERE version_id = %s AND league_id = %s
        """,
        [version_id, league_id],
    )
    connection.execute(
        """
        UPDATE seats SET spent = true
        FROM matches
        WHERE seats.version_id = %s AND NOT seats.spent AND matches.id = seats.match_id AND matches.league_id = %s
          AND matches.state = 'finished' AND matches.rates
        """,
        [version_id, league_id],
    )


def eligible_since(connection: Connection, bot_id: int, league_id: int) -> datetime | None:
    """Return when the version that plays for a bot in a league earned its promotion; None if none has."""
    row = connection.execute(
        """
        SELECT eligible_at FROM standings JOIN versions ON versions.id = standings.version_id
        WHERE versions.bot_id = %s AND standings.league_id = %s AND on_board AND NOT kept
        """,
        [bot_id, league_id],
    ).fetchone()
    return None if row is None else row[0]


def inherit_eligibility(connection: Connection, version_id: int, league_id: int, earned_at: datetime | None) -> None:
    """Let a version have what the version before it has earned in its league, unless it has earned that itself."""
    connection.execute(
        "UPDATE standings SET eligible_at = coalesce(eligible_at, %s) WHERE version_id = %s AND league_id = %s",
        [earned_at, version_id, league_id],
    )


def forget_eligibility(connection: Connection, bot_id: int, league_id: int) -> None:
    """Let no version of a bot have earned its promotion in a league any more."""
    connection.execute(
        """
        UPDATE standings SET eligible_at = NULL
        FROM versions WHERE versions.id = standings.version_id AND versions.bot_id = %s
          AND standings.league_id = %s AND eligible_at IS NOT NULL
        """,
        [bot_id, league_id],
    )


def mark_eligible(connection: Connection, version_id: int, league_id: int) -> None:
    """Write down that a version has earned its promotion, unless that stands there."""
    connection.execute(
        """
        UPDATE standings SET eligible_at = now()
        WHERE version_id = %s AND league_id = %s AND eligible_at IS NULL
        """,
        [version_id, league_id],
    )


def mark_demoted(connection: Connection, version_id: int, league_id: int) -> None:
    """Write down that a version was sent back from a league."""
    connection.execute(
        "UPDATE standings SET demoted_at = now() WHERE version_id = %s AND league_id = %s", [version_id, league_id]
    )


def add_boss_win(connection: Connection, winner_id: int, loser_id: int, league_id: int) -> None:
    """Count the win that the ledger says last of the winner, if it was against the league's boss, and mark its seat.

    The caller has locked both standings and written both lines. The mark stays true when another bot becomes the boss.
    """
    connection.execute(
        """
        WITH counted AS (
            UPDATE standings SET boss_wins = standings.boss_wins + 1
            FROM standings AS lost
            JOIN versions ON versions.id = lost.version_id
            JOIN bots ON bots.id = versions.bot_id
            WHERE standings.version_id = %(winner)s AND standings.league_id = %(league)s
              AND lost.version_id = %(loser)s AND lost.league_id = %(league)s
              AND bots.boss_of = %(league)s AND NOT lost.kept
            RETURNING standings.version_id)
        UPDATE seats SET beat_boss = true
        FROM counted
        WHERE seats.version_id = counted.version_id AND seats.match_id = (
            SELECT match_id FROM ledger WHERE version_id = %(winner)s AND league_id = %(league)s
            ORDER BY sequence DESC LIMIT 1)
        """,
        {"winner": winner_id, "loser": loser_id, "league": league_id},
    )


def lock_stays(connection: Connection, bot_ids: Iterable[int]) -> None:
    """Lock all standings of those bots' versions, in the order in which recordings lock two of them."""
    connection.execute(
        """
        SELECT FROM standings JOIN versions ON versions.id = standings.version_id
        WHERE versions.bot_id = ANY(%s)
        ORDER BY standings.version_id, standings.league_id
        FOR UPDATE OF standings
        """,
        [list(bot_ids)],
    )


def present_version(connection: Connection, bot_id: int) -> tuple[int, int] | None:
    """Return the ids of the bot's version that plays for it and of the league on whose board that is, if there is one.

    Kept versions are none: they are rivals of this one.
    """
    row = connection.execute(
        """
        SELECT standings.version_id, standings.league_id
        FROM standings JOIN versions ON versions.id = standings.version_id
        WHERE versions.bot_id = %s AND on_board AND NOT kept
        """,
        [bot_id],
    ).fetchone()
    return None if row is None else (row[0], row[1])


def board(connection: Connection, league_id: int, after: Mark = TOP, limit: int | None = None) -> list[Standing]:
    """Return a league's board, best score first: all of it, or at most `limit` rows after a mark.

    What waits comes and goes by the thousand, and no statistics of the table follow it. So the query says itself in
    which order to join (OFFSET 0), and finds a version's count in an object instead of joining once more.
    """
    with connection.cursor(row_factory=class_row(Standing)) as cursor:
        return cursor.execute(
            """
            WITH page AS MATERIALIZED (
                SELECT * FROM standings
                WHERE league_id = %(league_id)s AND on_board
                  AND (-score, version_id) > (-%(score)s::float8, %(version_id)s::bigint)
                ORDER BY -score, version_id
                LIMIT %(limit)s),
            seated AS (
                SELECT version_id, count(*) AS matches
                FROM (
                    SELECT id FROM matches
                    WHERE state IN ('queued', 'running') AND league_id = %(league_id)s AND rates
                    OFFSET 0) AS unfinished
                CROSS JOIN LATERAL (
                    SELECT version_id FROM seats WHERE match_id = unfinished.id OFFSET 0) AS seats
                GROUP BY version_id),
            waiting AS MATERIALIZED (SELECT jsonb_object_agg(version_id, matches) AS counts FROM seated)
            SELECT page.version_id, bots.name AS bot, versions.number, players.name AS player, versions.language,
                   bots.boss_of IS NOT NULL AND NOT kept AS is_boss, mu, sigma, score, page.matches, wins, draws,
                   losses, timeouts, faults, coalesce((counts ->> page.version_id::text)::int, 0) AS waiting, kept,
                   eligible_at, boss_wins, owed_from, demoted_at
            FROM page
            JOIN versions ON versions.id = page.version_id
            JOIN bots ON bots.id = versions.bot_id
            JOIN players ON players.id = bots.player_id
            CROSS JOIN waiting
            ORDER BY -score, page.version_id
            """,
            {"league_id": league_id, "score": after.score, "version_id": after.version_id, "limit": limit},
        ).fetchall()


def count_after(connection: Connection, league_id: int, after: Mark) -> int:
    """Return how many versions of a league's board come after a mark."""
    row = one(
        connection,
        """
        SELECT count(*) FROM standings
        WHERE league_id = %(league_id)s AND on_board
          AND (-score, version_id) > (-%(score)s::float8, %(version_id)s::bigint)
        """,
        {"league_id": league_id, "score": after.score, "version_id": after.version_id},
    )
    return int(row[0])


def stays_of(connection: Connection, bot_id: int, version_id: int | None = None) -> list[Stay]:
    """Return every stay of every version of a bot, or of one of them, the latest first."""
    with connection.cursor(row_factory=class_row(Stay)) as cursor:
        return cursor.execute(
            """
            SELECT version_id, standings.league_id, leagues.title AS league, on_board, standings.mu, standings.sigma,
                   score, matches, wins, draws, losses, timeouts, faults, kept, eligible_at,
                   standings.boss_wins, owed_from, demoted_at
            FROM standings
            JOIN leagues ON leagues.id = standings.league_id
            JOIN versions ON versions.id = standings.version_id
            WHERE versions.bot_id = %(bot)s AND (%(version)s::bigint IS NULL OR versions.id = %(version)s)
            ORDER BY versions.number DESC, leagues.position DESC
            """,
            {"bot": bot_id, "version": version_id},
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
    connection: Connection,
    version_id: int,
    league_id: int,
    rating: Rating,
    settings: RatingSettings,
    result: str,
    verdict: str,
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
            "score": score(settings, rating),
            "result": result,
            "verdict": verdict,
        },
    )
