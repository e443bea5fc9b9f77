"""Curves: a rating with its band, both seats' numbers over the turns of a match, a tuned value, and lines for tables.

The rating (`rating_plot`). From left to right stand the matches in their order, not the hours: a bot plays in bursts,
and days without a match would be all that there is to see. Moments are written below. Each stretch is a version in one
league, where it began with a fresh rating; so lines of two stretches are not joined.

The numbers of both seats are a picture of its own (`curves_picture`). It knows no style sheet, so its colours can be
read on light and on dark ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from engine.replay import Curve
from ladder.plots.svg import (
    LINE_HEIGHT,
    SHEET_WIDTH,
    Scale,
    Svg,
    area,
    as_text,
    curve,
    element,
    level,
    levels,
    line,
    picture,
    sheet,
    words,
)

SPARK_HEIGHT = 28
SPARK_MARGIN = 3


def spark_line(name: str, values: Sequence[float]) -> Svg:
    """Draw some values, the earliest first; at least one, all finite. `name`: of what."""
    across = Scale(0, max(len(values) - 1, 1), 0, SHEET_WIDTH)
    up = Scale(min(values), max(values), SPARK_HEIGHT - SPARK_MARGIN, SPARK_MARGIN)
    points = [(across.at(number), up.at(value)) for number, value in enumerate(values)]
    if len(points) == 1:
        points = [(0.0, points[0][1]), (float(SHEET_WIDTH), points[0][1])]
    return picture(
        SPARK_HEIGHT,
        name,
        f"from {values[0]:g} to {values[-1]:g}; lowest {min(values):g}, highest {max(values):g}",
        sheet(SPARK_HEIGHT, curve(points, "curve")),
        class_="spark",
    )


PLOT_HEIGHT = 90
"""Pixels of one curve, without its title."""
WHOLE_HEIGHT = PLOT_HEIGHT + 2 * LINE_HEIGHT
MARGIN = 4
COLOURS = ("#2f7fd6", "#c8641c")
QUIET = "#7a8591"


def curves_picture(curves: Sequence[Curve], names: Sequence[str]) -> Svg:
    height = LINE_HEIGHT + max(1, len(curves)) * WHOLE_HEIGHT
    parts = [
        element("g", plot(one), transform=f"translate(0 {LINE_HEIGHT + index * WHOLE_HEIGHT})")
        for index, one in enumerate(curves)
    ]
    titles = ", ".join(one.kind.title for one in curves) or "There are no curves of this match."
    legend = [
        element("g", words(x, LINE_HEIGHT - MARGIN, name), fill=colour)
        for x, name, colour in zip(("0%", "50%"), names, COLOURS, strict=False)
    ]
    inside = element("g", *legend, *parts, color=QUIET, fill=QUIET, font_family="sans-serif", font_size=12)
    return picture(height, "Curves", titles, inside)


def plot(drawn: Curve) -> Svg:
    known = [value for values in drawn.values for value in values if value is not None]
    if not known:
        return element("g")
    title = words("0%", LINE_HEIGHT - MARGIN, f"{drawn.kind.title} ({drawn.kind.unit})")
    scale = Scale(min(0.0, *known), max(1.0, *known), PLOT_HEIGHT - MARGIN, MARGIN)
    across = Scale(0, max(1, len(drawn.values[0]) - 1), 0, SHEET_WIDTH)
    lines = [
        element("g", *(curve(points, f"curve-{seat}") for points in pieces(values, across, scale)), color=colour)
        for seat, (values, colour) in enumerate(zip(drawn.values, COLOURS, strict=True))
    ]
    below = element("g", element("g", *levels(scale, most=3), opacity=0.6), sheet(PLOT_HEIGHT, *lines))
    return element("g", title, element("g", below, transform=f"translate(0 {LINE_HEIGHT})"))


def pieces(values: Sequence[float | None], across: Scale, up: Scale) -> list[list[tuple[float, float]]]:
    found = []
    for is_known, group in groupby(enumerate(values), key=lambda one: one[1] is not None):
        if is_known:
            found.append([(across.at(index), up.at(value)) for index, value in group if value is not None])
    return found


VALUE_HEIGHT = 170
VALUE_TOP, VALUE_BOTTOM = 12, 144
"""Where the values lie; below are the numbers of pairs."""
VALUE_LEFT, VALUE_RIGHT = 8.0, 99.0
"""Where the first pair lies and the last, in percent."""
WORDS_BELOW = VALUE_HEIGHT - 8


@dataclass(frozen=True, slots=True)
class Value:
    """A value after so many pairs, with what luck leaves open about it."""

    pairs: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Range:
    """Where a parameter can lie, ends included, and where it began. `words`: what whole numbers from 0 stand for."""

    low: float
    high: float
    start: float
    words: tuple[str, ...] = ()


def value_plot(name: str, values: Sequence[Value], within: Range, pairs: int) -> Svg:
    """Draw how a value moved. `values`: at least one, in their order; `pairs`: that are to be played."""
    across, up = Scale(0, pairs, VALUE_LEFT, VALUE_RIGHT), Scale(within.low, within.high, VALUE_BOTTOM, VALUE_TOP)
    first, last = values[0], values[-1]
    upper = [(across.on_sheet(one.pairs), up.at(one.high)) for one in values]
    lower = [(across.on_sheet(one.pairs), up.at(one.low)) for one in values]
    middle = [(across.on_sheet(one.pairs), up.at(one.value)) for one in values]
    if len(values) == 1:
        middle = [(0.0, middle[0][1]), (float(SHEET_WIDTH), middle[0][1])]
    return picture(
        VALUE_HEIGHT,
        f"{name} over the pairs",
        f"from {within.start:g} to {last.value:g} ({last.low:g} to {last.high:g}) after {last.pairs} of {pairs} pairs; "
        f"its range is {within.low:g} to {within.high:g}",
        *([level(up.at(value), name) for value, name in enumerate(within.words)] or levels(up, most=4)),
        line(f"{VALUE_LEFT:g}%", up.at(within.start), f"{VALUE_RIGHT:g}%", up.at(within.start), "rule"),
        sheet(VALUE_HEIGHT, area([*upper, *lower[::-1]], "band"), curve(middle, "curve")),
        words(across.percent(first.pairs), WORDS_BELOW, f"{first.pairs:,}", class_="tick"),
        words(across.percent(pairs), WORDS_BELOW, f"{pairs:,} pairs", "end", "tick"),
    )


RATING_HEIGHT = 260
RATING_TOP, RATING_BOTTOM = 44, 232
"""Where the ratings lie; above are the words of marks, below are the moments."""
RATING_LEFT, RATING_RIGHT = 6.0, 99.0
"""Where the first match lies and the last, in percent."""
SIGMAS = 2
MARK_ROOM = 13.0
"""Percent of the width that a mark's words need, on a telephone too."""
MOMENTS = 3


