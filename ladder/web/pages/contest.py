"""A game's contest: until when, by which rules, who takes part, and what who looks has there."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from ladder.database.connection import Connection
from ladder.leagues import leagues
from ladder.quotas import quotas
from ladder.quotas.rules import Quota
from ladder.seasons import ending
from ladder.seasons.seasons import are_listed
from ladder.views import contests
from ladder.web.pages.home import own_versions
from ladder.web.shown import LOGGED_IN, page
from ladder.web.site import SiteHere
from ladder.web.watcher import MOST_TOPICS

router = APIRouter()


def one_contest(connection: Connection, game: str) -> dict[str, Any]:
    """Return what the page shows; `contest` is None where no end is planned. Raises UnknownName."""
    leagues.check_game(connection, game)
    in_order = leagues.leagues(connection, game)
    contest, looker = contests.timetables(connection, game).get(game), LOGGED_IN.get()
    season = contests.number_of_contest(connection, game)
    versions = [] if looker is None else own_versions(connection, looker.player)
    lines = [] if looker is None else quotas.of_player(connection, looker.player).lines
    return {
        "game": game,
        "contest": contest,
        "plan": ending.find(connection, game) if contest else None,
        "season": season,
        "is_closed": contest is None and are_listed(connection, game, season),
        "lowest": in_order[0].name,
        "leagues": in_order[::-1],
        "own": next((one for one in versions if one.game == game), None),
        "quotas": [line for line in lines if line.quota is not Quota.TOKENS],
        "players": contests.participants(connection, game, season),
        "topics": [f"board:{league.id}" for league in in_order[-MOST_TOPICS:]],
    }


@router.get("/games/{game}/contest")
def show_contest(site: SiteHere, game: str) -> Response:
    with site.reading() as connection:
        found = one_contest(connection, game)
    is_there = found["contest"] is not None or found["is_closed"]
    return page("contest.html", status=200 if is_there else 404, title=site.title_of(game), **found)
