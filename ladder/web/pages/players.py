"""A player: all versions with how they did, as a page and as a file."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from engine.game import Games
from ladder.names import Named
from ladder.views.players import OnePlayer, one_player
from ladder.web.files import InFolder, file_of
from ladder.web.shown import page
from ladder.web.site import SiteHere

router = APIRouter()
MOST_TOPICS = 20


@router.get("/players/{player}")
def show_player(site: SiteHere, player: str) -> Response:
    with site.reading() as connection:
        found = one_player(connection, player)
    topics = [f"bot:{one.bot.id}" for one in found.bots[:MOST_TOPICS]]
    return page("player.html", found=found, named=Named, topics=topics)


def player_file(found: OnePlayer, games: Games, place: InFolder) -> str:
    return file_of("player.html", place, found=found, named=Named, title_of=games.title_of)
