"""Standings: what each version's rating and record is in its league, kept as rows so that a board is one index scan.

How this works. The index `standings_board` holds a league's board in its order, so a page is read from where the one
before ended (a BoardCursor) without looking at what lies above; versions, bots and players are joined to its rows
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from math import inf, isfinite
from typing import Any, ClassVar

from engine.errors import UsageFault
from engine.immutable import immutable
from ladder.database.connection import Connection, Rows, first_column, one
from ladder.ids import LARGEST_ID, BotId, LeagueId, VersionId
from ladder.leagues.leagues import League
from ladder.ratings import counts
from ladder.ratings.counts import COLUMNS, COLUMNS_AS_SHOWN, COUNTS, Record
from ladder.ratings.ledger import rating_settings
from ladder.ratings.models import Rating, fresh, score

COUNTS_AS_GIVEN = ", ".join(f"{name} = %({name})s" for name in COUNTS)


@immutable
class LedgerTally:
    """What a league's ledger must add up to for a version: first rating, last, record. `marked`: see `marked`."""

    version_id: VersionId
    name: str
    first: Rating
    rating: Rating
    score: float
    record: Record
    marked: tuple[int, int]


def tallies(connection: Connection, league_id: LeagueId) -> dict[VersionId, LedgerTally]:
    query = f"""
        SELECT version_id, bots.name || '@v' || versions.number AS name, first_mu, first_sigma, mu, sigma, score,
               boss_wins, counted_from, {COLUMNS}
        FROM standings JOIN versions ON versions.id = standings.version_id
        JOIN bots ON bots.id = versions.bot_id WHERE standings.league_id = %s
        ORDER BY version_id"""  # noqa: S608
    rows = Rows(connection, counts.with_record(ledger_tally)).all(query, [league_id])
    return {tally.version_id: tally for tally in rows}


def ledger_tally(
    *, first_mu: float, first_sigma: float, mu: float, sigma: float, boss_wins: int, counted_from: int, **columns: Any
) -> LedgerTally:
    return LedgerTally(
        first=Rating(first_mu, first_sigma), rating=Rating(mu, sigma), marked=(boss_wins, counted_from), **columns
    )


def marked(connection: Connection, league_id: LeagueId) -> dict[VersionId, tuple[int, int]]:
    """Wins against the boss that count towards a promotion, and matches from before it went back; else none."""
    query = """
        SELECT seats.version_id, count(*) FILTER (WHERE NOT discounted)::int,
               count(*) FILTER (WHERE discounted)::int
        FROM seats JOIN matches ON matches.id = seats.match_id
        WHERE (beat_boss OR discounted) AND matches.league_id = %s AND matches.state = 'finished'
          AND matches.rates
        GROUP BY seats.version_id"""
    rows = connection.execute(query, [league_id])
    return {version_id: (boss_wins, discounted) for version_id, boss_wins, discounted in rows}


def begin_afresh(connection: Connection, league_id: LeagueId) -> None:
    rating = fresh(rating_settings(connection, league_id))
    query = """
        UPDATE standings SET first_mu = %(mu)s, first_sigma = %(sigma)s
        WHERE league_id = %(league)s AND (first_mu, first_sigma) <> (%(mu)s::float8, %(sigma)s::float8)"""
    connection.execute(query, {"mu": rating.mu, "sigma": rating.sigma, "league": league_id})


def correct(connection: Connection, league_id: LeagueId, tally: LedgerTally) -> None:
    query = f"""
        UPDATE standings
        SET mu = %(mu)s, sigma = %(sigma)s, score = %(score)s, {COUNTS_AS_GIVEN},
            further_opponents = %(further_opponents)s, boss_wins = %(boss_wins)s, counted_from = %(counted_from)s
        WHERE version_id = %(version)s AND league_id = %(league)s"""  # noqa: S608
    record, (boss_wins, counted_from) = tally.record, tally.marked
    values = {"version": tally.version_id, "league": league_id, "score": tally.score, **asdict(tally.rating)}
    values |= {"further_opponents": record.met - record.matches, **counts.columns_of(record)}
    connection.execute(query, {**values, "boss_wins": boss_wins, "counted_from": counted_from})


