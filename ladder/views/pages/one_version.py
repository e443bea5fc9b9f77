"""A version as its page shows it: how it did in which seat, what its turns took, its faults, its metrics."""

from __future__ import annotations

from dataclasses import dataclass

from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.bots.versions import Version
from ladder.database.connection import Connection
from ladder.gauntlets.automatic_gauntlets import gates
from ladder.names import Named
from ladder.ratings import standings
from ladder.ratings.standings import LeagueStay
from ladder.statistics.seats import sentence
from ladder.views.career.faults import LatestFaults, latest_faults
from ladder.views.career.metrics import LatestMetrics, latest_metrics
from ladder.views.career.opponents import LatestOpponents, latest_opponents
from ladder.views.career.timing import Timing, timing_of


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
    """Read a version of a bot of a game. Raises UnknownName."""
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
