"""A game's contest: until when, by which rules, who takes part, and what who looks has there."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from ladder.database.connection import Connection
from ladder.leagues import leagues
from ladder.quotas import quotas
from ladder.quotas.rules import Quota
from ladder.seasons import ending, seasons
from ladder.seasons.seasons import Season
from ladder.views import contests
from ladder.web.pages.home import own_versions
from ladder.web.shown import IS_SERVED, LOGGED_IN, OPERATES, page
from ladder.web.site import SiteHere
from ladder.web.watcher import MOST_TOPICS

router = APIRouter()


def one_contest(connection: Connection, game: str) -> dict[str, Any]:
    """Return what the page shows. `contest`: None where no end is planned; `over`: see below. Raises UnknownName."""
    leagues.check_game(connection, game)
    in_order = leagues.leagues(connection, game)
    contest, looker = contests.timetables(connection, game).get(game), LOGGED_IN.get()
    season = contests.number_of_contest(connection, game)
    versions = [] if looker is None else own_versions(connection, looker.player)
    over = None if contest else closed_contest(connection, game, season)
    lines = [] if looker is None else quotas.of_player(connection, looker.player).lines
    return {
        "game": game,
        "contest": contest,
        "plan": ending.find(connection, game) if contest else None,
        "season": season,
        "over": over,
        "grades": contests.grades(connection, game, season) if over and over.closed_at and may_grade() else [],
        "lowest": in_order[0].name,
        "leagues": [league for league in in_order[::-1] if league.is_open],
        "own": next((one for one in versions if one.game == game), None),
        "quotas": [line for line in lines if line.quota is not Quota.TOKENS],
        "players": contests.participants(connection, game, season),
        "topics": [f"board:{league.id}" for league in in_order[-MOST_TOPICS:]],
    }


def closed_contest(connection: Connection, game: str, number: int) -> Season | None:
    """Return the season that was a game's last contest, if any; without what it was where its end is still hidden."""
    if not seasons.was_contest(connection, game, number):
        return None
    known = Season(None, game, number, None)
    return next((one for one in seasons.begun(connection, game) if one.number == number), known)


def may_grade() -> bool:
    return OPERATES.get() or not IS_SERVED.get()


@router.get("/games/{game}/contest")
def show_contest(site: SiteHere, game: str) -> Response:
    with site.reading() as connection:
        found = one_contest(connection, game)
    is_there = found["contest"] is not None or found["over"] is not None
    return page("contest.html", status=200 if is_there else 404, title=site.title_of(game), **found)