@immutable
class SettledLine:
    """One version on a board by all its matches at once, see `settled_fit`.

    `group`, ranks, `strength`, `error`, `matches`: see ladder.statistics.davidson.SettledStrength. `live_rank`,
    `score`, `mu`, `sigma`: where it stands on the live board.
    """

    group: int
    rank: int
    rank_low: int
    rank_high: int
    version: str
    strength: float
    error: float
    matches: int
    live_rank: int
    score: float
    mu: float
    sigma: float


@immutable
class BoardCursor:
    """A place on a board: after the row of that version, which stood there with that rank and `Standing.worth`."""

    rank: int
    worth: float
    version_id: VersionId

    @property
    def text(self) -> str:
        """Return the mark as people and scripts pass it on: `50:27.25:1234`."""
        return f"{self.rank}:{self.worth!r}:{self.version_id}"

    @classmethod
    def read(cls, text: str) -> BoardCursor:
        """Return the mark that was written so. Raises UsageFault for anything else."""
        rank, _, rest = text.partition(":")
        worth, _, version_id = rest.partition(":")
        try:
            mark = cls(int(rank), float(worth), VersionId(int(version_id)))
        except ValueError:
            mark = TOP
        if not (0 < mark.rank <= LARGEST_ID and isfinite(mark.worth) and 0 < mark.version_id <= LARGEST_ID):
            raise UsageFault(f"{text!r} is not a place on a board: take what the page before gave, as in 50:27.25:1234")
        return mark


TOP = BoardCursor(0, inf, VersionId(0))


@immutable
class SettledChance:
    """What the settled fit said of a version when it was last made, see `settled_fit`.

    `boss_id`: the boss's version by then; `counted`: how many of the version's matches counted towards its battles;
    `chance`: of being above that boss, 0 to 1; `rank_span`: the share of the others on the board among whom it ranks,
    with 95 %; `fitted`: how many matches of the league there were.
    """

    boss_id: VersionId
    counted: int
    chance: float
    rank_span: float
    fitted: int = 0


@immutable
class SettledRank:
    """Where a board that ranks by the settled fit has a version, by the last fit.

    `strength`: in Elo above the board's average, with the standard deviation `error`; the rank lies from `rank_low`
    to `rank_high` with 95 %.
    """

    strength: float
    error: float
    rank_low: int
    rank_high: int

    @property
    def width(self) -> int:
        return self.rank_high - self.rank_low

    @property
    def words(self) -> str:
        return f"{self.rank_low} to {self.rank_high}" if self.width else str(self.rank_low)


@immutable
class Standing:
    """One line of a board. `waiting`: matches of this version that are queued or being played.

    `is_rival`: it stays beside its bot's newer version. `eligible_at`: when it earned its promotion. `boss_wins`:
    matches won against the league's boss. `counted_from`: its battles are counted after this many matches, which it had
    played when it went back, and which count for its rating alone. `demoted_at`: when it was sent back from here.
    `note`: its author's own words on it. `settled`: where promotion goes by the settled fit, what that said last.
    `settled_rank`: None where the board ranks by the score, or no fit knows it yet; `fitted`: how many of its matches
    that fit had, None where it came after it.
    """

    MERGED: ClassVar = ("record", "settled_rank")
    IF_ANY: ClassVar = ("settled_rank",)
    HIDDEN: ClassVar = ("settled", "fitted")

    version_id: VersionId
    bot: str
    number: int
    player: str
    language: str
    is_boss: bool
    mu: float
    sigma: float
    score: float
    record: Record
    waiting: int
    is_rival: bool
    eligible_at: datetime | None
    boss_wins: int
    counted_from: int
    demoted_at: datetime | None
    note: str = ""
    settled_rank: SettledRank | None = None
    settled: SettledChance | None = None
    fitted: int | None = None

    @property
    def counted(self) -> int:
        """Return how many matches count towards its battles: played since it came, or last came back."""
        return max(self.record.matches - self.counted_from, 0)  # a match that counted may have been taken back

    @property
    def name(self) -> str:
        return f"{self.bot}@v{self.number}"

    @property
    def worth(self) -> float:
        """Return what orders the board, the best highest: `board_order` of the schema."""
        return self.score if self.settled_rank is None else self.settled_rank.strength + 1e6

    def mark(self, rank: int) -> BoardCursor:
        """Return the place after this line, which stands at that rank."""
        return BoardCursor(rank, self.worth, self.version_id)


