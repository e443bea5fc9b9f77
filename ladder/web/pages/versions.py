"""One version: its record by seat and opponent, the time of its turns, its faults, its metrics; and its source."""

from contextlib import suppress
from statistics import median
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from engine.immutable import immutable
from engine.toolchains.bot_folder import contents_of
from ladder.access import Actor, Deed, require
from ladder.bots import bots, versions
from ladder.contract import READS, function_of
from ladder.database.connection import Connection, named_rows
from ladder.gauntlets.automatic_gauntlets import gates
from ladder.ids import MatchId, VersionId
from ladder.names import NamedVersion, read_second, read_version
from ladder.plots.curves import spark_line
from ladder.plots.histogram import time_plot, turn_plot
from ladder.ratings import standings
from ladder.statistics.seats import sentence
from ladder.views.bots import MOST_MATCHES, compared, latest_opponents, read_source
from ladder.views.timing import timing_of
from ladder.web.identity import ASKING
from ladder.web.rendering import IS_SERVED, LOGGED_IN, OPERATES, page
from ladder.web.site import SiteHere

METRIC_MATCHES = 100
MOST_METRICS = 20
LEAST_TURNS = 2
"""Of a curve over them."""
LARGEST = 1e100
"""Sums and differences of such numbers are still numbers."""
MOST_LOOKED_AT = 5_000
"""The latest matches of a version: which of them were lost so is only known by looking."""
MOST_FAULTS = 200
router = APIRouter()
MOST_OPPONENTS = 60
MOST_DIFF_LINES = 5000


@immutable
class MetricSeries:
    """A metric over a version's latest matches, the earliest first. `values`: of the matches where it is a number."""

    name: str
    match_ids: list[MatchId]
    values: list[float]

    @property
    def median(self) -> float:
        return median(self.values)


def latest_metrics(connection: Connection, version_id: VersionId) -> tuple[list[MetricSeries], int]:
    """Return the metrics of a version's latest matches, at most MOST_METRICS by name, and how many more there are."""
    query = """
        SELECT match_id, metrics FROM (
            SELECT match_id, metrics FROM seats WHERE version_id = %s AND result IS NOT NULL ORDER BY match_id DESC
            LIMIT %s) AS latest
        WHERE metrics <> '{}' ORDER BY match_id
        """
    rows = connection.execute(query, [version_id, METRIC_MATCHES]).fetchall()
    series_of: dict[str, MetricSeries] = {}
    for match_id, metrics in rows:
        for name, text in metrics.items():
            with suppress(ValueError):
                value = float(text)
                if abs(value) <= LARGEST:
                    series = series_of.setdefault(name, MetricSeries(name, [], []))
                    series.match_ids.append(match_id)
                    series.values.append(value)
    names = sorted(series_of)
    return [series_of[name] for name in names[:MOST_METRICS]], len(names[MOST_METRICS:])


def latest_faults(connection: Connection, version_id: VersionId) -> tuple[list[Any], bool]:
    """Return the latest MOST_FAULTS, among MOST_LOOKED_AT matches, and whether there may be older ones."""
    faults = named_rows(
        connection,
        """
        SELECT own.match_id, own.seat, own.verdict, own.message, coalesce(other.name, '') AS opponent,
               matches.finished_at AS at
        FROM (
            SELECT match_id, seat, verdict, message FROM (
                SELECT match_id, seat, verdict, message FROM seats WHERE version_id = %(version)s
                ORDER BY match_id DESC LIMIT %(looked_at)s) AS latest
            WHERE verdict <> 'ok' ORDER BY match_id DESC LIMIT %(most)s) AS own
        JOIN matches ON matches.id = own.match_id AND matches.state = 'finished' LEFT JOIN LATERAL (
            SELECT string_agg(name, ', ' ORDER BY first) AS name FROM (
                SELECT version_name(version_id) AS name, min(seat) AS first FROM seats
                WHERE seats.match_id = own.match_id AND seats.seat <> own.seat
                  AND (seats.version_id <> %(version)s OR matches.players = 2)
                GROUP BY version_id) AS others) AS other ON true
        ORDER BY own.match_id DESC
        """,
        {"version": version_id, "looked_at": MOST_LOOKED_AT, "most": MOST_FAULTS},
    )
    older = connection.execute(
        "SELECT FROM seats WHERE version_id = %s ORDER BY match_id DESC OFFSET %s LIMIT 1", [version_id, MOST_LOOKED_AT]
    ).fetchone()
    return faults, len(faults) == MOST_FAULTS or older is not None


