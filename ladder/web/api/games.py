"""What runs and waits; the games, one with the settings of its leagues, a league's board, and a game's seasons."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fastapi import APIRouter
from starlette.responses import Response

from ladder.database.connection import one
from ladder.ratings.standings import BoardCursor
from ladder.views.boards import BoardRow, read_pages
from ladder.views.fleet import Status, ladder_state, whole_status
from ladder.views.games import ListedGame
from ladder.views.games import listed as listed_games
from ladder.views.leagues import GameInDetail, read_game
from ladder.views.seasons import FinalRow, SeasonSoFar, final_boards
from ladder.views.seasons import listed as listed_seasons
from ladder.visibility import sees_everything
from ladder.web.api import answers
from ladder.web.api.answers import Cursor, GameName, InLeague, LeagueName, Limit, Number, items, json_answer
from ladder.web.api.description import one_of, rows_of
from ladder.web.site import SiteHere

router = APIRouter()


health = APIRouter()


@router.get("/status", responses=one_of(Status))
def status(site: SiteHere) -> Response:
    """What runs and what waits.

    The body is that of `ladder status --json`.
    """
    services = site.services()
    with site.reading() as connection:
        if not sees_everything(connection):
            services = replace(services, home=None, supervisor=None, worker_ended=None)
        return json_answer(whole_status(services, ladder_state(connection)))


@dataclass(frozen=True, slots=True)
class Health:
    """That the ladder can be looked at. `database`: `answers`; where it does not, the answer is 503."""

    database: str


@health.get("/healthz", responses=one_of(Health, what="The database answers"))
def healthz(site: SiteHere) -> Response:
    """Whether the database answers: 200, or else 503. No key is needed."""
    with site.reading() as connection:
        one(connection, "SELECT 1", {})
    return json_answer(Health("answers"))


@router.get("/games", responses=rows_of(ListedGame))
def games(site: SiteHere, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """All games and their leagues: the rows of `ladder game list --json`."""
    names = site.games.names
    found = listed_games(site.games.all)
    return items(*answers.part(found, "games", lambda game: (names.index(game.game),), cursor, limit))


@router.get("/games/{game}", responses=one_of(GameInDetail, what="A game"))
def one_game(site: SiteHere, game: GameName) -> Response:
    """One game: its leagues, and as `settings` the rows of `ladder league list --game GAME --json`."""
    found = site.games.find(game)
    with site.reading() as connection:
        return json_answer(read_game(connection, found))


@router.get("/games/{game}/leagues/{league}/board", responses=rows_of(BoardRow))
def board(site: SiteHere, game: GameName, league: LeagueName, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """A league's board, best first: the rows of `ladder board --game GAME --league LEAGUE --json`.

    The `cursor` of every row leads to what comes after it.
    """
    after = None if cursor is None else BoardCursor.read(cursor)
    with site.reading() as connection:
        (page,) = read_pages(connection, game, league, after, limit)
    return items(page.rows, page.rows[-1].cursor if page.more else None)


@router.get("/games/{game}/seasons", responses=rows_of(SeasonSoFar))
def seasons(site: SiteHere, game: GameName, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """The seasons of a game, the one that is on last: the rows of `ladder season list --game GAME --json`."""
    with site.reading() as connection:
        found = listed_seasons(connection, game)
    return items(*answers.part(found, f"seasons of {game}", lambda season: (season.number,), cursor, limit))


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
    return items(*answers.part(found, of, lambda row: (places[id(row)],), cursor, limit))
