"""Two matches on one seed beside each other, with the first turn that differs."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from engine.game import Games
from ladder.database.connection import Connection
from ladder.ids import MatchId
from ladder.viewer.page import page_data
from ladder.views.turns.comparison import compare
from ladder.views.turns.watched import WatchedMatch
from ladder.web import addresses
from ladder.web.api.answers import json_answer
from ladder.web.conditional import known_unchanged
from ladder.web.numbers import MatchInQuery
from ladder.web.shown import page
from ladder.web.site import SiteHere
from ladder.web.stage import etag_of_matches, stage_for, watched_match

router = APIRouter()


@router.get("/compare")
def compared(site: SiteHere, a: MatchInQuery, b: MatchInQuery) -> Response:
    """Show two matches on one seed; others are refused with the reason."""
    with site.reading() as connection:
        first, second = both(connection, site.games, a, b, is_led=False)
    data = addresses.asking(addresses.path("compare", "data"), a=a, b=b)
    return page(
        "compare.html",
        compared=compare(first, second),
        matches=(first, second),
        title=site.title_of(first.game),
        stage=stage_for(site.games.find(first.game), data),
    )


@router.get("/compare/data")
def data(site: SiteHere, request: Request, a: MatchInQuery, b: MatchInQuery) -> Response:
    """Return what the viewer shows of two matches."""
    with site.reading() as connection:
        etag = etag_of_matches(connection, site.games, [a, b])
        known = known_unchanged(request, etag)
        if known is not None:
            return known
        matches = both(connection, site.games, a, b, is_led=True)
    answer = json_answer(page_data(matches))
    answer.headers["ETag"] = etag
    return answer


def both(
    connection: Connection, games: Games, a: MatchId, b: MatchId, *, is_led: bool
) -> tuple[WatchedMatch, WatchedMatch]:
    """Read two matches, turn by turn. Raises as `watched_match` does."""
    return (
        watched_match(connection, games, a, is_led=is_led),
        watched_match(connection, games, b, is_led=is_led),
    )
