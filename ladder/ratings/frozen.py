"""Frozen boards: from a moment on everybody but operators sees the boards of a game as they were then.

How this works. The database keeps a standing as it was when the first change after the moment comes, and shows such
standings, with nothing that follows from later matches, to whoever does not operate, and no later match but to those
who play in it (the schema `frozen`, see `ladder.visibility`). So boards, bots and searches need to do nothing for it.
Boards that are frozen from a moment that is over are worked out once, of what is known of that moment: see `keep`.

Ratings come from the ledger, records are those of now without what was recorded since, leagues follow from the moves.
Of the versions that a newer one of their bot has replaced since, the last one is back on its board. A board that ranks
by the settled fit ranks by the scores of that moment where a match has ended since. What leaves no such trace stays as
it is now: a version that somebody activated again, a bot that was retired.

Who may see both boards can read what became of the frozen one (`resolution`). A version that a newer one of its bot has
replaced since became that one; of several the newest counts.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from engine.errors import Refused
from engine.immutable import immutable
from engine.text import zoned_words
from ladder.database.connection import Connection, Rows, one, without_nul
from ladder.ids import LeagueId
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.ratings import standings
from ladder.ratings.counts import COUNTED_VERDICTS, SUMS
from ladder.ratings.ledger import all_rating_settings
from ladder.ratings.models import Rating, score
from ladder.ratings.standings import Standing
from ladder.row_limits import require_moment
from ladder.visibility import boards_as_frozen

MOST_PLACES = 200
"""Of a board this many first ones are read."""

KEEP = f"""
    WITH own AS (
        SELECT standings.*, bot_id, number
        FROM standings JOIN leagues ON leagues.id = league_id JOIN versions ON versions.id = version_id
        WHERE leagues.game = %(game)s AND entered_at < %(moment)s),
    lines AS (
        SELECT ledger.*, players FROM ledger JOIN matches ON matches.id = match_id
        WHERE ledger.league_id IN (SELECT id FROM leagues WHERE game = %(game)s) AND finished_at >= %(moment)s),
    earliest AS (
        SELECT DISTINCT ON (version_id, league_id) version_id, league_id, mu_before, sigma_before
        FROM lines ORDER BY version_id, league_id, sequence),
    met AS (
        SELECT lines.version_id, lines.league_id,
               CASE WHEN lines.players = 2 THEN mine.result
                    WHEN mine.place < theirs.place THEN 'win' WHEN mine.place > theirs.place THEN 'loss'
                    ELSE 'draw' END AS came
        FROM lines JOIN seats AS mine ON mine.match_id = lines.match_id AND mine.version_id = lines.version_id
        JOIN seats AS theirs ON theirs.match_id = lines.match_id AND theirs.version_id <> lines.version_id),
    results AS (
        SELECT version_id, league_id, count(*) FILTER (WHERE came = 'win') AS wins,
               count(*) FILTER (WHERE came = 'draw') AS draws, count(*) FILTER (WHERE came = 'loss') AS losses
        FROM met GROUP BY version_id, league_id),
    counts AS (
        SELECT lines.version_id, lines.league_id, count(*) AS matches, {COUNTED_VERDICTS},
               count(*) FILTER (WHERE beat_boss) AS boss_wins
        FROM lines JOIN seats ON seats.match_id = lines.match_id AND seats.version_id = lines.version_id
        GROUP BY lines.version_id, lines.league_id),
    since AS (
        SELECT * FROM counts JOIN results USING (version_id, league_id)),
    taken_since AS (
        SELECT lines.version_id, lines.league_id, place, count(*) AS times
        FROM lines JOIN seats ON seats.match_id = lines.match_id AND seats.version_id = lines.version_id
        WHERE lines.players > 2 GROUP BY lines.version_id, lines.league_id, place),
    left_since AS (
        SELECT DISTINCT ON (version_id) version_id, from_league FROM moves
        WHERE at >= %(moment)s ORDER BY version_id, id),
    came_before AS (
        SELECT DISTINCT ON (version_id) version_id, to_league FROM moves
        WHERE at < %(moment)s ORDER BY version_id, id DESC),
    replaced_since AS (
        SELECT DISTINCT ON (own.bot_id) own.version_id FROM own
        WHERE EXISTS (
            SELECT FROM versions AS newer JOIN standings ON standings.version_id = newer.id
            WHERE newer.bot_id = own.bot_id AND newer.number > own.number AND standings.entered_at >= %(moment)s)
        ORDER BY own.bot_id, own.number DESC),
    settled_then AS (
        SELECT version_id, league_id, strength, error, rank_low, rank_high, fitted
        FROM own WHERE league_id NOT IN (SELECT league_id FROM lines))
    INSERT INTO frozen_standings (
        version_id, league_id, on_board, mu, sigma, score, {", ".join(SUMS)}, entered_at,
        first_mu, first_sigma, eligible_at, boss_wins, counted_from, is_rival, demoted_at, comes_back,
        further_opponents, places, strength, error, rank_low, rank_high, fitted)
    SELECT own.version_id, own.league_id,
           CASE WHEN left_since.version_id IS NOT NULL THEN own.league_id = left_since.from_league
                WHEN replaced_since.version_id IS NOT NULL THEN own.league_id = coalesce(to_league, own.league_id)
                ELSE on_board END,
           coalesce(mu_before, mu), coalesce(sigma_before, sigma), score,
           {", ".join(f"own.{name} - coalesce(since.{name}, 0)" for name in SUMS)}, entered_at,
           first_mu, first_sigma, CASE WHEN eligible_at < %(moment)s THEN eligible_at END,
           greatest(own.boss_wins - coalesce(since.boss_wins, 0), 0), counted_from, is_rival,
           CASE WHEN demoted_at < %(moment)s THEN demoted_at END, false,
           further_opponents - coalesce(since.wins + since.draws + since.losses - since.matches, 0),
           ARRAY(
               SELECT counted - coalesce((
                   SELECT times FROM taken_since
                   WHERE taken_since.version_id = own.version_id AND taken_since.league_id = own.league_id
                     AND taken_since.place = taken.place), 0)
               FROM unnest(own.places) WITH ORDINALITY AS taken (counted, place) ORDER BY taken.place),
           settled_then.strength, settled_then.error, settled_then.rank_low, settled_then.rank_high,
           settled_then.fitted
    FROM own
    LEFT JOIN earliest USING (version_id, league_id)
    LEFT JOIN since USING (version_id, league_id)
    LEFT JOIN left_since USING (version_id)
    LEFT JOIN came_before USING (version_id)
    LEFT JOIN replaced_since USING (version_id)
    LEFT JOIN settled_then USING (version_id, league_id) RETURNING version_id, league_id, mu, sigma
