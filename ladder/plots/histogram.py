"""How often which time was charged, against the limit: a column for each span of time, on a logarithmic scale.

How this works. A heat map is a table whose cells hold their numbers and lead on; so it can be read without colours, and
by screen readers. Its colours are classes of the style sheet. A cell of few matches is paler than it would be with
many: what one match says is little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from engine.text import counted, time_words
from ladder.plots.svg import Scale, Svg, anchor_at, as_text, element, line, picture, words

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


@dataclass(frozen=True, slots=True)
class Span:
    """How many turns took from this time to below that, in microseconds."""

    from_us: int
    to_us: int
    turns: int


def time_plot(name: str, spans: Sequence[Span], limit_ms: int | None) -> Svg:
    """Draw how often which time was charged. `spans`: at least one, in order; `limit_ms`: None where there is none."""
    limit_us = None if limit_ms is None else 1000 * limit_ms
    begin, end = logarithm(spans[0].from_us), logarithm(max(spans[-1].to_us, 1.3 * (limit_us or 0)))
    across = Scale(begin, end, 0.5, 99.5)
    up = Scale(0, max(span.turns for span in spans), BOTTOM, TOP)
    return picture(
        HEIGHT,
        f"time charged for turns of {name}",
        described(spans, limit_us),
        line("0%", BOTTOM, "100%", BOTTOM, "level"),
        *(column(span, across, up, limit_us) for span in spans if span.turns),
        *scale_words(begin, end, across),
        *limit_mark(limit_us, across),
    )


def logarithm(time_us: float) -> float:
    return log10(max(time_us, BEGINS_US))


def described(spans: Sequence[Span], limit_us: int | None) -> str:
    turns = sum(span.turns for span in spans)
    often = max(spans, key=lambda span: span.turns)
    text = f"{counted(turns, 'turn')}; most often {time_words(often.from_us)} to {time_words(often.to_us)}"
    if limit_us is None:
        return text
    over = sum(span.turns for span in spans if span.from_us >= limit_us)
    return f"{text}; limit {time_words(limit_us)}, {counted(over, 'turn')} above it"


def column(span: Span, across: Scale, up: Scale, limit_us: int | None) -> Svg:
    """Return the column of a span; its numbers appear where the pointer rests on it."""
    left, right = across.at(logarithm(span.from_us)), across.at(logarithm(span.to_us))
    height = max(BOTTOM - up.at(span.turns), LEAST_HEIGHT)
    is_over = limit_us is not None and span.from_us >= limit_us
    return element(
        "rect",
        element("title", f"{time_words(span.from_us)} to {time_words(span.to_us)}: {counted(span.turns, 'turn')}"),
        x=f"{as_text(left)}%",
        y=BOTTOM - height,
        width=f"{as_text(max(right - left - GAP, 0.1))}%",
        height=height,
        fill="currentColor",
        class_="column bad" if is_over else "column",
    )


def scale_words(begin: float, end: float, across: Scale) -> list[Svg]:
    """Return the times below the columns: each ten times the one before, and where there is room those between."""
    steps = (1, 2, 5) if end - begin < FEW_DECADES else (1,)
    times_us = [step * 10**power for power in range(1, 9) for step in steps]
    return [
        part
        for time_us in times_us
        if begin - 0.01 <= log10(time_us) <= end
        for x, anchor in [(across.percent(log10(time_us)), anchor_at(across.at(log10(time_us)), SHORT_WORDS))]
        for part in (
            line(x, BOTTOM, x, BOTTOM + 5, "level"),
            words(x, BOTTOM + 20, time_words(time_us), anchor, "tick"),
        )
    ]


def limit_mark(limit_us: int | None, across: Scale) -> list[Svg]:
    if limit_us is None:
        return []
    place = across.at(logarithm(limit_us))
    x = f"{as_text(place)}%"
    text = words(x, 14, f"limit {time_words(limit_us)}", anchor_at(place, SHORT_WORDS))
    return [element("g", text, line(x, 20, x, BOTTOM, "rule"), class_="event limit")]
