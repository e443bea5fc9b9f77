"""The operations room."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from engine.immutable import immutable
from ladder.database.connection import Connection, named_rows, one
from ladder.fleet import room
from ladder.fleet.workers import fleet_of, fleet_size, machines_without_fair_clock, stranded
from ladder.games import referee_faults
from ladder.gauntlets import gauntlets
from ladder.leagues import leagues
from ladder.matches import failures, match_rows
from ladder.matchmaking import requests
from ladder.plots import gauges
from ladder.plots.svg import Svg
from ladder.seasons import ending
from ladder.seasons import seasons as stored
from ladder.views import fleet as fleet_views
from ladder.views.seasons import SeasonSoFar, so_far
from ladder.visibility import sees_everything
from ladder.web.rendering import page
from ladder.web.site import SiteHere

MOST_ROWS = 50
"""Of each list."""
MOST_WORKERS = 200
"""Worker processes that are listed one by one."""
LOOKS_AT = 10_000
"""Void matches are looked for among this many of the latest."""
MOST_COUNTED = 100_000
"""Finished matches of the last hour, or failed attempts, are counted up to this many."""
MOST_CHARS = 1000
"""Of a reason."""
MOST_WORDS = 400
"""As many characters of a reason are in its row; the page of its match has all of it."""
SPAN = timedelta(minutes=5)
SPANS = 12
FAILED_LATELY = """
    SELECT count(*) FROM (
        SELECT FROM failed_attempts WHERE failed_at BETWEEN now() - %(lately)s::interval AND now()
        LIMIT %(most)s) AS found
"""
router = APIRouter()


@immutable
class Span:
    """Some minutes and how many matches were finished in them. `minutes`: how long it was, or is so far."""

    begin: datetime
    finished: int
    minutes: float

    @property
    def per_minute(self) -> float:
        return self.finished / self.minutes


def operations(connection: Connection) -> dict[str, Any]:
    """Return what the page shows, of machines and what went wrong only numbers to some; of one snapshot."""
    fleet, is_whole = fleet_of(connection), sees_everything(connection)
    building = one(connection, "SELECT count_building(NULL)", {})[0]
    lately = spans(connection, one(connection, "SELECT now()", {})[0])
    return {
        "matches": match_rows.count_matches(connection),
        "building": building,
        "builds": builds(connection) if building else [],
        "requests": fleet_views.OpenRequests(requests.count_open(connection), requests.count_unmade(connection)),
        "open_requests": requests.latest(connection, MOST_ROWS),
        "fleet": fleet_size(connection),
        "workers": doings(connection) if fleet.workers and is_whole else [],
        "pace": Svg() if lately is None else pace_of(lately),
        "finished_lately": None if lately is None else sum(span.finished for span in lately),
        "failed_lately": one(connection, FAILED_LATELY, {"lately": SPANS * SPAN, "most": MOST_COUNTED})[0],
        "failures": latest_failures(connection) if is_whole else [],
        "void": void_matches(connection),
        "gauntlets": gauntlets.running(connection, MOST_ROWS),
        "seasons": seasons_ending(connection),
        "is_whole": is_whole,
        "most_counted": MOST_COUNTED,
        "looks_at": LOOKS_AT,
        "most_words": MOST_WORDS,
        "warnings": [
            *map(fleet_views.lack_text, filter(None, [room.written_down(connection)])),
            *(map(fleet_views.no_fair_clock_text, machines_without_fair_clock(connection)) if is_whole else ()),
            *map(fleet_views.unplayable_text, fleet_views.unplayable_games(connection, fleet)),
            *map(fleet_views.stranded_text, stranded(connection, fleet)),
            *(map(fleet_views.suspect_text, failures.suspects(connection)) if is_whole else ()),
            *(map(fleet_views.breaker_text, referee_faults.flagged(connection)) if is_whole else ()),
            *map(fleet_views.unguarded_text, leagues.unguarded(connection)),
            *map(fleet_views.untrusted_text, leagues.untrusted(connection)),
        ],
        "topics": ["operations", "gauntlets"],
    }


def doings(connection: Connection) -> list[Any]:
    """Return the live worker processes. One plays a match, `since` then, or `builds` a version, or does neither."""
    query = """
        SELECT workers.id, workers.host, workers.pid, workers.started_at, matches.id AS match_id,
               version_name(built.id) AS builds, coalesce(leagues.game, bots.game) AS game,
               matches.started_at AS since
        FROM workers JOIN live_workers ON live_workers.id = workers.id
        LEFT JOIN matches ON matches.worker_id = workers.id AND matches.state = 'running'
        LEFT JOIN leagues ON leagues.id = matches.league_id
        LEFT JOIN versions AS built ON built.worker_id = workers.id AND built.state = 'building'
        LEFT JOIN bots ON bots.id = built.bot_id ORDER BY workers.host, workers.id LIMIT %s
        """
    return named_rows(connection, query, [MOST_WORKERS])


def builds(connection: Connection) -> list[Any]:
    query = """
        SELECT versions.id, bots.game, version_name(versions.id) AS version, language, attempt, created_at
        FROM versions JOIN bots ON bots.id = versions.bot_id
        WHERE versions.state = 'building' ORDER BY versions.id LIMIT %s
        """
    return named_rows(connection, query, [MOST_ROWS])


def spans(connection: Connection, now: datetime) -> list[Span] | None:
    """Return how many matches were finished in each few minutes of the last hour; None where they are too many."""
    epoch = datetime.fromtimestamp(0, now.tzinfo)
    present = epoch + (now - epoch) // SPAN * SPAN
    begins = [present - number * SPAN for number in range(SPANS, -1, -1)]
    query = """
        SELECT date_bin(%(span)s, finished_at, timestamptz 'epoch'), count(*) FROM (
            SELECT finished_at FROM matches WHERE state = 'finished' AND finished_at BETWEEN %(begin)s AND %(now)s
            ORDER BY finished_at DESC, id DESC LIMIT %(most)s) AS lately
        GROUP BY 1
        """
    rows = connection.execute(query, {"span": SPAN, "begin": begins[0], "now": now, "most": MOST_COUNTED}).fetchall()
    if sum(count for _, count in rows) >= MOST_COUNTED:
        return None
    finished_from = {begin.timestamp(): count for begin, count in rows}
    minute = timedelta(minutes=1)
    return [
        Span(begin, finished_from.get(begin.timestamp(), 0), max(min(now - begin, SPAN), minute) / minute)
        for begin in begins
    ]


def latest_failures(connection: Connection) -> list[Any]:
    """Return attempts that failed. `state`: the match's now; `counts`: whether one speaks against the match."""
    query = """
        SELECT failed.match_id, failed.attempt, failed.host, failed.failed_at,
               left(failed.why, %s) AS why, failed.counts, matches.state, leagues.game
        FROM (SELECT * FROM failed_attempts ORDER BY failed_at DESC LIMIT %s) AS failed
        JOIN matches ON matches.id = failed.match_id JOIN leagues ON leagues.id = matches.league_id
        ORDER BY failed.failed_at DESC, failed.match_id DESC, failed.attempt DESC
        """
    return named_rows(connection, query, [MOST_CHARS, MOST_ROWS])


