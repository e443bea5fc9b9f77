"""A player with all versions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from ladder.views.pages.one_player import OnePlayer, one_player
from ladder.web.api.answers import MOST_NAME_CHARS, json_answer
from ladder.web.api.described import one_of
from ladder.web.site import SiteHere

router = APIRouter()
PlayerName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A player, as in kim.")]


@router.get("/players/{player}", responses=one_of(OnePlayer, what="A player with the bots of all games"))
def one_players_bots(site: SiteHere, player: PlayerName) -> Response:
    """A player: each version of each bot with how it did, and the latest matches of each bot."""
    with site.reading() as connection:
        return json_answer(one_player(connection, player))
