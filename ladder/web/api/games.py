"""The games, and one with the settings of its leagues."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from ladder.views.games import ListedGame, listed
from ladder.views.leagues import GameInDetail, read_game
from ladder.web.api import cursors
from ladder.web.api.answers import Cursor, GameName, Limit, items, json_answer
from ladder.web.api.described import one_of, rows_of
from ladder.web.site import SiteHere

router = APIRouter()


@router.get("/games", responses=rows_of(ListedGame))
def games(site: SiteHere, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """All games and their leagues: the rows of `ladder game list --json`."""
    names = site.games.names
    found = listed(site.games.all)
    return items(*cursors.part(found, "games", lambda game: (names.index(game.game),), cursor, limit))


@router.get("/games/{game}", responses=one_of(GameInDetail, what="A game"))
def one_game(site: SiteHere, game: GameName) -> Response:
    """One game: its leagues, and as `settings` the rows of `ladder league list --game GAME --json`."""
    found = site.games.find(game)
    with site.reading() as connection:
        return json_answer(read_game(connection, found))
