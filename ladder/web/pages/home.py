"""Where the ladder begins: who leads, a match that plays by itself, who looks with what became of theirs, what runs."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import groupby
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from engine.errors import ArenaError
from engine.game import Games
from engine.immutable import immutable
from ladder.choices import MatchState, MoveKind
from ladder.database.connection import Connection, named_rows
from ladder.database.connection import one as row
from ladder.gauntlets import gauntlets
from ladder.ids import LARGEST_ID
from ladder.leagues import leagues
from ladder.matches import match_rows
from ladder.names import read_version
from ladder.seasons.seasons import played_last
from ladder.views.contests import timetables
from ladder.views.matches import ListedMatch, latest, with_seats
from ladder.web import addresses
from ladder.web.api.answers import json_answer
from ladder.web.identity import cookie_of, keep
from ladder.web.rendering import LOGGED_IN, page
from ladder.web.site import SiteHere
from ladder.web.viewer_context import stage_for

LEADERS = 3
MOST_LISTED = 10
MOST_NEWS = 3
MOST_COUNTED = 500
"""Of a version this many latest matches are counted at most, to say what it did since somebody looked."""
VISITS = "__Host-ladder-visits"
"""The cookie of a browser that has logged in: when its visit before this one ended, and when it looked last."""
VISIT = re.compile(r"([0-9]{1,10})\.([0-9]{1,10})")
PAUSE_S = 1800
"""After so long without a look another visit begins."""
DAY_S = 86_400
KEPT_S = 90 * DAY_S
A_MINUTE_S = 60
router = APIRouter()


@immutable
class LeagueAtAGlance:
    """A league, how many versions are on its board, how many of these are players', and the first LEADERS of them."""

    league: leagues.League
    versions: int
    of_players: int
    leaders: list[Any]


def at_a_glance(connection: Connection, leagues_shown: Iterable[leagues.League]) -> list[LeagueAtAGlance]:
    query = """
        SELECT standings.league_id, count(*), count(*) FILTER (WHERE boss_of IS NULL OR is_rival)
        FROM standings JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
        WHERE on_board GROUP BY standings.league_id
        """
    sizes, first = connection.execute(query).fetchall(), leaders(connection)
    size_of = {league_id: (versions, of_players) for league_id, versions, of_players in sizes}
    return [
        LeagueAtAGlance(league, versions, of_players, [row for row in first if row.league_id == league.id])
        for league in leagues_shown
        for versions, of_players in [size_of.get(league.id, (0, 0))]
    ]


def leaders(connection: Connection) -> list[Any]:
    """Return the first LEADERS of every board, each board's best first."""
    query = """
        SELECT leagues.id AS league_id, bots.name || '@v' || versions.number AS version, players.name AS player,
               bots.boss_of IS NOT NULL AND NOT is_rival AS is_boss, score
        FROM leagues
        CROSS JOIN LATERAL (
            SELECT version_id, strength, score, is_rival FROM standings WHERE league_id = leagues.id AND on_board
            ORDER BY board_order(strength, score), version_id LIMIT %s) AS first
        JOIN versions ON versions.id = first.version_id JOIN bots ON bots.id = versions.bot_id
        JOIN players ON players.id = bots.player_id ORDER BY leagues.id, board_order(strength, score), version_id
        """
    return named_rows(connection, query, [LEADERS])


def latest_promotions(connection: Connection, limit: int, after: int = 0) -> list[Any]:
    """Return the versions that went up last, the latest first. `after`: the number of a move before all of them."""
    query = """
        SELECT upper_league.game, bots.name || '@v' || versions.number AS version, players.name AS player,
               lower_league.title AS from_title, upper_league.name AS to_league, upper_league.title AS to_title, at
        FROM (SELECT * FROM moves WHERE kind = %s AND id > %s ORDER BY id DESC LIMIT %s) AS latest
        JOIN leagues AS lower_league ON lower_league.id = from_league
        JOIN leagues AS upper_league ON upper_league.id = to_league JOIN versions ON versions.id = version_id
        JOIN bots ON bots.id = versions.bot_id JOIN players ON players.id = bots.player_id ORDER BY latest.id DESC
        """
    return named_rows(connection, query, [MoveKind.PROMOTION, after, limit])


