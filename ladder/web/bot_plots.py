"""A bot's rating and a version's times as plots: what is read of them, as the plots want it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from ladder.choices import MoveKind
from ladder.names import read_version
from ladder.plots.histogram import Span, time_plot
from ladder.plots.rating_history import Mark, Point, rating_plot
from ladder.plots.svg import Svg
from ladder.views.career.rating_history import LeagueMove, RatingHistory, RatingPoint
from ladder.views.career.timing import Timing

MOVES = {
    MoveKind.PROMOTION: ("up to", "good"),
    MoveKind.DEMOTION: ("back to", "bad"),
    MoveKind.REWIND: ("taken back to", "open"),
}
"""How a move between leagues is said, and its class."""


def plot_of_rating(history: RatingHistory) -> Svg | None:
    """Draw how a rating has moved; None where nothing was rated."""
    if not history.points:
        return None
    points = [Point(f"{point.version} in {point.league}", point.at, point.mu, point.sigma) for point in history.points]
    moves = [mark for move in history.moves if (mark := mark_of_move(move, history.points)) is not None]
    return rating_plot(history.name, points, [*marks_of_versions(history.points), *moves])


def marks_of_versions(points: Sequence[RatingPoint]) -> list[Mark]:
    first: dict[str, int] = {}
    for number, point in enumerate(points):
        first.setdefault(point.version, number)
    return [Mark(number, 0, f"v{read_version(version)[1]}") for version, number in first.items()]


def mark_of_move(move: LeagueMove, points: Sequence[RatingPoint]) -> Mark | None:
    """Mark where a version went to another league; None where it has played no match since."""
    own = [number for number, point in enumerate(points) if point.version == move.version]
    place = bisect_left(own, move.at, key=lambda number: points[number].at)
    if place == len(own):
        return None
    words, class_ = MOVES[MoveKind(move.kind)]
    return Mark(own[place], 1, f"{words} {move.to_league}", class_)


def plot_of_times(timing: Timing) -> Svg | None:
    """Draw how often a version's turns took how long; None where there are none."""
    if not timing.bins:
        return None
    spans = [Span(one.from_us, one.to_us, one.turns) for one in timing.bins]
    return time_plot(timing.version, spans, timing.turn_limit_ms)
