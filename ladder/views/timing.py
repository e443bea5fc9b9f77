"""What a version's turns took: how often which charged time, against its limit, and the slowest of them.

How this works. The times of turns are in the packed record of each match; so only the latest matches are looked at, and
of a record only its times. Which limit a turn had is not in it. A seat's first turn is taken for one with the longer
limit of first turns, and all others for one with the usual limit, as it is in the games that come with Ladder.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import field
from itertools import pairwise, zip_longest
from math import ceil
from statistics import median_low

from engine.immutable import immutable
from ladder.database.connection import Connection, Rows
from ladder.ids import MatchId, VersionId
from ladder.matches.record import Times, times_of_seat
from ladder.names import NamedVersion
from ladder.plots.histogram import TimeBin, TurnTime
from ladder.views.bots import version_meant

MOST_MATCHES = 100
MOST_SLOWEST = 20
LEAST_MATCHES = 5
"""Of fewer no share of them says much; a version that has played fewer is shown all the same."""
SHARE = 0.95
BINS_PER_DECADE = 8
EDGES_US = tuple(round(10 ** (number / BINS_PER_DECADE)) for number in range(2 * BINS_PER_DECADE, 8 * BINS_PER_DECADE))
"""Between bins, from 0.1 ms on: each a third above the one before, and the same for all versions."""


@immutable
class TimedTurn:
    """A turn of a match, from 1 through both seats. `limit_ms`: None where that was not recorded."""

    match_id: MatchId
    turn: int
    charged_us: int
    wall_us: int
    limit_ms: int | None


@immutable
class Timing:
    """What a version's turns took in its latest `matches`. What is not there without a turn or a match is None.

    `turns`, `median_us`, `bins`, `slowest`: of all but first turns, whose limit is longer; `slowest_first`: of these;
    `by_turn`: of all, as far as LEAST_MATCHES have one. Limits: of the latest match.
    """

    version: str
    matches: int
    turns: int
    first_limit_ms: int | None
    turn_limit_ms: int | None
    median_us: int | None
    bins: list[TimeBin]
    slowest: list[TimedTurn]
    slowest_first: TimedTurn | None
    by_turn: list[TurnTime] = field(default_factory=list[TurnTime])


def read_timing(connection: Connection, named: NamedVersion, game: str | None = None) -> Timing:
    """Return what a version's turns took; of a bot those of the one that plays. Raises UnknownName."""
    version = version_meant(connection, named, game)
    return timing_of(connection, version.id, version.name)


def timing_of(connection: Connection, version_id: VersionId, name: str) -> Timing:
    """Return what a version's turns took; `name`: of it."""
    played = latest_played(connection, version_id)
    turns = [times_of_seat(match.record, match.seat) for match in played]
    charged = sorted(charged_us for times in turns for _, charged_us, _ in times[1:])
    begun = [(match, times[0]) for match, times in zip(played, turns, strict=True) if times]
    first = [TimedTurn(match.match_id, *times, match.first_limit_ms) for match, times in begun]
    return Timing(
        version=name,
        matches=len(played),
        turns=len(charged),
        first_limit_ms=played[0].first_limit_ms if played else None,
        turn_limit_ms=played[0].turn_limit_ms if played else None,
        median_us=median_low(charged) if charged else None,
        bins=bins_of(charged),
        slowest=slowest_of(played, turns, charged[-MOST_SLOWEST:]),
        slowest_first=max(first, key=lambda turn: turn.charged_us, default=None),
        by_turn=times_by_turn(turns),
    )


def times_by_turn(turns: Sequence[Sequence[Times]]) -> list[TurnTime]:
    columns = zip_longest(*([charged_us for _, charged_us, _ in times] for times in turns))
    charged = [sorted(time_us for time_us in column if time_us is not None) for column in columns]
    least = min(LEAST_MATCHES, sum(map(bool, turns)))
    return [
        TurnTime(number, len(times_us), median_low(times_us), times_us[ceil(SHARE * len(times_us)) - 1])
        for number, times_us in enumerate(charged, 1)
        if len(times_us) >= least
    ]


def slowest_of(
    played: Sequence[TimedMatch], turns: Sequence[Sequence[Times]], longest: Sequence[int]
) -> list[TimedTurn]:
    """Return the turns that took longest. `longest`: their times, in order; empty where there is no turn."""
    least_us = longest[0] if longest else 0
    turns_found = [
        TimedTurn(match.match_id, *times, match.turn_limit_ms)
        for match, own_times in zip(played, turns, strict=True)
        for times in own_times[1:]
        if times[1] >= least_us
    ]
    return sorted(turns_found, key=lambda turn: (-turn.charged_us, -turn.match_id, turn.turn))[: len(longest)]


def bins_of(charged_us: Sequence[int]) -> list[TimeBin]:
    """Count times, which are in order, by bins: from the first bin that holds any to the last."""
    if not charged_us:
        return []
    edges = (0, *EDGES_US, 10 * EDGES_US[-1])
    below = [bisect_left(charged_us, edge) for edge in edges]
    bins = [
        TimeBin(*ends, after - before) for ends, (before, after) in zip(pairwise(edges), pairwise(below), strict=True)
    ]
    held = [number for number, bin_ in enumerate(bins) if bin_.turns]
    return bins[held[0] : held[-1] + 1]


@immutable
class TimedMatch:
    """A finished match of a version, as far as its times go. Limits in milliseconds, None where none were recorded."""

    match_id: MatchId
    seat: int
    record: bytes
    first_limit_ms: int | None
    turn_limit_ms: int | None


def latest_played(connection: Connection, version_id: VersionId) -> list[TimedMatch]:
    """Return the latest finished matches of a version, also those of gauntlets, the latest first."""
    query = """
        SELECT seats.match_id, seats.seat, matches.record, matches.first_limit_ms, matches.turn_limit_ms
        FROM seats JOIN matches ON matches.id = seats.match_id
        WHERE seats.version_id = %(version)s AND matches.state = 'finished'
          AND matches.record IS NOT NULL
        ORDER BY seats.match_id DESC LIMIT %(most)s
        """
    return Rows(connection, TimedMatch).all(query, {"version": version_id, "most": MOST_MATCHES})
