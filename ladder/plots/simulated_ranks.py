"""What `ladder simulate` has found: how the rank error falls with battles, and which ranks a bot gets again.

A picture that stands by itself knows no style sheet, so its colours can be read on light and on dark ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from ladder.plots.svg import LINE_HEIGHT, Attribute, Scale, Svg, element, joined, path_of, tick_words, ticks, words

WIDTH, HEIGHT = 480, 360
"""Of each of the two plots, in pixels."""
LEFT, RIGHT, TOP, BOTTOM = 140, 464, 36, 308
QUIET = "#7a8591"
LEAST_ERROR = 0.01
"""Smaller ones are drawn as this one: a logarithm has no 0."""


@dataclass(frozen=True, slots=True)
class Ladders:
    """Ladders of one kind. `errors`: by battles; `ranks`: a low, a middle and a high one of the bot resubmitted."""

    name: str
    colour: str
    dashes: str | None
    errors: Sequence[tuple[int, float]]
    ranks: tuple[float, float, float] | None


def ranks_picture(bots: int, kinds: Sequence[Ladders], true_rank: int, battles: int) -> Svg:
    """Draw the rank error over battles and, where a bot was submitted again, its ranks after `battles` beside that."""
    again = [kind for kind in kinds if kind.ranks is not None]
    plots = [errors_plot(bots, kinds), *([ranks_plot(again, true_rank, battles)] if again else [])]
    width = WIDTH * len(plots)
    return element(
        "svg",
        element("title", "What a rank is worth"),
        element("desc", "; ".join(map(described, kinds))),
        *(element("g", plot, transform=f"translate({number * WIDTH} 0)") for number, plot in enumerate(plots)),
        xmlns="http://www.w3.org/2000/svg", role="img", viewBox=f"0 0 {width} {HEIGHT}", width=width, height=HEIGHT,
        font_family="sans-serif", font_size=12, fill=QUIET,
    )  # fmt: skip


def described(kind: Ladders) -> str:
    battles, error = kind.errors[-1]
    return f"{kind.name}: rank error {error:.1f} after {battles} battles"


def errors_plot(bots: int, kinds: Sequence[Ladders]) -> Svg:
    """Draw how the rank error falls with battles, a line for each kind of ladder; errors stand by their logarithms."""
    errors = [max(error, LEAST_ERROR) for kind in kinds for _, error in kind.errors]
    up = Scale(log10(min(errors)), log10(max(errors)), BOTTOM, TOP)
    across = Scale(0, max(battles for kind in kinds for battles, _ in kind.errors), LEFT - 90, RIGHT)
    curves = [
        drawn(kind, [(across.at(battles), up.at(log10(max(error, LEAST_ERROR)))) for battles, error in kind.errors])
        for kind in kinds
    ]
    drawn_at = [(up.at(log10(value)), f"{value:g}") for value in logarithmic_ticks(min(errors), max(errors))]
    levels = [joined([stroke(LEFT - 90, y, RIGHT, y), words(LEFT - 96, y + 4, text, "end")]) for y, text in drawn_at]
    legend: list[Svg] = []
    for number, kind in enumerate(kinds):
        y = TOP + LINE_HEIGHT * number
        legend += [stroke(RIGHT - 170, y, RIGHT - 134, y, kind.colour, 2, kind.dashes)]
        legend += [words(RIGHT - 126, y + 4, kind.name)]
    title = heading(f"mean rank error of {bots} bots")
    return element("g", title, *levels, *curves, *legend, *below(across, "battles per bot"))


def ranks_plot(kinds: Sequence[Ladders], true_rank: int, battles: int) -> Svg:
    ranks = [rank for kind in kinds for rank in kind.ranks or ()]
    across = Scale(min(true_rank, *ranks), max(true_rank, *ranks), LEFT, RIGHT)
    rows = Scale(-0.5, len(kinds) - 0.5, TOP, BOTTOM)
    bars: list[Svg] = []
    for number, kind in enumerate(kinds):
        if kind.ranks is not None:
            y, (low, middle, high) = rows.at(number), (across.at(rank) for rank in kind.ranks)
            bars += [
                words(LEFT - 10, y + 4, kind.name, "end"),
                stroke(low, y, high, y, kind.colour, 3, kind.dashes),
                element("circle", cx=middle, cy=y, r=4, fill=kind.colour),
            ]
    truth = stroke(across.at(true_rank), TOP, across.at(true_rank), BOTTOM, QUIET, 1)
    title = heading(f"bot number {true_rank} submitted again")
    return element("g", title, truth, *bars, *below(across, f"rank after {battles} battles, 5-95 %"))


def drawn(kind: Ladders, points: Sequence[tuple[float, float]]) -> Svg:
    dots = [element("circle", cx=x, cy=y, r=2, fill=kind.colour) for x, y in points]
    path = element(
        "polyline", points=path_of(points), fill="none", stroke=kind.colour, stroke_width=2,
        stroke_dasharray=kind.dashes,
    )  # fmt: skip
    return element("g", path, *dots)


def stroke(
    x1: float, y1: float, x2: float, y2: float, colour: str = QUIET, width: float = 0.4, dashes: Attribute = None
) -> Svg:
    return element(
        "line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=width, stroke_dasharray=dashes
    )  # fmt: skip


def heading(text: str) -> Svg:
    return words(WIDTH / 2, LINE_HEIGHT, text, "middle")


def below(across: Scale, text: str) -> list[Svg]:
    found = ticks(across.low, across.high)
    step = found[1] - found[0] if len(found) > 1 else 1
    numbers = [words(across.at(value), BOTTOM + LINE_HEIGHT + 4, tick_words(value, step), "middle") for value in found]
    return [stroke(across.start, BOTTOM, across.end, BOTTOM), *numbers, words(WIDTH / 2, BOTTOM + 40, text, "middle")]


def logarithmic_ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two that are above 0: of each power of ten up to nine, else fewer."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    for leading in ((1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 5), (1,)):
        found = [number * 10.0**power for power in powers for number in leading if low <= number * 10.0**power <= high]
        if len(found) <= 8:
            return found
    return found
