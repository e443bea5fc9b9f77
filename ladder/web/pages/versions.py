"""One version: its record by seat and opponent, the time of its turns, its faults, its metrics."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import Response

from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.bots.versions import Version
from ladder.database.connection import Connection, without_nul
from ladder.gauntlets.automatic_gauntlets import gates
from ladder.names import Named
from ladder.plots.curves import spark_line
from ladder.ratings import standings
from ladder.ratings.standings import LeagueStay
from ladder.statistics.seats import sentence
from ladder.views.career.faults import MOST_FAULTS, MOST_LOOKED_AT, LatestFaults, latest_faults
from ladder.views.career.metrics import LatestMetrics, latest_metrics
from ladder.views.career.opponents import MOST_MATCHES, LatestOpponents, latest_opponents
from ladder.views.career.timing import Timing, timing_of
from ladder.web.bot_plots import plot_of_times
from ladder.web.shown import page
from ladder.web.site import SiteHere


@dataclass(frozen=True, slots=True)
class OneVersion:
    """A version of a bot. `stays`: in leagues, the latest first.

    `sentence`: says in which seat it does better, where that is clear; else "". `gate`: see `gates`; "" without one.
    """

    bot: Bot
    version: Version
    stays: list[LeagueStay]
    opponents: LatestOpponents
    sentence: str
    timing: Timing
    faults: LatestFaults
    metrics: LatestMetrics
    gate: str = ""


def one_version(connection: Connection, bot_name: str, number: int, game: str) -> OneVersion:
    bot = bots.find_bot(connection, bot_name, game)
    version = versions.numbered(connection, bot, number)
    opponents = latest_opponents(connection, Named(bot.name, number), bot.game)
    return OneVersion(
        bot,
        version,
        standings.stays_of(connection, bot.id, version.id),
        opponents,
        sentence(version.name, opponents.by_seat),
        timing_of(connection, version.id, version.name),
        latest_faults(connection, version.id),
        latest_metrics(connection, version.id),
        gates(connection, [version.id]).get(version.id, ""),
    )


router = APIRouter()
MOST_OPPONENTS = 60


@router.get("/games/{game}/bots/{bot}/v/{number}")
def show_version(site: SiteHere, game: str, bot: str, number: int) -> Response:
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
