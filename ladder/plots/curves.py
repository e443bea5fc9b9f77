"""Curves: a rating with its band, seats' numbers over a match, a tuned value, what a simulation found; small lines.

The rating (`rating_plot`). From left to right stand the matches in their order, not the hours: a bot plays in bursts,
and days without a match would be all that there is to see. Moments are written below. Each stretch is a version in one
league, where it began with a fresh rating; so lines of two stretches are not joined.

The numbers of both seats (`curves_picture`), and what `ladder simulate` has found (`ranks_picture`: how the rank error
falls with battles, and which ranks a bot gets again), are pictures that stand by themselves. They know no style sheet,
so their colours can be read on light and on dark ground.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from math import ceil, floor, log10

from engine.immutable import immutable
from engine.replay import Curve
from ladder.plots import svg
from ladder.plots.svg import LINE_HEIGHT, SHEET_WIDTH, XMLNS, Attribute, Scale, Svg

SPARK_HEIGHT = 28
SPARK_MARGIN = 3


def spark_line(name: str, values: Sequence[float]) -> Svg:
    """Draw some values, the earliest first; at least one, all finite. `name`: of what."""
    across = Scale(0, max(len(values) - 1, 1), 0, SHEET_WIDTH)
    up = Scale(min(values), max(values), SPARK_HEIGHT - SPARK_MARGIN, SPARK_MARGIN)
    points = [(across.at(number), up.at(value)) for number, value in enumerate(values)]
    if len(points) == 1:
        points = [(0.0, points[0][1]), (float(SHEET_WIDTH), points[0][1])]
    return svg.picture(
        SPARK_HEIGHT,
        name,
        f"from {values[0]:g} to {values[-1]:g}; lowest {min(values):g}, highest {max(values):g}",
        svg.sheet(SPARK_HEIGHT, svg.curve(points, "curve")),
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
        svg.element("g", plot(drawn), transform=f"translate(0 {LINE_HEIGHT + index * WHOLE_HEIGHT})")
        for index, drawn in enumerate(curves)
    ]
    titles = ", ".join(drawn.kind.title for drawn in curves) or "There are no curves of this match."
    legend = [
        svg.element("g", svg.words(x, LINE_HEIGHT - MARGIN, name), fill=colour)
        for x, name, colour in zip(("0%", "50%"), names, COLOURS, strict=False)
    ]
    inside = svg.element("g", *legend, *parts, color=QUIET, fill=QUIET, font_family="sans-serif", font_size=12)
    return svg.picture(height, "Curves", titles, inside)


def plot(drawn: Curve) -> Svg:
    values_known = [value for values in drawn.values for value in values if value is not None]
    if not values_known:
        return svg.element("g")
    title = svg.words("0%", LINE_HEIGHT - MARGIN, f"{drawn.kind.title} ({drawn.kind.unit})")
    scale = Scale(min(0.0, *values_known), max(1.0, *values_known), PLOT_HEIGHT - MARGIN, MARGIN)
    across = Scale(0, max(1, len(drawn.values[0]) - 1), 0, SHEET_WIDTH)
    lines: list[Svg] = []
    for seat, (values, colour) in enumerate(zip(drawn.values, COLOURS, strict=True)):
        drawn_pieces = [svg.curve(points, f"curve-{seat}") for points in pieces(values, across, scale)]
        lines.append(svg.element("g", *drawn_pieces, color=colour))
    below = svg.element("g", svg.element("g", *svg.levels(scale, most=3), opacity=0.6), svg.sheet(PLOT_HEIGHT, *lines))
    return svg.element("g", title, svg.element("g", below, transform=f"translate(0 {LINE_HEIGHT})"))


def pieces(values: Sequence[float | None], across: Scale, up: Scale) -> list[list[tuple[float, float]]]:
    return [
        [(across.at(index), up.at(value)) for index, value in group if value is not None]
        for is_known, group in groupby(enumerate(values), key=lambda pair: pair[1] is not None)
        if is_known
    ]


VALUE_HEIGHT = 170
VALUE_TOP, VALUE_BOTTOM = 12, 144
"""Where the values lie; below are the numbers of pairs."""
VALUE_LEFT, VALUE_RIGHT = 8.0, 99.0
"""Where the first pair lies and the last, in percent."""
WORDS_BELOW = VALUE_HEIGHT - 8


@immutable
class CurvePoint:
    """A value after so many pairs, with what luck leaves open about it."""

    pairs: int
    value: float
    low: float
    high: float


@immutable
class Range:
    """Where a parameter can lie, ends included, and where it began. `words`: what whole numbers from 0 stand for."""

    low: float
    high: float
    start: float
    words: tuple[str, ...] = ()


def value_plot(name: str, values: Sequence[CurvePoint], within: Range, pairs: int) -> Svg:
    """Draw how a value moved. `values`: at least one, in their order; `pairs`: that are to be played."""
    across = Scale(0, pairs, VALUE_LEFT, VALUE_RIGHT)
    up = Scale(within.low, within.high, VALUE_BOTTOM, VALUE_TOP)
    first, last = values[0], values[-1]
    upper = [(across.on_sheet(one.pairs), up.at(one.high)) for one in values]
    lower = [(across.on_sheet(one.pairs), up.at(one.low)) for one in values]
    middle = [(across.on_sheet(one.pairs), up.at(one.value)) for one in values]
    if len(values) == 1:
        middle = [(0.0, middle[0][1]), (float(SHEET_WIDTH), middle[0][1])]
    return svg.picture(
        VALUE_HEIGHT,
        f"{name} over the pairs",
        f"from {within.start:g} to {last.value:g} ({last.low:g} to {last.high:g}) after {last.pairs} of {pairs} pairs; "
        f"its range is {within.low:g} to {within.high:g}",
        *([svg.level(up.at(value), name) for value, name in enumerate(within.words)] or svg.levels(up, most=4)),
        svg.line(f"{VALUE_LEFT:g}%", up.at(within.start), f"{VALUE_RIGHT:g}%", up.at(within.start), "rule"),
        svg.sheet(VALUE_HEIGHT, svg.area([*upper, *lower[::-1]], "band"), svg.curve(middle, "curve")),
        svg.words(across.percent(first.pairs), WORDS_BELOW, f"{first.pairs:,}", class_="tick"),
        svg.words(across.percent(pairs), WORDS_BELOW, f"{pairs:,} pairs", "end", "tick"),
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


@immutable
class Point:
    """A rating after a match. `stretch`: in which line it stands, as a version and its league."""

    stretch: str
    at: datetime
    mu: float
    sigma: float


@immutable
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
    by_stretch: dict[str, list[tuple[float, Point]]] = {}
    for number, point in enumerate(points):
        by_stretch.setdefault(point.stretch, []).append((across.on_sheet(number), point))
    first, last = points[0], points[-1]
    return svg.picture(
        RATING_HEIGHT,
        f"rating of {name}",
        f"from {first.mu:.2f} ± {SIGMAS * first.sigma:.2f} ({first.stretch}) to {last.mu:.2f} ± "
        f"{SIGMAS * last.sigma:.2f} ({last.stretch}); highest {max(point.mu for point in points):.2f}, "
        f"lowest {min(point.mu for point in points):.2f}",
        *svg.levels(up),
        svg.sheet(RATING_HEIGHT, *(part for places in by_stretch.values() for part in band_of(places, up))),
        *marked(marks, across),
        *moments(points, across),
    )


def band_of(places: Sequence[tuple[float, Point]], up: Scale) -> list[Svg]:
    if len(places) == 1:
        ((x, point),) = places
        places = [(x - 2, point), (x + 2, point)]
    upper = [(x, up.at(point.mu + SIGMAS * point.sigma)) for x, point in places]
    lower = [(x, up.at(point.mu - SIGMAS * point.sigma)) for x, point in places]
    return [svg.area([*upper, *lower[::-1]], "band"), svg.curve([(x, up.at(point.mu)) for x, point in places], "curve")]


def marked(marks: Sequence[Mark], across: Scale) -> list[Svg]:
    free = [0.0, 0.0]
    parts: list[Svg] = []
    for mark in sorted(marks, key=lambda mark: mark.point):
        place, x = across.at(mark.point), across.percent(mark.point)
        inside = [svg.element("title", mark.words), svg.line(x, RATING_TOP, x, RATING_BOTTOM, "rule")]
        if place >= free[mark.row]:
            anchor = "end" if place > RATING_RIGHT - MARK_ROOM else "start"
            inside.append(svg.words(x, 14 + 18 * mark.row, mark.words, anchor))
            free[mark.row] = place + max(MARK_ROOM, len(mark.words) * 1.6)
        parts.append(svg.element("g", *inside, class_=f"event {mark.class_}".strip()))
    return parts


def moments(points: Sequence[Point], across: Scale) -> list[Svg]:
    """Return when the first match was, the last one, and one between; in UTC."""
    last = len(points) - 1
    numbers = sorted({round(last * share / (MOMENTS - 1)) for share in range(MOMENTS)})
    is_one_day = points[0].at.astimezone(UTC).date() == points[-1].at.astimezone(UTC).date()
    drawn: list[Svg] = []
    for number in numbers:
        moment = f"{points[number].at.astimezone(UTC):{'%H:%M:%S' if is_one_day else '%Y-%m-%d'}}"
        anchor = "start" if number == 0 else "end" if number == last else "middle"
        drawn.append(svg.words(across.percent(number), RATING_HEIGHT - 8, moment, anchor, "tick"))
    return drawn


RANKS_WIDTH, RANKS_HEIGHT = 480, 360
"""Of each of the two plots, in pixels."""
RANKS_LEFT, RANKS_RIGHT, RANKS_TOP, RANKS_BOTTOM = 140, 464, 36, 308
LEAST_ERROR = 0.01
"""Smaller ones are drawn as this one: a logarithm has no 0."""


@immutable
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
    width = RANKS_WIDTH * len(plots)
    last = [(kind.name, *kind.errors[-1]) for kind in kinds if kind.errors]
    last_errors = [f"{name}: rank error {error:.1f} after {battles} battles" for name, battles, error in last]
    return svg.element(
        "svg",
        svg.element("title", "What a rank is worth"),
        svg.element("desc", "; ".join(last_errors)),
        *(svg.element("g", one, transform=f"translate({RANKS_WIDTH * place} 0)") for place, one in enumerate(plots)),
        xmlns=XMLNS, role="img", viewBox=f"0 0 {width} {RANKS_HEIGHT}", width=width,
        height=RANKS_HEIGHT, font_family="sans-serif", font_size=12, fill=QUIET,
    )  # fmt: skip


def errors_plot(bots: int, kinds: Sequence[Ladders]) -> Svg:
    """Draw how the rank error falls with battles, a line for each kind of ladder; errors stand by their logarithms."""
    errors = [max(error, LEAST_ERROR) for kind in kinds for _, error in kind.errors]
    up = Scale(log10(min(errors)), log10(max(errors)), RANKS_BOTTOM, RANKS_TOP)
    across = Scale(0, max(battles for kind in kinds for battles, _ in kind.errors), RANKS_LEFT - 90, RANKS_RIGHT)
    lines: list[Svg] = []
    for kind in kinds:
        points = [(across.at(battles), up.at(log10(max(error, LEAST_ERROR)))) for battles, error in kind.errors]
        path = svg.element(
            "polyline", points=svg.path_of(points), fill="none", stroke=kind.colour, stroke_width=2,
            stroke_dasharray=kind.dashes,
        )  # fmt: skip
        dots = [svg.element("circle", cx=x, cy=y, r=2, fill=kind.colour) for x, y in points]
        lines += [svg.element("g", path, *dots)]
    rules: list[Svg] = []
    for value in logarithmic_ticks(min(errors), max(errors)):
        y = up.at(log10(value))
        rules += [stroke(RANKS_LEFT - 90, y, RANKS_RIGHT, y), svg.words(RANKS_LEFT - 96, y + 4, f"{value:g}", "end")]
    legend: list[Svg] = []
    for number, kind in enumerate(kinds):
        y = RANKS_TOP + LINE_HEIGHT * number
        legend += [stroke(RANKS_RIGHT - 170, y, RANKS_RIGHT - 134, y, kind.colour, 2, kind.dashes)]
        legend += [svg.words(RANKS_RIGHT - 126, y + 4, kind.name)]
    title = heading(f"mean rank error of {bots} bots")
    return svg.element("g", title, *rules, *lines, *legend, *below(across, "battles per bot"))


def ranks_plot(kinds: Sequence[Ladders], true_rank: int, battles: int) -> Svg:
    ranks = [rank for kind in kinds for rank in kind.ranks or ()]
    across = Scale(min(true_rank, *ranks), max(true_rank, *ranks), RANKS_LEFT, RANKS_RIGHT)
    rows = Scale(-0.5, len(kinds) - 0.5, RANKS_TOP, RANKS_BOTTOM)
    bars: list[Svg] = []
    for number, kind in enumerate(kinds):
        if kind.ranks is not None:
            y = rows.at(number)
            low, middle, high = (across.at(rank) for rank in kind.ranks)
            bars += [
                svg.words(RANKS_LEFT - 10, y + 4, kind.name, "end"),
                stroke(low, y, high, y, kind.colour, 3, kind.dashes),
                svg.element("circle", cx=middle, cy=y, r=4, fill=kind.colour),
            ]
    truth = stroke(across.at(true_rank), RANKS_TOP, across.at(true_rank), RANKS_BOTTOM, QUIET, 1)
    title = heading(f"bot number {true_rank} submitted again")
    return svg.element("g", title, truth, *bars, *below(across, f"rank after {battles} battles, 5-95 %"))


def stroke(
    x1: float, y1: float, x2: float, y2: float, colour: str = QUIET, width: float = 0.4, dashes: Attribute = None
) -> Svg:
    return svg.element(
        "line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=width, stroke_dasharray=dashes
    )  # fmt: skip


def heading(text: str) -> Svg:
    return svg.words(RANKS_WIDTH / 2, LINE_HEIGHT, text, "middle")


def below(across: Scale, text: str) -> list[Svg]:
    y = RANKS_BOTTOM + LINE_HEIGHT + 4
    numbers = [svg.words(x, y, written, "middle") for x, written in svg.written_ticks(across)]
    axis = stroke(across.start, RANKS_BOTTOM, across.end, RANKS_BOTTOM)
    return [axis, *numbers, svg.words(RANKS_WIDTH / 2, RANKS_BOTTOM + 40, text, "middle")]


def logarithmic_ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two that are above 0: of each power of ten up to nine, else fewer."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    for leading in ((1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 5), (1,)):
        numbers = [number * 10.0**power for power in powers for number in leading]
        numbers = [number for number in numbers if low <= number <= high]
        if len(numbers) <= 8:
            break
    return numbers
