"""Seasons: in lists, and the final boards of a closed one."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from ladder.views.seasons import FinalRow, SeasonSoFar, final_boards, listed
from ladder.web.api import cursors
from ladder.web.api.answers import Cursor, GameName, InLeague, Limit, Number, items
from ladder.web.api.described import rows_of
from ladder.web.site import SiteHere

router = APIRouter()


@router.get("/games/{game}/seasons", responses=rows_of(SeasonSoFar))
def seasons(site: SiteHere, game: GameName, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """The seasons of a game, the one that is on last: the rows of `ladder season list --game GAME --json`."""
    with site.reading() as connection:
        found = listed(connection, game)
    return items(*cursors.part(found, f"seasons of {game}", lambda season: (season.number,), cursor, limit))


@router.get("/games/{game}/seasons/{number}", responses=rows_of(FinalRow))
def one_season(
    site: SiteHere,
    game: GameName,
    number: Number,
    league: InLeague = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """The final boards of a closed season, the highest league first: the rows of `ladder season show GAME N --json`."""
    with site.reading() as connection:
        found = final_boards(connection, game, number, league).rows
    places = {id(row): place for place, row in enumerate(found)}
    of = f"boards of season {number} of {game}, {league}"
    return items(*cursors.part(found, of, lambda row: (places[id(row)],), cursor, limit))
