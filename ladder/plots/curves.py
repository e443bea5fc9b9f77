"""The numbers of both seats over the turns of a match, as a picture of its own; and lines small enough for a table.

A picture that stands by itself knows no style sheet, so its colours can be read on light and on dark ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from engine.replay import Curve
from ladder.plots.svg import LINE_HEIGHT, SHEET_WIDTH, Scale, Svg, curve, element, levels, picture, sheet, words

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
"""Of seat 0 and 1."""
QUIET = "#7a8591"


def curves_picture(curves: Sequence[Curve], names: Sequence[str]) -> Svg:
    """Return all curves of a match below each other. `names`: of its seats."""
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
    """Return the points of a curve, in pieces where some of its values are not known."""
    found = []
    for is_known, group in groupby(enumerate(values), key=lambda one: one[1] is not None):
        if is_known:
            found.append([(across.at(index), up.at(value)) for index, value in group if value is not None])
    return found
