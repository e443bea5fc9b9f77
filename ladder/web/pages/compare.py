"""Two matches on one seed beside each other, with the first turn that differs."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from ladder.viewer.page import page_data
from ladder.views.turns.comparison import compare
from ladder.web import addresses
from ladder.web.addresses import MatchInQuery
from ladder.web.api.answers import json_answer
from ladder.web.shown import page
from ladder.web.site import SiteHere
from ladder.web.stage import of_matches, stage_for, watched_match

router = APIRouter()


@router.get("/compare")
def compared(site: SiteHere, a: MatchInQuery, b: MatchInQuery) -> Response:
    """Show two matches on one seed; others are refused with the reason."""
    with site.reading() as connection:
        first, second = (watched_match(connection, site.games, match_id, is_led=False) for match_id in (a, b))
    data = addresses.asking(addresses.path("compare", "data"), a=a, b=b)
    return page(
        "compare.html",
        compared=compare(first, second),
        matches=(first, second),
        title=site.title_of(first.game),
        stage=stage_for(site.games.find(first.game, first.edition), data),
    )


@router.get("/compare/data")
def data(site: SiteHere, request: Request, a: MatchInQuery, b: MatchInQuery) -> Response:
    return of_matches(site, request, [a, b], lambda matches: json_answer(page_data(matches)))
