"""A number over matches as a small line without scales, for a cell of a table whose words say the rest."""

from __future__ import annotations

from collections.abc import Sequence

from ladder.plots.svg import SHEET_WIDTH, Scale, Svg, curve, picture, sheet

HEIGHT = 28
MARGIN = 3


def spark_line(name: str, values: Sequence[float]) -> Svg:
    """Draw some values, the earliest first; at least one, all finite. `name`: of what."""
    across = Scale(0, max(len(values) - 1, 1), 0, SHEET_WIDTH)
    up = Scale(min(values), max(values), HEIGHT - MARGIN, MARGIN)
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
