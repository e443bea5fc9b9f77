"""The final boards of a closed season, as a page and as a file."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from engine.game import Games
from ladder.views.seasons import FinalSeason, final_season, given_up_line, series_text
from ladder.web.files import NOWHERE, Nowhere, file_of
from ladder.web.shown import page, scale_of
from ladder.web.site import SiteHere

router = APIRouter()
ROWS = 50
LARGEST_NUMBER = 1_000_000
"""Of a season, and of a row of its boards."""


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
    return page("season.html", **shown(found, site.games), league=league, after=after, rows=ROWS)


def season_file(found: FinalSeason, games: Games, place: Nowhere = NOWHERE) -> str:
    whole = {"league": None, "after": 0, "rows": ROWS}
    return file_of("season.html", place, **shown(found, games), **whole)


def shown(found: FinalSeason, games: Games) -> dict[str, Any]:
    return {
        "found": found,
        "title": games.title_of(found.season.game),
        "scale": scale_of((line.mu, line.sigma) for board in found.boards for line in board.lines),
        "series_text": series_text,
        "given_up_line": given_up_line,
    }