@dataclass(frozen=True, slots=True)
class Point:
    """A rating after a match. `stretch`: in which line it stands, as a version and its league."""

    stretch: str
    at: datetime
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened before the point of that number. `row`: 0 for a version that came, 1 for a move."""

    point: int
    row: int
    words: str
    class_: str = ""


def rating_plot(name: str, points: Sequence[Point], marks: Sequence[Mark]) -> Svg:
    """Draw how a rating moved. `name`: whose; `points`: at least one, in their order."""
    across = Scale(0, max(len(points) - 1, 1), RATING_LEFT, RATING_RIGHT)
    low = min(point.mu - SIGMAS * point.sigma for point in points)
    high = max(point.mu + SIGMAS * point.sigma for point in points)
    up = Scale(low, high, RATING_BOTTOM, RATING_TOP)
    return picture(
        RATING_HEIGHT,
        f"rating of {name}",
        described(points),
        *levels(up),
        sheet(RATING_HEIGHT, *(part for own in stretches(points) for part in band_of(own, points, across, up))),
        *marked(marks, across),
        *moments(points, across),
    )


def described(points: Sequence[Point]) -> str:
    first, last = points[0], points[-1]
    return (
        f"from {first.mu:.2f} ± {SIGMAS * first.sigma:.2f} ({first.stretch}) to {last.mu:.2f} ± "
        f"{SIGMAS * last.sigma:.2f} ({last.stretch}); highest {max(point.mu for point in points):.2f}, "
        f"lowest {min(point.mu for point in points):.2f}"
    )


def stretches(points: Sequence[Point]) -> list[list[int]]:
    found: dict[str, list[int]] = {}
    for number, point in enumerate(points):
        found.setdefault(point.stretch, []).append(number)
    return list(found.values())


def band_of(own: Sequence[int], points: Sequence[Point], across: Scale, up: Scale) -> list[Svg]:
    places = [(across.on_sheet(number), points[number]) for number in own]
    if len(places) == 1:
        places = [(places[0][0] - 2, places[0][1]), (places[0][0] + 2, places[0][1])]
    upper = [(x, up.at(point.mu + SIGMAS * point.sigma)) for x, point in places]
    lower = [(x, up.at(point.mu - SIGMAS * point.sigma)) for x, point in places]
    return [area([*upper, *lower[::-1]], "band"), curve([(x, up.at(point.mu)) for x, point in places], "curve")]


def marked(marks: Sequence[Mark], across: Scale) -> list[Svg]:
    free = [0.0, 0.0]
    parts: list[Svg] = []
    for mark in sorted(marks, key=lambda mark: mark.point):
        place = across.at(mark.point)
        classes = f"event {mark.class_}".strip()
        inside: list[str] = [
            element("title", mark.words),
            line(f"{as_text(place)}%", RATING_TOP, f"{as_text(place)}%", RATING_BOTTOM, "rule"),
        ]
        if place >= free[mark.row]:
            near_end = place > RATING_RIGHT - MARK_ROOM
            inside.append(words(f"{as_text(place)}%", 14 + 18 * mark.row, mark.words, "end" if near_end else "start"))
            free[mark.row] = place + max(MARK_ROOM, len(mark.words) * 1.6)
        parts.append(element("g", *inside, class_=classes))
    return parts


def moments(points: Sequence[Point], across: Scale) -> list[Svg]:
    """Return when the first match was, the last one, and one between; in UTC."""
    last = len(points) - 1
    numbers = sorted({round(last * share / (MOMENTS - 1)) for share in range(MOMENTS)})
    is_one_day = points[0].at.astimezone(UTC).date() == points[-1].at.astimezone(UTC).date()
    return [
        words(
            f"{as_text(across.at(number))}%",
            RATING_HEIGHT - 8,
            f"{points[number].at.astimezone(UTC):{'%H:%M:%S' if is_one_day else '%Y-%m-%d'}}",
            "start" if number == 0 else "end" if number == last else "middle",
            "tick",
        )
        for number in numbers
    ]
