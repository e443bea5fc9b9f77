"""The numbers of both seats over the turns of a match, as a picture of its own; and lines small enough for a table.

A picture that stands by itself knows no style sheet, so its colours can be read on light and on dark ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from engine.replay import Curve
from ladder.plots.svg import (
    LINE_HEIGHT,
    SHEET_WIDTH,
    Scale,
    Svg,
    area,
    curve,
    element,
    level,
    levels,
    line,
    picture,
    sheet,
    words,
)

HEIGHT = 28
SPARK_MARGIN = 3


def spark_line(name: str, values: Sequence[float]) -> Svg:
    """Draw some values, the earliest first; at least one, all finite. `name`: of what."""
    across = Scale(0, max(len(values) - 1, 1), 0, SHEET_WIDTH)
    up = Scale(min(values), max(values), HEIGHT - SPARK_MARGIN, SPARK_MARGIN)
    points = [(across.at(number), up.at(value)) for number, value in enumerate(values)]
    if len(points) == 1:
        points = [(0.0, points[0][1]), (float(SHEET_WIDTH), points[0][1])]
    return picture(
        HEIGHT,
        name,
        f"from {values[0]:g} to {values[-1]:g}; lowest {min(values):g}, highest {max(values):g}",
        sheet(HEIGHT, curve(points, "curve")),
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
TOP, BOTTOM = 12, 144
"""Where the values lie; below are the numbers of pairs."""
LEFT, RIGHT = 8.0, 99.0
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
    across, up = Scale(0, pairs, LEFT, RIGHT), Scale(within.low, within.high, BOTTOM, TOP)
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
        line(f"{LEFT:g}%", up.at(within.start), f"{RIGHT:g}%", up.at(within.start), "rule"),
        sheet(VALUE_HEIGHT, area([*upper, *lower[::-1]], "band"), curve(middle, "curve")),
        words(across.percent(first.pairs), WORDS_BELOW, f"{first.pairs:,}", class_="tick"),
        words(across.percent(pairs), WORDS_BELOW, f"{pairs:,} pairs", "end", "tick"),
    )
