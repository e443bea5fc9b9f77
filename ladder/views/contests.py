"""A class or a contest: who has submitted what, who stands where, what is left to play; its results and its grades.

Results are for everybody, so they hold what everybody may read; of frozen boards they hold what operators see. Grades
hold what class lists say of people, so they are for operators.
"""

from datetime import datetime
from typing import ClassVar

from engine.errors import Refused
from engine.immutable import immutable
from engine.text import time_left
from ladder.bots import bots
from ladder.database.connection import Connection, Rows
from ladder.leagues import leagues
from ladder.names import HOUSE, in_natural_order
from ladder.ratings import frozen
from ladder.seasons import ending
from ladder.seasons import seasons as stored
from ladder.seasons.ending import closed
from ladder.seasons.seasons import was_contest
from ladder.views.bots import OnePlayer, one_player
from ladder.views.seasons import FinalRow, FinalSeason, PlannedSeason, final_season, planned
from ladder.visibility import PUBLIC, look, sees_everything

MOST_MATCHES = 1000
TIMETABLES = """
    SELECT season_plans.game, season_plans.number AS season, title, submit_from AS begins, submit_until AS ends,
           frozen_from, now() AS at
    FROM season_plans LEFT JOIN board_freezes USING (game) WHERE (%(game)s::text IS NULL OR game = %(game)s)
      AND NOT EXISTS (
          SELECT FROM seasons
          WHERE seasons.game = season_plans.game AND seasons.number = season_plans.number AND closed_at IS NOT NULL)
"""


@immutable
class ContestResults:
    """A closed season: its boards as a table and as pages show them, and its players, by name."""

    rows: list[FinalRow]
    season: FinalSeason
    players: list[OnePlayer]


def contest_results(connection: Connection, game: str, number: int | None = None) -> ContestResults:
    """Read what a contest leaves, by default the season closed last. Raises Refused for one not closed, UnknownName."""
    look(connection, PUBLIC, thawed=True)
    leagues.check_game(connection, game)
    season = last_closed(connection, game) if number is None else number
    final = final_season(connection, game, season)
    lines = {line.version_id: line for board in final.boards for line in board.lines}
    names = {bot.player for bot in bots.bots(connection, game) if bot.player.lower() != HOUSE}
    players = [one_player(connection, name, game, MOST_MATCHES, lines) for name in sorted(names, key=in_natural_order)]
    return ContestResults(final.rows, final, players)


def last_closed(connection: Connection, game: str) -> int:
    closed = [season.number for season in stored.begun(connection, game) if season.closed_at is not None]
    if not closed:
        raise Refused(f"no season of {game} is closed yet; `ladder season close {game}` closes the one that is on")
    return closed[-1]


@immutable
class Contestant:
    """A player in a game, a line for each bot. What the class list says is for operators and the player."""

    PRIVATE: ClassVar = ("logs_in", "real_name", "group", "email", "external_id")

    player: str
    team: str | None
    logs_in: bool | None
    bot: str | None
    versions: int
    rejected: int
    submitted_at: datetime | None
    version: str | None
    league: str | None
    rank: int | None
    score: float | None
    real_name: str | None
    group: str | None
    email: str | None
    external_id: str | None


@immutable
class Contest:
    """How a contest goes, with the players listed for it, or else all. `contest`: its season."""

    MERGED: ClassVar = ("plan",)

    plan: PlannedSeason
    contest: int
    players: list[Contestant]
    freeze: frozen.BoardFreeze | None = None