def own_versions(connection: Connection, player: str, since: datetime | None = None) -> list[Any]:
    """Return a player's versions on boards, by game, and what each did `since` then, by default for a day."""
    query = """
        WITH own AS (
            SELECT standings.league_id, version_id
            FROM standings JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
            JOIN players ON players.id = player_id WHERE on_board AND lower(players.name) = lower(%(player)s)),
        ranked AS (
            SELECT league_id, version_id, score, count(*) OVER (PARTITION BY league_id) AS versions,
                   rank() OVER (PARTITION BY league_id ORDER BY board_order(strength, score)) AS rank
            FROM standings WHERE on_board AND league_id IN (SELECT league_id FROM own))
        SELECT leagues.game, version_name(version_id) AS version, leagues.name AS league, leagues.title, rank,
               versions, score, wins, draws, losses, coalesce(move, '') AS move
        FROM own JOIN ranked USING (league_id, version_id) JOIN leagues ON leagues.id = league_id
        CROSS JOIN LATERAL (
            SELECT count(*) FILTER (WHERE result = 'win') AS wins, count(*) FILTER (WHERE result = 'draw') AS draws,
                   count(*) FILTER (WHERE result = 'loss') AS losses
            FROM (SELECT match_id, result FROM seats WHERE seats.version_id = own.version_id
                  ORDER BY match_id DESC LIMIT %(most)s) AS newest
            JOIN matches ON matches.id = match_id
            WHERE finished_at > coalesce(%(since)s, now() - interval '1 day')) AS done
        LEFT JOIN LATERAL (
            SELECT CASE kind WHEN 'promotion' THEN 'up from ' ELSE 'back from ' END || before.title AS move
            FROM moves JOIN leagues AS before ON before.id = from_league
            WHERE version_id = own.version_id AND at > coalesce(%(since)s, now() - interval '1 day')
            ORDER BY moves.id DESC LIMIT 1) AS latest ON true
        ORDER BY leagues.game, leagues.position DESC, rank
        """
    return named_rows(connection, query, {"player": player, "most": MOST_COUNTED, "since": since})


def on_stage(matches: Iterable[ListedMatch], games: Games) -> tuple[ListedMatch, dict[str, str]] | None:
    """Return the first of some matches that can be drawn, all of them over, and its place in the page."""
    for listed in matches:
        match = listed.match
        if match.imported_from or match.record_pruned_at:
            continue
        try:
            game = games.find(match.game, match.edition)
            if game.drawing is not None:
                return listed, stage_for(game, addresses.path("matches", match.id, "data"))
        except ArenaError:
            continue  # its page says why it cannot be drawn
    return None


def visits(cookie: str | None, now_s: int) -> tuple[int, int]:
    """Return when the visit before this one ended, at first a day ago, and now: in seconds since 1970. Pure."""
    earlier = VISIT.fullmatch(cookie or "")
    if earlier is None:
        return now_s - DAY_S, now_s
    before_s, latest_s = map(int, earlier.groups())
    return min(latest_s if now_s - latest_s > PAUSE_S else before_s, now_s), now_s


def front(connection: Connection, since: datetime | None = None) -> dict[str, Any]:
    """Return what the page shows: games with a contest first, then the one played last. `since`: of the last visit."""
    queued, playing = match_rows.count_waiting(connection)
    glances = at_a_glance(connection, leagues.leagues(connection)[::-1])
    by_game = {game: list(of_game) for game, of_game in groupby(glances, key=lambda glance: glance.league.game)}
    contests = timetables(connection)
    played = {game: played_last(connection, game) for game in by_game}

    def order(game: str) -> tuple[bool, float, str]:
        at = played[game]
        return game not in contests, 0.0 if at is None else -at.timestamp(), game

    logged_in, newest = LOGGED_IN.get(), latest(connection, 2 * MOST_LISTED).matches
    return {
        "games": {game: by_game[game] for game in sorted(by_game, key=order)},
        "contests": {game: contests[game] for game in sorted(contests)},
        "has_players": any(glance.of_players for glance in glances),
        "own": [] if logged_in is None else own_versions(connection, logged_in.player, since),
        "since": since,
        "latest": [listed for listed in newest if listed.match.state == MatchState.FINISHED][:MOST_LISTED],
        "per_minute": match_rows.count_finished(connection, A_MINUTE_S),
        "queued": queued,
        "playing": playing,
        "running": with_seats(connection, match_rows.running(connection, MOST_LISTED)),
        "promotions": latest_promotions(connection, MOST_LISTED),
        "gauntlets": gauntlets.running(connection, MOST_LISTED),
        "gauntlets_running": gauntlets.count_running(connection),
        "topics": ["home", "gauntlets"],
    }


@router.get("/")
def home(request: Request, site: SiteHere) -> Response:
    with site.reading() as connection:
        (now_s,) = row(connection, "SELECT extract(epoch FROM now())::int", {})
        visit = visits(cookie_of(request.headers, VISITS), now_s)
        values = front(connection, datetime.fromtimestamp(visit[0], UTC) if LOGGED_IN.get() else None)
    staged = on_stage(values["latest"], site.games)
    answer = page("home.html", server=site.web.public_url, staged=staged, **values)
    if LOGGED_IN.get():
        keep(answer, VISITS, "{}.{}".format(*visit), KEPT_S)
    return answer


@router.get("/promotions/data")
def news(site: SiteHere, after: Annotated[int, Query(ge=0, le=LARGEST_ID)]) -> Response:
    with site.reading() as connection:
        promotions = latest_promotions(connection, MOST_NEWS, after)
    me = LOGGED_IN.get()
    return json_answer(
        [
            {
                "words": f"{read_version(promotion.version)[0]} up to {promotion.to_title}",
                "game": promotion.game,
                "is_own": not site.web.is_served or (me is not None and me.player == promotion.player),
                "address": addresses.board(promotion.game, promotion.to_league),
            }
            for promotion in promotions
        ]
    )
