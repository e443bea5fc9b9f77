"""One version: its record by seat and opponent, the time of its turns, its faults, its metrics."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from ladder.database.connection import without_nul
from ladder.plots.curves import spark_line
from ladder.views.career.faults import MOST_FAULTS, MOST_LOOKED_AT
from ladder.views.career.opponents import MOST_MATCHES
from ladder.views.pages.one_version import one_version
from ladder.web.bot_plots import plot_of_times
from ladder.web.shown import page
from ladder.web.site import SiteHere

router = APIRouter()
MOST_OPPONENTS = 60


@router.get("/games/{game}/bots/{bot}/v/{number}")
def show_version(site: SiteHere, game: str, bot: str, number: int) -> Response:
    """Show a version."""
    with site.reading() as connection:
        found = one_version(connection, without_nul(bot), number, without_nul(game))
    return page(
        "version.html",
        found=found,
        bot=found.bot,
        title=site.title_of(found.bot.game),
        version=found.version,
        timing=found.timing,
        plot=plot_of_times(found.timing),
        spark_line=spark_line,
        most_matches=MOST_MATCHES,
        most_opponents=MOST_OPPONENTS,
        most_faults=MOST_FAULTS,
        most_looked_at=MOST_LOOKED_AT,
        topics=[f"bot:{found.bot.id}"],
    )