CONTESTANTS = """
    WITH listed AS (SELECT * FROM contest_players WHERE game = %(game)s AND season = %(season)s),
    ranked AS (
        SELECT version_id, standings.league_id, score, bots.id AS bot_id, versions.number,
               rank() OVER (PARTITION BY standings.league_id ORDER BY board_order(strength, score)) AS rank
        FROM standings JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
        WHERE on_board AND bots.game = %(game)s),
    present AS (SELECT DISTINCT ON (bot_id) * FROM ranked ORDER BY bot_id, number DESC)
    SELECT players.name AS player, teams.name AS team,
           CASE WHEN %(whole)s THEN players.password_hash IS NOT NULL END AS logs_in, bots.name AS bot,
           coalesce(own.versions, 0)::int AS versions, coalesce(own.rejected, 0)::int AS rejected, own.submitted_at,
           version_name(present.version_id) AS version, leagues.title AS league, present.rank::int, present.score,
           real_name, group_name AS "group", email, external_id
    FROM players LEFT JOIN players AS teams ON teams.id = players.team_id
    LEFT JOIN listed ON listed.player_id = players.id
    LEFT JOIN bots ON bots.player_id = coalesce(teams.id, players.id) AND bots.game = %(game)s LEFT JOIN LATERAL (
        SELECT count(*) AS versions, count(*) FILTER (WHERE state = 'rejected') AS rejected,
               max(submitted_at) AS submitted_at
        FROM versions WHERE bot_id = bots.id) AS own ON true
    LEFT JOIN present ON present.bot_id = bots.id LEFT JOIN leagues ON leagues.id = present.league_id
    WHERE lower(players.name) <> %(house)s AND players.disabled_at IS NULL
      AND (listed.player_id IS NOT NULL OR teams.id IS NULL AND NOT EXISTS (SELECT FROM listed))
    ORDER BY leagues.position DESC NULLS LAST, present.rank, lower(players.name), bots.name
"""


def contest(connection: Connection, game: str) -> Contest:
    leagues.check_game(connection, game)
    plan, number = planned(connection, game), number_of_contest(connection, game)
    values = {"game": game, "season": number, "house": HOUSE, "whole": sees_everything(connection)}
    contestants = Rows(connection, Contestant).all(CONTESTANTS, values)
    players = [row for row in contestants if row.league is not None]
    players += sorted((row for row in contestants if row.league is None), key=lambda row: in_natural_order(row.player))
    return Contest(plan, number, players, frozen.find(connection, game))


@immutable
class Timetable:
    """When a contest begins and ends, and its boards freeze, as of the moment `at`; None where that is not planned."""

    game: str
    season: int
    title: str
    begins: datetime | None
    ends: datetime
    frozen_from: datetime | None
    at: datetime

    @property
    def state(self) -> str:
        if self.begins is not None and self.at < self.begins:
            return "to come"
        return "on" if self.at < self.ends else "ending"

    @property
    def turns_at(self) -> datetime:
        return self.begins if self.begins is not None and self.at < self.begins else self.ends

    @property
    def left(self) -> str:
        return time_left((self.turns_at - self.at).total_seconds())

    @property
    def is_frozen(self) -> bool:
        return self.frozen_from is not None and self.frozen_from <= self.at


def timetables(connection: Connection, game: str | None = None) -> dict[str, Timetable]:
    return {timetable.game: timetable for timetable in Rows(connection, Timetable).all(TIMETABLES, {"game": game})}


def number_of_contest(connection: Connection, game: str) -> int:
    """Return the season of the contest: the one that is on, or the one before until another is opened as a contest."""
    number = ending.running_season(connection, game).number
    is_opened = game in timetables(connection, game) or was_contest(connection, game, number)
    return number - 1 if not is_opened and was_contest(connection, game, number - 1) else number


def participants(connection: Connection, game: str, season: int) -> list[tuple[str, bool]]:
    """Return each player or team listed for a contest, or else with a bot in its game, by name; has it one?"""
    query = """
        WITH listed AS (
            SELECT coalesce(team_id, id) AS player_id FROM contest_players JOIN players ON id = player_id
            WHERE game = %(game)s AND season = %(season)s)
        SELECT name AS player, has_bot FROM players CROSS JOIN LATERAL (
            SELECT EXISTS (SELECT FROM bots WHERE player_id = players.id AND game = %(game)s) AS has_bot) AS own
        WHERE lower(name) <> %(house)s AND disabled_at IS NULL
          AND CASE WHEN EXISTS (SELECT FROM listed) THEN id IN (SELECT player_id FROM listed) ELSE has_bot END
        """
    entrants = connection.execute(query, {"game": game, "season": season, "house": HOUSE}).fetchall()
    return sorted(entrants, key=lambda entrant: in_natural_order(entrant[0]))