"""  # noqa: S608


def keep(connection: Connection, game: str, moment: datetime) -> None:
    rows = connection.execute(KEEP, {"game": game, "moment": moment}).fetchall()
    settings = all_rating_settings(connection)
    query = "UPDATE frozen_standings SET score = %s WHERE version_id = %s AND league_id = %s"
    scores = [(score(settings[league], Rating(mu, sigma)), version, league) for version, league, mu, sigma in rows]
    connection.cursor().executemany(query, scores)


@immutable
class BoardFreeze:
    """The boards of a game are frozen from a moment on, by somebody. `has_begun`: whether that moment is over."""

    game: str
    frozen_from: datetime
    frozen_by: str
    has_begun: bool


def begin(connection: Connection, game: str, frozen_from: datetime, by: str) -> BoardFreeze:
    """Freeze a game's boards, recordings waiting, in place of a freeze to come. Raises Refused, UsageFault."""
    require_moment(frozen_from)
    standings.hold(connection)
    freeze = find(connection, game)
    if freeze is not None and freeze.has_begun:
        since = f"since {zoned_words(freeze.frozen_from)} already"
        raise Refused(f"the boards of {game} are frozen {since}; `ladder board --game {game} --thaw` ends that")
    query = """
        INSERT INTO board_freezes (game, frozen_from, frozen_by) VALUES (%s, %s, %s)
        ON CONFLICT (game) DO UPDATE
        SET frozen_from = excluded.frozen_from, frozen_by = excluded.frozen_by, set_at = now()"""
    connection.execute(query, [game, frozen_from, without_nul(by)])
    if one(connection, "SELECT %(moment)s <= clock_timestamp()", {"moment": frozen_from})[0]:
        keep(connection, game, frozen_from)
    return Rows(connection, BoardFreeze).one(SELECT_FREEZE, {"game": game})


