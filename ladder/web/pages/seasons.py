"""A game's contest: until when, by which rules, who takes part; the boards of a closed season, as a page and a file."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from engine.game import Games
from ladder.database.connection import Connection
from ladder.leagues import leagues
from ladder.quotas import quotas
from ladder.quotas.rules import Quota
from ladder.seasons import ending, seasons
from ladder.views import contests
from ladder.views.seasons import FinalSeason, final_season, given_up_line, series_text
from ladder.web.files import NOWHERE, Nowhere, file_of
from ladder.web.pages.home import own_versions
from ladder.web.shown import IS_SERVED, LOGGED_IN, OPERATES, page, scale_of
from ladder.web.site import SiteHere
from ladder.web.watcher import MOST_TOPICS

router = APIRouter()
ROWS = 50
LARGEST_NUMBER = 1_000_000
"""Of a season, and of a row of its boards."""


def one_contest(connection: Connection, game: str) -> dict[str, Any]:
    """Return what the page shows. `contest`: None where no end is planned; `over`: see below. Raises UnknownName."""
    leagues.check_game(connection, game)
    in_order = leagues.leagues(connection, game)
    contest, looker = contests.timetables(connection, game).get(game), LOGGED_IN.get()
    season = contests.number_of_contest(connection, game)
    versions = [] if looker is None else own_versions(connection, looker.player)
    over = None if contest else closed_contest(connection, game, season)
    may_grade = OPERATES.get() or not IS_SERVED.get()
    lines = [] if looker is None else quotas.of_player(connection, looker.player).lines
    return {
        "game": game,
        "contest": contest,
        "plan": ending.find(connection, game) if contest else None,
        "season": season,
        "over": over,
        "grades": contests.grades(connection, game, season) if over and over.closed_at and may_grade else [],
        "lowest": in_order[0].name,
        "leagues": [league for league in in_order[::-1] if league.is_open],
        "own": next((one for one in versions if one.game == game), None),
        "quotas": [line for line in lines if line.quota is not Quota.TOKENS],
        "players": contests.participants(connection, game, season),
        "topics": [f"board:{league.id}" for league in in_order[-MOST_TOPICS:]],
    }


def closed_contest(connection: Connection, game: str, number: int) -> seasons.Season | None:
    """Return the season that was a game's last contest, if any; without what it was where its end is still hidden."""
    if not seasons.was_contest(connection, game, number):
        return None
    known = seasons.Season(None, game, number, None)
    return next((one for one in seasons.begun(connection, game) if one.number == number), known)


@router.get("/games/{game}/contest")
def show_contest(site: SiteHere, game: str) -> Response:
    with site.reading() as connection:
        found = one_contest(connection, game)
    is_there = found["contest"] is not None or found["over"] is not None
    return page("contest.html", status=200 if is_there else 404, **found)


@router.get("/games/{game}/seasons/{number}")
def season(
    site: SiteHere,
    game: str,
    number: int,
    league: str | None = None,
    after: Annotated[int, Query(ge=0, le=LARGEST_NUMBER)] = 0,
) -> Response:
    """Show the boards of a closed season. `after`: how many rows of a board are left out."""
    with site.reading() as connection:
        found = final_season(connection, game, number, league, after, ROWS)
    return page("season.html", **of_season(found, site.games), league=league, after=after, rows=ROWS)


def season_file(found: FinalSeason, games: Games, place: Nowhere = NOWHERE) -> str:
    whole = {"league": None, "after": 0, "rows": ROWS}
    return file_of("season.html", place, **of_season(found, games), **whole)


def of_season(found: FinalSeason, games: Games) -> dict[str, Any]:
    return {
        "found": found,
        "title": games.title_of(found.season.game),
        "scale": scale_of((line.mu, line.sigma) for board in found.boards for line in board.lines),
        "series_text": series_text,
        "given_up_line": given_up_line,
    }
