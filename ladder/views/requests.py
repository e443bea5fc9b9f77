"""Battles that were asked for."""

from engine.immutable import immutable
from ladder.database.connection import Connection
from ladder.ids import RequestId
from ladder.matchmaking import requests
from ladder.matchmaking.requests import BattleRequest
from ladder.row_limits import require_limit
from ladder.views.matches import ListedMatch, with_seats


@immutable
class RequestedMatches:
    """A request, and its matches that are over, the latest first."""

    request: BattleRequest
    matches: list[ListedMatch]


def matches_of(connection: Connection, request_id: RequestId, limit: int) -> RequestedMatches:
    """Return at most that many matches of a request. Raises UnknownName."""
    require_limit(limit)
    request = requests.find(connection, request_id)
    return RequestedMatches(request, with_seats(connection, requests.matches_over(connection, request_id, limit)))


@immutable
class LatestRequests:
    """The latest requests, the last one first; `are_all`: whether there are no more."""

    requests: list[BattleRequest]
    are_all: bool


def latest(connection: Connection, limit: int, *, ended: bool) -> LatestRequests:
    """Return at most that many requests. `ended`: also those of which nothing is to be played any more."""
    require_limit(limit)
    rows = requests.latest(connection, limit + 1, ended=ended)
    return LatestRequests(rows[:limit], len(rows) <= limit)