@immutable
class LeagueStay:
    """A version's time in one league, past or present; see Standing. `battle_matches`: of a battle there."""

    MERGED: ClassVar = ("record",)
    HIDDEN: ClassVar = ("battle_matches",)

    version_id: VersionId
    league_id: LeagueId
    league: str
    on_board: bool
    is_rival: bool
    eligible_at: datetime | None
    boss_wins: int
    counted_from: int
    demoted_at: datetime | None
    mu: float
    sigma: float
    score: float
    record: Record
    battle_matches: int = 2

    @property
    def battles(self) -> str:
        return counts.battles_text(self.record.matches, self.battle_matches)


def enter(connection: Connection, version_id: VersionId, league_id: LeagueId, *, on_board: bool) -> None:
    # A change of how a league rates holds the table (see hold): after this line its settings do not change.
    connection.execute("LOCK TABLE standings IN ROW EXCLUSIVE MODE")
    settings = rating_settings(connection, league_id)
    rating = fresh(settings)
    query = """
        INSERT INTO standings (version_id, league_id, on_board, mu, sigma, score, first_mu, first_sigma)
        VALUES (%(version_id)s, %(league_id)s, %(on_board)s, %(mu)s, %(sigma)s, %(score)s, %(mu)s, %(sigma)s)"""
    values = {"version_id": version_id, "league_id": league_id, "on_board": on_board}
    connection.execute(query, {**values, **asdict(rating), "score": score(settings, rating)})


def hold(connection: Connection) -> None:
    """Keep all others from changing or rating anything until this transaction ends; boards can be read.

    For those who rate a whole league again. They call it before they lock any row, so they wait for what is being
    recorded, and recordings wait for them; there is no deadlock.
    """
    connection.execute("LOCK TABLE standings IN EXCLUSIVE MODE")


def present_version(connection: Connection, bot_id: BotId) -> tuple[VersionId, LeagueId] | None:
    """Return the version that plays for a bot, and the league; rivals, which only stayed, are none."""
    query = """
        SELECT standings.version_id, standings.league_id
        FROM standings JOIN versions ON versions.id = standings.version_id
        WHERE versions.bot_id = %s AND on_board AND NOT is_rival"""
    row = connection.execute(query, [bot_id]).fetchone()
    return None if row is None else (row[0], row[1])


def present_versions(connection: Connection, of: Sequence[BotId] | None = None) -> dict[BotId, tuple[int, str]]:
    """Return number and note of the version that plays for each bot that has one, by the bot's id. `of`: these bots."""
    query = """
        SELECT versions.bot_id, versions.number, versions.note
        FROM standings JOIN versions ON versions.id = standings.version_id
        WHERE on_board AND NOT is_rival AND (%(bots)s::bigint[] IS NULL OR versions.bot_id = ANY(%(bots)s))"""
    rows = connection.execute(query, {"bots": None if of is None else [*of]})
    return {bot_id: (number, note) for bot_id, number, note in rows}


def board(
    connection: Connection,
    league_id: LeagueId,
    after: BoardCursor = TOP,
    limit: int | None = None,
    only: Sequence[VersionId] | None = None,
) -> list[Standing]:
    """Best first: all, or at most `limit` rows after a mark. `only`: these versions."""
    return boards(connection, [league_id], after, limit, only)[league_id]