def void_matches(connection: Connection) -> list[Any]:
    """Return the latest matches that were given up or, `by` an operator, taken back; none that were never played."""
    query = """
        SELECT found.id, leagues.game, leagues.title AS league, seated.versions,
               coalesce(found.reason, '') AS reason, found.void_by AS by,
               coalesce(found.void_at, failed.at) AS void_at
        FROM (
            SELECT id, league_id, reason, void_by, void_at
            FROM (SELECT * FROM matches ORDER BY id DESC LIMIT %(looks_at)s) AS latest
            WHERE state = 'void' AND (finished_at IS NOT NULL OR void_at IS NULL)
            ORDER BY id DESC LIMIT %(most)s) AS found
        JOIN leagues ON leagues.id = found.league_id
        CROSS JOIN LATERAL (
            SELECT coalesce(array_agg(version_name(version_id, params) ORDER BY seat), '{}') AS versions
            FROM seats WHERE match_id = found.id) AS seated
        CROSS JOIN LATERAL (
            SELECT max(failed_at) AS at FROM failed_attempts WHERE match_id = found.id) AS failed
        ORDER BY found.id DESC
        """
    return named_rows(connection, query, {"looks_at": LOOKS_AT, "most": MOST_ROWS})


def seasons_ending(connection: Connection) -> list[tuple[SeasonSoFar, ending.SeasonPlan | None]]:
    ends: list[tuple[SeasonSoFar, ending.SeasonPlan | None]] = []
    for game in leagues.games_in(connection):
        on, plan = ending.running(game, stored.begun(connection, game)), ending.find(connection, game)
        is_for_it = plan is not None and plan.number == on.number
        if on.id is not None or is_for_it:
            ends.append((so_far(connection, on), plan if is_for_it else None))
    return ends


@router.get("/operations")
def operations_room(site: SiteHere) -> Response:
    with site.reading() as connection:
        values = operations(connection)
    return page("operations.html", **values)


def pace_of(lately: Sequence[Span]) -> Svg:
    columns: list[gauges.PlotColumn] = []
    for place, span in enumerate(lately):
        ago = round((lately[-1].begin - span.begin) / SPAN) * SPAN.seconds // 60
        words = "now" if not ago else f"{ago} min" if place and place % 4 == 0 else ""  # at the edge it has no room
        rate = span.per_minute
        columns.append(gauges.PlotColumn(rate, words, f"{rate:.0f}" if rate >= 1 else f"{rate:.1f}" if rate else ""))
    return gauges.columns(columns, "matches per minute in the last hour", "by five minutes, the present ones last")
