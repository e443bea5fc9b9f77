"""A league's board."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from ladder.ratings.standings import BoardCursor
from ladder.views.boards import read_pages
from ladder.web.shown import page
from ladder.web.site import SiteHere

router = APIRouter()
ROWS = 50


@router.get("/games/{game}/leagues/{league}")
def board(site: SiteHere, game: str, league: str, after: str | None = None) -> Response:
    """Show a league's board."""
    begin = None if after is None else BoardCursor.read(after)
    with site.reading() as connection:
        (found,) = read_pages(connection, game, league, begin, ROWS)
    return page("board.html", page=found, topics=[f"board:{found.league.id}"])
