"""One version: how it did in which seat against whom, what its turns took, its faults, its metrics."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from ladder.bots import bots, versions
from ladder.database.text import without_nul
from ladder.names import Named
from ladder.plots.spark_line import spark_line
from ladder.ratings import standings
from ladder.statistics.seats import sentence
from ladder.views.career.faults import MOST_FAULTS, MOST_LOOKED_AT, latest_faults
from ladder.views.career.metrics import latest_metrics
from ladder.views.career.opponents import MOST_MATCHES, latest_opponents
from ladder.views.career.timing import timing_of
from ladder.web.bot_plots import plot_of_times
from ladder.web.shown import page
from ladder.web.site import SiteHere

router = APIRouter()
MOST_OPPONENTS = 100


@router.get("/games/{game}/bots/{bot}/v/{number}")
def show_version(site: SiteHere, game: str, bot: str, number: int) -> Response:
    """Show a version."""
    with site.reading() as connection:
        found = bots.find_bot(connection, without_nul(bot), without_nul(game))
        version = versions.numbered(connection, found, number)
        named = Named(found.name, version.number)
        opponents = latest_opponents(connection, named, found.game)
        timing = timing_of(connection, version.id, version.name)
        shown: dict[str, Any] = {
            "stays": standings.stays_of(connection, found.id, version.id),
            "faults": latest_faults(connection, version.id),
            "metrics": latest_metrics(connection, version.id),
        }
    return page(
        "version.html",
        bot=found,
        version=version,
        opponents=opponents,
        seats_sentence=sentence(version.name, opponents.by_seat),
        most_matches=MOST_MATCHES,
        most_opponents=MOST_OPPONENTS,
        most_faults=MOST_FAULTS,
        most_looked_at=MOST_LOOKED_AT,
        timing=timing,
        plot=plot_of_times(timing),
        spark_line=spark_line,
        topics=[f"bot:{found.id}"],
        **shown,
    )
