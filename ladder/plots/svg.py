"""What all plots are made of: elements, scales, ticks, words.

How this works. An SVG is a text, and `element` alone writes its signs: whatever it is given as an attribute or as words
is escaped, so strangers' names can stand anywhere. A picture is as wide as its place and has a height in pixels. So
what lies from left to right is given in percent, and words keep their size on a telephone; curves are drawn on a sheet
of their own, which is stretched (`sheet`). Colours are the classes of the style sheet; where there is none, everything
has the colour of the text.
"""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, isfinite, log10

from engine.immutable import immutable
from engine.text import one_line

XMLNS = "http://www.w3.org/2000/svg"
SHEET_WIDTH = 1000
"""Of a sheet, in units of its own."""
LINE_HEIGHT = 16
"""Pixels from one line of words to the next."""

Attribute = str | float | None


class Svg(str):
    """A text of SVG that is whole and safe: what is put into a page as it stands."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def element(tag: str, *inside: str, **attributes: Attribute) -> Svg:
    """Return an element. `attributes`: by name, as in `text_anchor` and `class_`; one that is None is left out."""
    values = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    named = "".join(f' {name}="{as_text(value)}"' for name, value in values.items() if value is not None)
    content = joined(inside)
    return Svg(f"<{tag}{named}>{content}</{tag}>" if content else f"<{tag}{named}/>")


def joined(parts: Sequence[str]) -> Svg:
    return Svg("".join(part if isinstance(part, Svg) else as_text(part) for part in parts))


def as_text(value: str | float) -> str:
    if isinstance(value, str):
        return escape(one_line(value).translate(NO_SIGNS))
    return f"{value:.2f}".rstrip("0").rstrip(".")


NO_SIGNS = str.maketrans(dict.fromkeys((0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}"))
"""What XML may not hold in addition to control characters."""


def picture(height: float, title: str, description: str, *inside: str, class_: str = "plot") -> Svg:
    """Return a picture as wide as its place, `height` pixels high. `description`: for screen readers."""
    parts = (element("title", title), element("desc", description), *inside)
    return element("svg", *parts, xmlns=XMLNS, class_=class_, role="img", width="100%", height=height)


def sheet(height: float, *inside: str) -> Svg:
    """Return a sheet for curves, SHEET_WIDTH units wide however wide the picture is, and as high as it."""
    box = f"0 0 {SHEET_WIDTH} {as_text(height)}"
    return element("svg", *inside, class_="sheet", viewBox=box, preserveAspectRatio="none", width="100%", height=height)


@immutable
class Scale:
    """Where values lie: `low` at `start`, `high` at `end`, and those beyond at the nearer of the two."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        width = self.high / 2 - self.low / 2  # halves, as the whole can be too large for a float
        share = (min(max(value, self.low), self.high) / 2 - self.low / 2) / width if width > 0 else 0.5
        return self.start + share * (self.end - self.start)

    def percent(self, value: float) -> str:
        """Return the place of a value in percent of the picture's width; the scale's ends are percents too."""
        return f"{as_text(self.at(value))}%"

    def on_sheet(self, value: float) -> float:
        """Return the place of a value on a sheet, where the scale's ends are percents."""
        return self.at(value) * SHEET_WIDTH / 100


def words(x: Attribute, y: float, text: str, anchor: str = "start", class_: str | None = None) -> Svg:
    """Return a line of words. `y`: of its base line; `anchor`: which part of it is at `x`: start, middle or end."""
    return element("text", text, x=x, y=y, text_anchor=None if anchor == "start" else anchor, class_=class_)


def anchor_at(percent: float, least: float = 20) -> str:
    return "start" if percent < least else "end" if percent > 80 else "middle"


def line(x1: Attribute, y1: float, x2: Attribute, y2: float, class_: str) -> Svg:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke="currentColor", class_=class_)


def curve(points: Sequence[tuple[float, float]], class_: str) -> Svg:
    drawn = {"fill": "none", "stroke": "currentColor", "vector_effect": "non-scaling-stroke"}
    return element("polyline", points=path_of(points), **drawn, class_=class_)


def area(points: Sequence[tuple[float, float]], class_: str) -> Svg:
    return element("polygon", points=path_of(points), fill="currentColor", fill_opacity=0.15, class_=class_)


def path_of(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between two, at most this many and at equal distances; none if there is no such number."""
    if not (isfinite(low) and isfinite(high)) or high <= low:
        return [low] if low == high and isfinite(low) else []
    unit = 10.0 ** floor(log10((high - low) / most))
    for step in (unit, 2 * unit, 5 * unit, 10 * unit, 20 * unit, 50 * unit):
        numbers = range(ceil(low / step), floor(high / step) + 1)
        if len(numbers) <= most:
            return [number * step for number in numbers]
    return []


def written_ticks(scale: Scale, most: int = 6) -> list[tuple[float, str]]:
    """Return the places of round numbers on a scale, and how they are written."""
    numbers = ticks(scale.low, scale.high, most)
    step = numbers[1] - numbers[0] if len(numbers) > 1 else 1
    digits = max(0, -floor(log10(step))) if step > 0 else 0
    return [(scale.at(value), f"{value:,.{digits}f}".replace("-", "\N{MINUS SIGN}")) for value in numbers]


def levels(scale: Scale, most: int = 5) -> list[Svg]:
    """Return a line across the picture, with its number, for each round number of a scale."""
    return [level(place, text) for place, text in written_ticks(scale, most)]


def level(y: float, text: str) -> Svg:
    return joined([line("0%", y, "100%", y, "level"), words("0%", y - 3, text, class_="tick")])
