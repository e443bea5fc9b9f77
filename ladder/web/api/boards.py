"""A league's board."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from ladder.ratings.standings import BoardCursor
from ladder.views.boards import read_pages
from ladder.web.api.answers import Limit, items
from ladder.web.site import SiteHere

router = APIRouter()


@router.get("/games/{game}/leagues/{league}/board")
def board(site: SiteHere, game: str, league: str, limit: Limit = 100, cursor: str | None = None) -> Response:
    """Return a league's board, best first."""
    after = None if cursor is None else BoardCursor.read(cursor)
    with site.reading() as connection:
        (page,) = read_pages(connection, game, league, after, limit)
    return items(page.rows, page.rows[-1].cursor if page.more else None)