@immutable
class Grade:
    """What somebody on a contest's list, or the `team`, has reached. `version`: the best of theirs on the final boards.

    `rank`: of the `ranked` players, by that version: the highest league first. `in_time`, `late`: versions submitted
    before the season was closed, and after that until the next one was.
    """

    HIDDEN: ClassVar = ("ranked", "in_time")
    SHOWN: ClassVar = ("points", "handed_in")

    player: str
    team: str | None
    real_name: str | None
    group: str | None
    email: str | None
    external_id: str | None
    version: str | None
    league: str | None
    rank: int | None
    ranked: int
    in_time: int
    late: int

    @property
    def points(self) -> float:
        """Return 100 for the first of n, for each rank after it 100/n fewer, and 0 without a rank."""
        return 0.0 if self.rank is None else round(100 * (self.ranked - self.rank + 1) / self.ranked, 1)

    @property
    def handed_in(self) -> str:
        if self.rank is not None:
            return "in time"
        if self.in_time:
            return "in time, but not ranked"
        return "late" if self.late else "nothing"


GRADES = """
    WITH listed AS (SELECT * FROM contest_players WHERE game = %(game)s AND season = %(season)s),
    entrants AS (
        SELECT players.id, coalesce(team_id, players.id) AS player_id, players.name, real_name, group_name, email,
               external_id
        FROM players LEFT JOIN listed ON listed.player_id = players.id WHERE lower(players.name) <> %(house)s AND (
            listed.player_id IS NOT NULL
            OR disabled_at IS NULL AND team_id IS NULL AND NOT EXISTS (SELECT FROM listed))),
    best AS (
        SELECT DISTINCT ON (player_id) player_id, kept.bot || '@v' || kept.number AS version, league_title AS league,
               position, group_number, rank, CASE WHEN rank IS NULL THEN live_rank END AS live_rank
        FROM season_ranks AS kept JOIN leagues ON leagues.id = kept.league_id
        JOIN versions ON versions.id = kept.version_id JOIN bots ON bots.id = versions.bot_id
        WHERE season_id = %(season_id)s AND player_id IN (SELECT player_id FROM entrants)
        ORDER BY player_id, position DESC, group_number NULLS LAST, rank, kept.live_rank),
    placed AS (
        SELECT player_id, version, league,
               rank() OVER (ORDER BY position DESC, group_number NULLS LAST, rank, live_rank)::int AS rank
        FROM best)
    SELECT entrants.name AS player, CASE WHEN entrants.id <> players.id THEN players.name END AS team, real_name,
           group_name AS "group", email, external_id, version, league, rank,
           (SELECT count(*) FROM placed)::int AS ranked, in_time::int, late::int
    FROM entrants JOIN players ON players.id = entrants.player_id LEFT JOIN placed USING (player_id)
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE submitted_at < %(closed_at)s) AS in_time,
               count(*) FILTER (WHERE submitted_at >= %(closed_at)s) AS late
        FROM versions JOIN bots ON bots.id = bot_id AND bots.game = %(game)s
        WHERE bots.player_id = entrants.player_id AND submitted_at < coalesce(
            (SELECT closed_at FROM seasons WHERE game = %(game)s AND number = %(season)s + 1), 'infinity')) AS own
"""


def grades(connection: Connection, game: str, number: int | None = None) -> list[Grade]:
    """Return a row for each player of a contest that is over, by default the last. Raises Refused, UnknownName."""
    leagues.check_game(connection, game)
    last = last_closed(connection, game) if number is None else number
    season = closed(game, last, stored.begun(connection, game))
    values = {"game": game, "season": last, "season_id": season.row_id, "closed_at": season.closed_at, "house": HOUSE}
    return sorted(Rows(connection, Grade).all(GRADES, values), key=lambda grade: in_natural_order(grade.player))
