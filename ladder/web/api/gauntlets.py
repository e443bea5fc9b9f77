"""Gauntlets: in lists, one in detail, one as JUnit XML."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from engine.errors import UsageFault
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.gauntlets.rendering.comparisons import ComparisonReport
from ladder.gauntlets.rendering.junit import junit_of
from ladder.ids import GauntletId
from ladder.views.gauntlets import ComparisonInDetail, GauntletInDetail, latest, read_report, shown_in_full
from ladder.web.api import answers
from ladder.web.api.answers import MOST_NAME_CHARS, Cursor, Limit, Number, items, json_answer
from ladder.web.api.description import one_of, rows_of, text_as
from ladder.web.site import SiteHere

router = APIRouter()
JUNIT = "application/xml"
OfBot = Annotated[str | None, Query(max_length=MOST_NAME_CHARS, description="Only those of this bot's versions.")]
OfGame = Annotated[str | None, Query(max_length=MOST_NAME_CHARS, description="The bot's game.")]


@router.get("/gauntlets", responses=rows_of(Gauntlet))
def gauntlets(
    site: SiteHere, bot: OfBot = None, game: OfGame = None, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """The gauntlets, the latest first: the rows of `ladder gauntlet list --json`."""
    if game is not None and bot is None:
        raise UsageFault("game says which game the bot of `bot` plays: say `bot` too")
    (below,) = answers.read(cursor, "gauntlets", int) or (None,)
    with site.reading() as connection:
        found = latest(connection, limit + 1, bot, game, below)
    return items(found[:limit], answers.written("gauntlets", found[limit - 1].id) if len(found) > limit else None)


@router.get("/gauntlets/{number}", responses=one_of(GauntletInDetail, ComparisonInDetail))
def one_gauntlet(site: SiteHere, number: Number) -> Response:
    """One gauntlet: the body of `ladder gauntlet show GAUNTLET --json`."""
    with site.reading() as connection:
        return json_answer(shown_in_full(read_report(connection, GauntletId(number))))


@router.get("/gauntlets/{number}/junit", responses=text_as(JUNIT), response_class=Response)
def junit(site: SiteHere, number: Number) -> Response:
    """One gauntlet as JUnit XML: the file of `ladder gauntlet show GAUNTLET --junit`."""
    with site.reading() as connection:
        report = read_report(connection, GauntletId(number))
    if isinstance(report, ComparisonReport):
        raise UsageFault(f"gauntlet {number} compares variants for no verdict, so there is no JUnit XML of it")
    return Response(junit_of(report), media_type=JUNIT)
