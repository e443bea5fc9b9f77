"""A league's board."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from ladder.ratings.standings import BoardCursor
from ladder.views.boards import BoardRow, read_pages
from ladder.web.api.answers import Cursor, GameName, LeagueName, Limit, items
from ladder.web.api.described import rows_of
from ladder.web.site import SiteHere

router = APIRouter()


@router.get("/games/{game}/leagues/{league}/board", responses=rows_of(BoardRow))
def board(site: SiteHere, game: GameName, league: LeagueName, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """A league's board, best first: the rows of `ladder board --game GAME --league LEAGUE --json`.

    The `cursor` of every row leads to what comes after it.
    """
    after = None if cursor is None else BoardCursor.read(cursor)
    with site.reading() as connection:
        (page,) = read_pages(connection, game, league, after, limit)
    return items(page.rows, page.rows[-1].cursor if page.more else None)