def boards(
    connection: Connection,
    league_ids: Sequence[LeagueId],
    after: BoardCursor = TOP,
    limit: int | None = None,
    only: Sequence[VersionId] | None = None,
) -> dict[LeagueId, list[Standing]]:
    """Return the boards of some leagues, each as `board` does; in one query, as to plan it takes longer than to do it.

    What waits comes and goes by the thousand, and no statistics of the table follow it. So the query says itself in
    which order to join (OFFSET 0), and finds a version's count in an object instead of joining once more.
    """

    def placed(
        league_id: LeagueId, settled: dict[str, Any] | None, settled_rank: dict[str, Any] | None, **columns: Any
    ) -> tuple[LeagueId, Standing]:
        rank = SettledRank(**settled_rank) if settled_rank else None
        return league_id, Standing(**columns, settled=SettledChance(**settled) if settled else None, settled_rank=rank)

    query = f"""
        WITH page AS MATERIALIZED (
            SELECT place.*, league.players, league.promotion
            FROM unnest(%(league_ids)s::bigint[]) AS wanted (id) JOIN leagues AS league ON league.id = wanted.id
            CROSS JOIN LATERAL (
                SELECT * FROM standings
                WHERE league_id = wanted.id AND on_board
                  AND (board_order(strength, score), version_id) > (-%(worth)s::float8, %(version_id)s::bigint)
                  AND (%(only)s::bigint[] IS NULL OR version_id = ANY(%(only)s))
                ORDER BY board_order(strength, score), version_id LIMIT %(limit)s) AS place),
        seated AS (
            SELECT league_id, version_id, count(*) AS matches
            FROM (
                SELECT id, league_id FROM matches
                WHERE is_waiting(state) AND league_id = ANY(%(league_ids)s) AND rates
                OFFSET 0) AS unfinished
            CROSS JOIN LATERAL (
                SELECT version_id FROM seats WHERE match_id = unfinished.id OFFSET 0) AS seats
            GROUP BY league_id, version_id),
        waiting AS MATERIALIZED (
            SELECT jsonb_object_agg(concat(league_id, ':', version_id), matches) AS counts FROM seated)
        SELECT page.league_id, page.version_id, bots.name AS bot, versions.number, players.name AS player,
               versions.language, bots.boss_of IS NOT NULL AND NOT is_rival AS is_boss, mu, sigma, score,
               {COLUMNS_AS_SHOWN},
               coalesce((counts ->> concat(page.league_id, ':', page.version_id))::int, 0) AS waiting, is_rival,
               eligible_at, boss_wins, counted_from, demoted_at, versions.note,
               (SELECT jsonb_build_object('boss_id', boss_id, 'counted', counted, 'chance', chance,
                                          'rank_span', rank_span, 'fitted', fitted)
                FROM settled_chances
                WHERE settled_chances.version_id = page.version_id AND settled_chances.league_id = page.league_id
                  AND page.promotion = 'settled_above_boss') AS settled,
               CASE WHEN strength IS NOT NULL THEN jsonb_build_object(
                   'strength', strength, 'error', error, 'rank_low', rank_low, 'rank_high', rank_high)
               END AS settled_rank, fitted
        FROM page JOIN versions ON versions.id = page.version_id JOIN bots ON bots.id = versions.bot_id
        JOIN players ON players.id = bots.player_id
        CROSS JOIN waiting
        ORDER BY page.league_id, board_order(strength, score), page.version_id"""  # noqa: S608
    begin = {"worth": after.worth, "version_id": after.version_id, "limit": limit}
    values = {"league_ids": list(league_ids), "only": None if only is None else list(only), **begin}
    found: dict[LeagueId, list[Standing]] = {league_id: [] for league_id in league_ids}
    for league_id, standing in Rows(connection, counts.with_record(placed)).all(query, values):
        found[league_id].append(standing)
    return found


def forget_fit(connection: Connection, league_id: LeagueId) -> None:
    """Let a board rank by the score alone, until the next fit where its league asks for one."""
    query = """
        UPDATE standings SET strength = NULL, error = NULL, rank_low = NULL, rank_high = NULL, fitted = NULL
        WHERE league_id = %s AND fitted IS NOT NULL"""
    connection.execute(query, [league_id])


def live_order(board: Sequence[Standing]) -> list[Standing]:
    """Return a board in the order of the scores, best first: there no version has anything from its predecessor."""
    return sorted(board, key=lambda row: (-row.score, row.version_id))


@immutable
class Ranks:
    """The ranks of some versions on a board, and how many there are on it."""

    by_version: dict[VersionId, int]
    of: int