def end(connection: Connection, game: str) -> bool:
    """Let everybody see the true boards of a game again. Returns whether a freeze was set."""
    query = "DELETE FROM frozen_standings WHERE league_id IN (SELECT id FROM leagues WHERE game = %s)"
    connection.execute(query, [game])
    return connection.execute("DELETE FROM board_freezes WHERE game = %s", [game]).rowcount == 1


def find(connection: Connection, game: str) -> BoardFreeze | None:
    return Rows(connection, BoardFreeze).first(SELECT_FREEZE, {"game": game})


SELECT_FREEZE = """
    SELECT game, frozen_from, frozen_by, frozen_from <= now() AS has_begun FROM board_freezes WHERE game = %(game)s
"""


@immutable
class FrozenPlace:
    """A place on a board. `rank`: from 1."""

    league: League
    rank: int
    standing: Standing


@immutable
class Resolved:
    """A place on the frozen board, and what became of it: None where it is on no board any more."""

    before: FrozenPlace
    after: FrozenPlace | None

    @property
    def rise(self) -> int:
        """Return how many places it went up; 0 where it is in another league now, or in none."""
        is_there = self.after is not None and self.after.league.id == self.before.league.id
        return self.before.rank - self.after.rank if is_there and self.after is not None else 0


@immutable
class ResolvedBoard:
    """A league's frozen board and its true one, each best first. `after`: with the place that it had, if any."""

    league: League
    before: list[Resolved]
    after: list[tuple[FrozenPlace, FrozenPlace | None]]


def resolution(connection: Connection, game: str) -> tuple[BoardFreeze, list[ResolvedBoard]]:
    """Return the boards with players, lowest league first, for one who sees true ones. Raises UnknownName, Refused."""
    leagues.check_game(connection, game)
    of_game = leagues.leagues(connection, game)
    freeze = find(connection, game)
    if freeze is None:
        raise Refused(f"the boards of {game} are not frozen, so there is nothing to reveal")
    if not freeze.has_begun:
        raise Refused(f"the boards of {game} are frozen from {zoned_words(freeze.frozen_from)} on, and not before")
    now = places(connection, of_game)
    with boards_as_frozen(connection):
        then = places(connection, of_game)
    by_version = {place.standing.version_id: place for board in now.values() for place in board}
    in_order = sorted(by_version.values(), key=lambda place: place.standing.number)
    by_bot = {place.standing.bot: place for place in in_order}

    def resolved(place: FrozenPlace) -> Resolved:
        return Resolved(place, by_version.get(place.standing.version_id) or by_bot.get(place.standing.bot))

    before = {league_id: [*map(resolved, board)] for league_id, board in then.items()}
    came_from = {
        one.after.standing.version_id: one.before for board in before.values() for one in board if one.after is not None
    }
    return freeze, [
        ResolvedBoard(
            league, before[league.id], [(place, came_from.get(place.standing.version_id)) for place in now[league.id]]
        )
        for league in of_game
        if any(not place.standing.is_boss for place in (*then[league.id], *now[league.id]))
    ]


def places(connection: Connection, of_game: Sequence[League]) -> Mapping[LeagueId, list[FrozenPlace]]:
    boards = standings.boards(connection, [league.id for league in of_game], limit=MOST_PLACES)
    return {
        league.id: [FrozenPlace(league, rank, standing) for rank, standing in enumerate(boards[league.id], 1)]
        for league in of_game
    }