def one_version(connection: Connection, bot: str, number: int, game: str) -> dict[str, Any]:
    bot_row = bots.find_bot(connection, bot, game)
    version = versions.numbered(connection, bot_row, number)
    opponents = latest_opponents(connection, NamedVersion(bot_row.name, number), bot_row.game)
    timing = timing_of(connection, version.id, version.name)
    limit_ms, bins, by_turn = timing.turn_limit_ms, timing.bins, timing.by_turn
    faults, more_faults = latest_faults(connection, version.id)
    metrics, more_metrics = latest_metrics(connection, version.id)
    return {
        "bot": bot_row,
        "version": version,
        "stays": standings.stays_of(connection, bot_row.id, version.id),
        "gate": gates(connection, [version.id]).get(version.id, ""),
        "opponents": opponents,
        "sentence": sentence(version.name, opponents.by_seat),
        "timing": timing,
        "plot": time_plot(timing.version, bins, limit_ms) if bins else None,
        "plot_of_turns": turn_plot(timing.version, by_turn, limit_ms) if len(by_turn) >= LEAST_TURNS else None,
        "shows_source": shows_source(connection, bot_row),
        "faults": faults,
        "more_faults": more_faults,
        "metrics": metrics,
        "more_metrics": more_metrics,
        "spark_line": spark_line,
        "most_matches": MOST_MATCHES,
        "most_opponents": MOST_OPPONENTS,
        "most_faults": MOST_FAULTS,
        "most_looked_at": MOST_LOOKED_AT,
        "topics": [f"bot:{bot_row.id}"],
    }


@router.get("/games/{game}/bots/{bot}/v/{number}")
def show_version(site: SiteHere, game: str, bot: str, number: int) -> Response:
    with site.reading() as connection:
        values = one_version(connection, bot, number, game)
    return page("version.html", **values)


def shows_source(connection: Connection, bot: bots.Bot) -> bool:
    me = LOGGED_IN.get()
    is_own = not IS_SERVED.get() or OPERATES.get() or (me is not None and me.player == bot.player)
    return is_own or bots.has_public_source(connection, bot.id)


@router.get("/games/{game}/bots/{bot}/v/{number}/source")
def show_source(site: SiteHere, game: str, bot: str, number: int, against: str | None = None) -> Response:
    """Show a version's source, or what differs in it from that of another one, as in `v2` or `orca@v1`."""
    with site.reading() as connection:
        bot_row = bots.find_bot(connection, bot, game)
        named = NamedVersion(bot_row.name, number)
        source = read_source(connection, named, bot_row.game)
        diff = None
        if against is not None:
            diff = compared(connection, read_second(against, named), named, bot_row.game)
    files, most = [(name, text_of(content)) for name, content in contents_of(source.source).items()], MOST_DIFF_LINES
    return page("source.html", bot=bot_row, number=number, found=source, diff=diff, most_lines=most, files=files)


def text_of(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


@router.get("/games/{game}/similar")
def similar(site: SiteHere, game: str) -> Response:
    """Show operators which players' bots have sources that are alike. Raises NotAllowed."""
    if site.web.is_served:
        require(ASKING.get().actor or Actor(""), Deed.COMPARE_SOURCES)
    with site.reading() as connection:
        pairs = function_of(READS["similar-sources"])(connection, site.games, game)
    return page("similar.html", game=game, pairs=pairs, read_version=read_version)
