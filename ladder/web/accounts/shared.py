"""A match that its player shows to whoever has the link: the match as that player sees it, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response

from engine.errors import UnknownName
from ladder.accounts import shares
from ladder.ids import MatchId
from ladder.viewer.page import page_data
from ladder.views.turns.match import stderr_of
from ladder.visibility import Share, Sight
from ladder.web.accounts.identity import ASKING, Asking
from ladder.web.api.answers import Seat, json_answer, plain_text
from ladder.web.pages.match import curves_of, match_page, read_match_page
from ladder.web.site import Site, SiteHere
from ladder.web.stage import of_matches

router = APIRouter(prefix="/r/{secret}")


def look_by(site: Site, secret: str) -> MatchId:
    """Let the rest of this request see what a link shows, and return its match. Raises UnknownName."""
    with site.watching() as connection:
        found = shares.shown_by(connection, secret)
    if found is None:
        raise UnknownName("this link leads to no match: it may have expired, or its player has revoked it")
    ASKING.set(Asking(sight=Sight(shared=Share(found.match_id, found.player_id))))
    return found.match_id


@router.get("")
def match(site: SiteHere, request: Request, secret: str) -> Response:
    match_id = look_by(site, secret)
    with site.reading() as connection:
        found = replace(read_match_page(connection, match_id), other=None, on_seed=[])
    return match_page(site, found, f"/r/{secret}", str(request.url), is_shared=True)


@router.get("/data")
def data(site: SiteHere, request: Request, secret: str) -> Response:
    return of_matches(site, request, [look_by(site, secret)], lambda matches: json_answer(page_data(matches)))


@router.get("/curves.svg")
def curves(site: SiteHere, request: Request, secret: str) -> Response:
    return of_matches(site, request, [look_by(site, secret)], curves_of)


@router.get("/seats/{seat}/stderr", response_class=PlainTextResponse)
def stderr(site: SiteHere, secret: str, seat: Seat) -> Response:
    """Return what is kept of what a seat wrote to stderr, if the link's player sees it."""
    match_id = look_by(site, secret)
    with site.reading() as connection:
        return plain_text(stderr_of(connection, match_id, seat))
