"""The viewer's script and style sheet."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from ladder.viewer.page import script_of, style_in_site
from ladder.web.site import SiteHere
from ladder.web.stage import SCRIPTS, STYLE

router = APIRouter()
FOR_GOOD = {"Cache-Control": "private, max-age=31536000, immutable"}
"""Of what has an address that changes with it."""


@router.get(STYLE)
def style() -> Response:
    return Response(style_in_site(), headers=FOR_GOOD, media_type="text/css; charset=utf-8")


@router.get(SCRIPTS + "/{game}.js")
def script(site: SiteHere, game: str) -> Response:
    return Response(script_of(site.games.find(game)), headers=FOR_GOOD, media_type="text/javascript; charset=utf-8")
