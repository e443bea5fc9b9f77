"""The numbers of both seats over the turns of a match, as a picture of its own.

A picture that stands by itself knows no style sheet, so its colours can be read on light and on dark ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from engine.replay import Curve
from ladder.plots.svg import LINE_HEIGHT, SHEET_WIDTH, Scale, Svg, curve, element, levels, picture, sheet, words

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
    """Return one curve of both seats below its title."""
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