def ranks_around(connection: Connection, league_id: LeagueId, own: Sequence[VersionId], small: int) -> Ranks:
    """Of these versions, their neighbours and the boss; of a board with at most `small` versions of all."""
    query = """
        WITH board AS NOT MATERIALIZED (
            SELECT version_id, board_order(strength, score) AS place
            FROM standings WHERE league_id = %(league)s AND on_board),
        counted AS (SELECT count(*) AS many FROM board),
        own AS (SELECT version_id, place FROM board WHERE version_id = ANY(%(own)s)),
        chosen AS (
            SELECT version_id, place FROM own
            UNION SELECT near.version_id, near.place FROM own CROSS JOIN LATERAL (
                (SELECT * FROM board WHERE (place, version_id) < (own.place, own.version_id)
                 ORDER BY place DESC, version_id DESC LIMIT 1)
                UNION ALL
                (SELECT * FROM board WHERE (place, version_id) > (own.place, own.version_id)
                 ORDER BY place, version_id LIMIT 1)) AS near
            UNION SELECT version_id, place FROM board WHERE version_id IN (
                SELECT versions.id FROM bots JOIN versions ON versions.bot_id = bots.id WHERE boss_of = %(league)s)
            UNION SELECT version_id, place FROM board WHERE (SELECT many FROM counted) <= %(small)s)
        SELECT version_id, (
            SELECT 1 + count(*) FROM board
            WHERE (place, version_id) < (chosen.place, chosen.version_id)) AS rank, many
        FROM chosen CROSS JOIN counted"""
    rows = connection.execute(query, {"league": league_id, "own": list(own), "small": small}).fetchall()
    return Ranks({version_id: rank for version_id, rank, _ in rows}, rows[0][2] if rows else 0)


def scores(connection: Connection, league_id: LeagueId, most: int) -> dict[VersionId, float]:
    """Return the scores of all versions on a board; nothing where there are more than `most`."""
    query = "SELECT version_id, score FROM standings WHERE league_id = %s AND on_board LIMIT %s"
    rows = connection.execute(query, [league_id, most + 1]).fetchall()
    return dict(rows) if len(rows) <= most else {}


def best_of(connection: Connection, league_id: LeagueId, limit: int, player: str | None, house: str) -> list[VersionId]:
    """Return the best versions of a player on a board, neither boss nor rivals; without one, of all but `house`."""
    query = """
        SELECT versions.id
        FROM standings JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
        JOIN players ON players.id = player_id
        WHERE standings.league_id = %(league)s AND on_board AND NOT is_rival AND boss_of IS NULL
          AND CASE WHEN %(player)s::text IS NULL THEN players.name <> %(house)s
                   ELSE lower(players.name) = lower(%(player)s) END
        ORDER BY board_order(standings.strength, score), versions.id LIMIT %(limit)s"""
    return first_column(connection, query, {"league": league_id, "player": player, "house": house, "limit": limit})


def has_stayed(connection: Connection, version_id: VersionId, league_id: LeagueId) -> bool:
    query = "SELECT EXISTS (SELECT FROM standings WHERE version_id = %(version)s AND league_id = %(league)s)"
    return bool(one(connection, query, {"version": version_id, "league": league_id})[0])


def has_begun(connection: Connection, bot_id: BotId) -> bool:
    query = "SELECT EXISTS (SELECT FROM standings JOIN versions ON versions.id = version_id WHERE bot_id = %(bot)s)"
    return bool(one(connection, query, {"bot": bot_id})[0])


