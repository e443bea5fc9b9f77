"""One match: its viewer, and all that is stored of it.

How this works. The page leads no match by its rules: without script it shows the table of what was said, from the
record. What the viewer shows comes from a route of its own, `data`. A browser that has it already says so, and then
nothing is computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from ladder.plots.curves import curves_picture
from ladder.viewer.page import page_data
from ladder.views.pages.one_match import MatchPage, read_match_page
from ladder.views.turns.watched import WatchedMatch
from ladder.web import addresses
from ladder.web.api.answers import json_answer
from ladder.web.match_words import ending, headline, rule_words, summary, verdict_words
from ladder.web.numbers import MatchInPath
from ladder.web.shown import page
from ladder.web.site import Site, SiteHere
from ladder.web.stage import of_matches, stage_of

router = APIRouter()


@router.get("/matches/{match_id}")
def match(site: SiteHere, request: Request, match_id: MatchInPath) -> Response:
    """Show a match."""
    with site.reading() as connection:
        found = read_match_page(connection, match_id)
    return match_page(site, found, addresses.match(match_id), str(request.url))


def match_page(site: Site, found: MatchPage, place: str, address: str, *, is_shared: bool = False) -> Response:
    """Return the page of a match.

    `place`: how the addresses begin of what it is made of; `address`: its own; `is_shared`: whether a link of its
    player leads to it, and to nothing else.
    """
    stage, why = stage_of(site.games, found, f"{place}/data")
    return page(
        "match.html",
        place=place,
        is_shared=is_shared,
        found=found,
        row=found.row,
        title=site.title_of(found.row.game),
        headline=headline(found.row, found.seats),
        summary=summary(found.row, found.seats),
        ending=ending(found.row, found.seats),
        rule=rule_words(found.row),
        verdict_words=verdict_words,
        stage=stage,
        why=why,
        address=address,
        topics=[f"match:{found.row.id}"] if found.is_waiting else [],
    )


@router.get("/matches/{match_id}/data")
def data(site: SiteHere, request: Request, match_id: MatchInPath) -> Response:
    """Return what the viewer shows of a match."""
    return of_matches(site, request, [match_id], lambda matches: json_answer(page_data(matches)))


@router.get("/matches/{match_id}/curves.svg")
def curves(site: SiteHere, request: Request, match_id: MatchInPath) -> Response:
    """Return the numbers of both seats over the turns as a picture, for browsers without script."""
    return of_matches(site, request, [match_id], curves_of)


def curves_of(matches: Sequence[WatchedMatch]) -> Response:
    """Return the curves of the only one of these matches."""
    (watched,) = matches
    names = [seat.version for seat in watched.seats]
    return Response(curves_picture(watched.replay.curves, names), media_type="image/svg+xml")
