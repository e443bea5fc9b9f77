"""What turns took: how often which time was charged, on a logarithmic scale; and each turn of a match by its number.

How this works. A heat map is a table whose cells hold their numbers and lead on; so it can be read without colours, and
by screen readers. Its colours are classes of the style sheet. A cell of few matches is paler than it would be with
many: what one match says is little.
"""

from collections.abc import Sequence
from math import log10

from engine.immutable import immutable
from engine.text import counted, time_words
from ladder.plots import svg
from ladder.plots.svg import Scale, Svg

CLASSES = 4
"""To each side of the middle."""
FEW = 4.0
"""Matches that are added as half won and half lost."""


def heat(points: float, matches: int) -> str:
    """Return the class of a cell: `heat-0`, all lost, to `heat-8`, all won; "" without a match."""
    if not matches:
        return ""
    share = (points + FEW / 2) / (matches + FEW)
    return f"heat-{round(2 * CLASSES * min(max(share, 0.0), 1.0))}"


HEIGHT = 190
TOP, BOTTOM = 36, 162
LEAST_HEIGHT = 2.5
"""Of a column that holds anything: one slow turn among thousands is to be seen."""
GAP = 0.15
"""Percent between columns."""
FEW_DECADES = 2.6
"""A scale of at most this many decades has room for the times between, on a telephone too."""
SHORT_WORDS = 12
"""Percent of the width from which on the words at a mark, which are short, can be centred on it."""
BEGINS_US = 10
"""A scale of logarithms has no 0; the first span of all begins here."""


@immutable
class TimeBin:
    """How many turns were charged from `from_us` to below `to_us` microseconds."""

    from_us: int
    to_us: int
    turns: int


def time_plot(name: str, spans: Sequence[TimeBin], limit_ms: int | None) -> Svg:
    """Draw how often which time was charged. `spans`: at least one, in order; `limit_ms`: None where there is none."""
    limit_us = None if limit_ms is None else 1000 * limit_ms
    begin = logarithm(spans[0].from_us)
    end = logarithm(max(spans[-1].to_us, 1.3 * (limit_us or 0)))
    across = Scale(begin, end, 0.5, 99.5)
    up = Scale(0, max(span.turns for span in spans), BOTTOM, TOP)
    return svg.picture(
        HEIGHT,
        f"time charged for turns of {name}",
        described(spans, limit_us),
        svg.line("0%", BOTTOM, "100%", BOTTOM, "level"),
        *(column(span, across, up, limit_us) for span in spans if span.turns),
        *scale_words(begin, end, across),
        *([] if limit_us is None else [limit_mark(limit_us, across)]),
    )


def logarithm(time_us: float) -> float:
    return log10(max(time_us, BEGINS_US))


def described(spans: Sequence[TimeBin], limit_us: int | None) -> str:
    turns = sum(span.turns for span in spans)
    often = max(spans, key=lambda span: span.turns)
    text = f"{counted(turns, 'turn')}; most often {time_words(often.from_us)} to {time_words(often.to_us)}"
    if limit_us is None:
        return text
    over = sum(span.turns for span in spans if span.from_us >= limit_us)
    return f"{text}; limit {time_words(limit_us)}, {counted(over, 'turn')} above it"


def column(span: TimeBin, across: Scale, up: Scale, limit_us: int | None) -> Svg:
    left, right = across.at(logarithm(span.from_us)), across.at(logarithm(span.to_us))
    height = max(BOTTOM - up.at(span.turns), LEAST_HEIGHT)
    title = f"{time_words(span.from_us)} to {time_words(span.to_us)}: {counted(span.turns, 'turn')}"
    width = f"{svg.as_text(max(right - left - GAP, 0.1))}%"
    is_over = limit_us is not None and span.from_us >= limit_us
    return svg.element(
        "rect", svg.element("title", title), x=f"{svg.as_text(left)}%", y=BOTTOM - height, width=width, height=height,
        fill="currentColor", class_="column bad" if is_over else "column",
    )  # fmt: skip


def scale_words(begin: float, end: float, across: Scale) -> list[Svg]:
    """Return the times below the columns: each ten times the one before, and where there is room those between."""
    steps = (1, 2, 5) if end - begin < FEW_DECADES else (1,)
    drawn: list[Svg] = []
    for time_us in (step * 10**power for power in range(1, 9) for step in steps):
        if begin - 0.01 <= log10(time_us) <= end:
            x = across.percent(log10(time_us))
            anchor = svg.anchor_at(across.at(log10(time_us)), SHORT_WORDS)
            text = svg.words(x, BOTTOM + 20, time_words(time_us), anchor, "tick")
            drawn.append(svg.joined([svg.line(x, BOTTOM, x, BOTTOM + 5, "level"), text]))
    return drawn


def limit_mark(limit_us: int, across: Scale) -> Svg:
    x = across.percent(logarithm(limit_us))
    anchor = svg.anchor_at(across.at(logarithm(limit_us)), SHORT_WORDS)
    text = svg.words(x, 14, f"limit {time_words(limit_us)}", anchor)
    return svg.element("g", text, svg.line(x, 20, x, BOTTOM, "rule"), class_="event limit")


TURNS_HEIGHT = 210
TURNS_TOP, TURNS_BOTTOM = 30, 178
LEFT, RIGHT = 7.0, 99.0
"""Where the first turn lies and the last, in percent."""
LIMIT_WITHIN = 2
"""A limit is drawn that is at most so many times the longest time."""


@immutable
class TurnTime:
    """What a version's own turn of that number, from 1, took: half of its matches at most, and 95 % of them."""

    number: int
    matches: int
    median_us: int
    most_us: int


def turn_plot(name: str, turns: Sequence[TurnTime], limit_ms: int | None) -> Svg:
    """Draw at least two turns, in their order. `limit_ms`: of all but the first turn; None where there is none."""
    longest_ms = max(turn.most_us for turn in turns) / 1000
    limit = limit_ms if limit_ms is not None and limit_ms <= LIMIT_WITHIN * longest_ms else None
    across = Scale(turns[0].number, turns[-1].number, LEFT, RIGHT)
    up = Scale(0, max(longest_ms, limit or 0), TURNS_BOTTOM, TURNS_TOP)
    median = [(across.on_sheet(turn.number), up.at(turn.median_us / 1000)) for turn in turns]
    most = [(across.on_sheet(turn.number), up.at(turn.most_us / 1000)) for turn in turns]
    slowest = max(turns, key=lambda turn: turn.median_us)
    numbers = [number for number in svg.ticks(turns[0].number, turns[-1].number) if number == int(number)]
    drawn_limit: list[Svg] = []
    if limit is not None:
        y = up.at(limit)
        text = svg.words("100%", y - 4, f"limit {limit} ms", "end")
        rule = svg.line("0%", y, "100%", y, "rule")
        drawn_limit = [svg.element("g", text, rule, class_="event limit")]
    return svg.picture(
        TURNS_HEIGHT,
        f"time charged by turn of {name}",
        f"{counted(len(turns), 'turn')}; highest median {time_words(slowest.median_us)} in turn {slowest.number}",
        *svg.levels(up),
        svg.sheet(TURNS_HEIGHT, svg.area([*most, *median[::-1]], "band"), svg.curve(median, "curve")),
        *drawn_limit,
        svg.words("0%", 14, "ms", class_="tick"),
        *(svg.words(across.percent(one), TURNS_HEIGHT - 12, f"{one:.0f}", "middle", "tick") for one in numbers),
    )