def ranks_by_name(
    connection: Connection, league: League, words: str, after: BoardCursor, limit: int
) -> dict[VersionId, int]:
    """Return at most `limit` ranks whose bot or player has these words, after a mark. Counts the whole board."""
    query = """
        WITH called AS MATERIALIZED (
            SELECT versions.id
            FROM bots JOIN players ON players.id = bots.player_id JOIN versions ON versions.bot_id = bots.id
            WHERE bots.game = %(game)s
              AND (strpos(lower(bots.name COLLATE "C"), lower(%(words)s COLLATE "C")) > 0
                   OR strpos(lower(players.name COLLATE "C"), lower(%(words)s COLLATE "C")) > 0))
        SELECT version_id, rank
        FROM (
            SELECT version_id, board_order(strength, score) AS place,
                   row_number() OVER (ORDER BY board_order(strength, score), version_id) AS rank
            FROM standings WHERE league_id = %(league_id)s AND on_board) AS ranked
        WHERE version_id IN (SELECT id FROM called)
          AND (place, version_id) > (-%(worth)s::float8, %(version_id)s::bigint)
        ORDER BY rank LIMIT %(limit)s"""
    values = {"game": league.game, "league_id": league.id, "words": words, "limit": limit}
    rows = connection.execute(query, {**values, "worth": after.worth, "version_id": after.version_id})
    return dict(rows.fetchall())


def former(connection: Connection, league_id: LeagueId, limit: int) -> list[Standing]:
    """Return versions that stood on a league's board and do no more, those that were submitted last first."""
    query = f"""
        SELECT version_id, bots.name AS bot, versions.number, players.name AS player, versions.language,
               false AS is_boss, mu, sigma, score, {COLUMNS_AS_SHOWN}, 0 AS waiting, is_rival, eligible_at,
               boss_wins, counted_from, demoted_at, versions.note
        FROM (
            SELECT * FROM standings
            WHERE league_id = %(league_id)s AND NOT on_board ORDER BY version_id DESC LIMIT %(limit)s) AS gone
        JOIN versions ON versions.id = gone.version_id JOIN bots ON bots.id = versions.bot_id
        JOIN players ON players.id = bots.player_id
        CROSS JOIN (SELECT players FROM leagues WHERE id = %(league_id)s) AS league
        ORDER BY gone.version_id DESC"""  # noqa: S608
    return Rows(connection, counts.with_record(Standing)).all(query, {"league_id": league_id, "limit": limit})


def count_after(connection: Connection, league_id: LeagueId, after: BoardCursor) -> int:
    query = """
        SELECT count(*) FROM standings
        WHERE league_id = %(league_id)s AND on_board
          AND (board_order(strength, score), version_id) > (-%(worth)s::float8, %(version_id)s::bigint)"""
    values = {"league_id": league_id, "worth": after.worth, "version_id": after.version_id}
    return int(one(connection, query, values)[0])


def ends_of_bands(connection: Connection, league_id: LeagueId) -> tuple[float, ...]:
    """Return the lowest mu - sigma and the highest mu + sigma on a league's board; nothing of an empty one."""
    query = "SELECT min(mu - sigma), max(mu + sigma) FROM standings WHERE league_id = %(league_id)s AND on_board"
    low, high = one(connection, query, {"league_id": league_id})
    return () if low is None else (low, high)


def most_that_played(connection: Connection, league_ids: Sequence[LeagueId]) -> int:
    """Return how many versions have played in the league where most have."""
    query = """
        SELECT coalesce(max(played), 0) FROM (
            SELECT count(*) AS played FROM standings
            WHERE league_id = ANY(%(leagues)s) AND matches > 0 GROUP BY league_id) AS counted"""
    return int(one(connection, query, {"leagues": list(league_ids)})[0])


def stays_of(connection: Connection, bot_id: BotId, version_id: VersionId | None = None) -> list[LeagueStay]:
    """Return every stay of every version of a bot, or of one of them, the latest first."""
    query = f"""
        SELECT version_id, standings.league_id, leagues.title AS league, on_board, standings.mu, standings.sigma,
               score, {COLUMNS_AS_SHOWN}, is_rival, eligible_at, standings.boss_wins, counted_from, demoted_at,
               battle_matches
        FROM standings JOIN leagues ON leagues.id = standings.league_id
        JOIN versions ON versions.id = standings.version_id
        WHERE versions.bot_id = %(bot)s AND (%(version)s::bigint IS NULL OR versions.id = %(version)s)
        ORDER BY versions.number DESC, leagues.position DESC"""  # noqa: S608
    return Rows(connection, counts.with_record(LeagueStay)).all(query, {"bot": bot_id, "version": version_id})
