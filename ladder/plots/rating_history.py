"""A rating as it moved: a line within its band, with marks for versions that came and for moves between leagues.

How this works. From left to right stand the matches in their order, not the hours: a bot plays in bursts, and days
without a match would be all that there is to see. Moments are written below. Each stretch is a version in one league,
where it began with a fresh rating; so lines of two stretches are not joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ladder.plots.svg import Scale, Svg, area, as_text, curve, element, levels, line, picture, sheet, words

HEIGHT = 260
TOP, BOTTOM = 44, 232
"""Where the ratings lie; above are the words of marks, below are the moments."""
LEFT, RIGHT = 6.0, 99.0
"""Where the first match lies and the last, in percent."""
SIGMAS = 2
ROOM = 13.0
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
    across = Scale(0, max(len(points) - 1, 1), LEFT, RIGHT)
    low = min(point.mu - SIGMAS * point.sigma for point in points)
    high = max(point.mu + SIGMAS * point.sigma for point in points)
    up = Scale(low, high, BOTTOM, TOP)
    return picture(
        HEIGHT,
        f"rating of {name}",
        described(points),
        *levels(up),
        sheet(HEIGHT, *(part for own in stretches(points) for part in drawn(own, points, across, up))),
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


def drawn(own: Sequence[int], points: Sequence[Point], across: Scale, up: Scale) -> list[Svg]:
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
            line(f"{as_text(place)}%", TOP, f"{as_text(place)}%", BOTTOM, "rule"),
        ]
        if place >= free[mark.row]:
            near_end = place > RIGHT - ROOM
            inside.append(words(f"{as_text(place)}%", 14 + 18 * mark.row, mark.words, "end" if near_end else "start"))
            free[mark.row] = place + max(ROOM, len(mark.words) * 1.6)
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
            HEIGHT - 8,
            f"{points[number].at.astimezone(UTC):{'%H:%M:%S' if is_one_day else '%Y-%m-%d'}}",
            "start" if number == 0 else "end" if number == last else "middle",
            "tick",
        )
        for number in numbers
    ]
