"""Gauntlets: the list of them, and each by itself."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from engine.text import duration
from ladder.bots import bots
from ladder.gauntlets.headline import compared_with
from ladder.gauntlets.shown.comparisons import ComparisonReport
from ladder.gauntlets.shown.table import against_text, meanings, question, waiting_sentence
from ladder.ids import LARGEST_ID, GauntletId
from ladder.leagues import leagues
from ladder.views import gauntlets
from ladder.web.accounts.identity import ASKING
from ladder.web.ready import gauntlets as ready
from ladder.web.ready.gauntlets import EndedGauntlets
from ladder.web.shown import page
from ladder.web.site import SiteHere

router = APIRouter()
ROWS = 50
ENDED = EndedGauntlets()
WORDS: dict[str, Any] = {
    "question": question,
    "against_text": against_text,
    "waiting_sentence": waiting_sentence,
    "compared_with": compared_with,
    "meanings": meanings,
    "duration": duration,
}
"""What templates say about gauntlets."""
Number = Annotated[GauntletId, Path(ge=1, le=LARGEST_ID)]
Before = Annotated[GauntletId | None, Query(ge=1, le=LARGEST_ID)]


@router.get("/gauntlets")
def listed(site: SiteHere, bot: str = "", game: str = "", before: Before = None) -> Response:
    """List the gauntlets, those that run on top. `bot`, `game`: only those of a bot's versions, or of a game."""
    with site.reading() as connection:
        games = leagues.games_in(connection)
        if game:
            leagues.check_game(connection, game)
        found = bots.find_bot(connection, bot, game or None) if bot else None
        shown = gauntlets.page_of(connection, ROWS, found, before, game or None)
    return page(
        "gauntlets.html", page=shown, bot=found, asked=bot, game=game, games=games, is_first=before is None,
        topics=["gauntlets"], **WORDS,
    )  # fmt: skip


@router.get("/gauntlets/{number}")
def gauntlet(site: SiteHere, number: Number) -> Response:
    """Show a gauntlet and what came of it."""
    with site.reading() as connection:
        found = ENDED.read(connection, number, ASKING.get().sight)
        of = found.gauntlet if isinstance(found, ComparisonReport) else found.report.gauntlet
        league = next(one for one in leagues.leagues(connection, of.game) if one.id == of.league_id)
    beside = {"title": site.title_of(of.game), "league": league, "topics": [f"gauntlet:{number}"], **WORDS}
    if isinstance(found, ComparisonReport):
        return page("gauntlet_of_variants.html", shown=ready.of_variants(found), **beside)
    return page("gauntlet.html", shown=ready.of_report(found), **beside)
