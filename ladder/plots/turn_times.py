"""What turns took over a match, by their numbers: half of the matches, and 95 % of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.text import counted, time_words
from ladder.plots.svg import (
    Scale,
    Svg,
    area,
    curve,
    element,
    levels,
    line,
    picture,
    sheet,
    ticks,
    words,
)

HEIGHT = 210
TOP, BOTTOM = 30, 178
LEFT, RIGHT = 7.0, 99.0
"""Where the first turn lies and the last, in percent."""
LIMIT_WITHIN = 2
"""A limit is drawn that is at most so many times the longest time."""


@dataclass(frozen=True, slots=True)
class TurnSpan:
    """A turn's median and the time that 95 % of the matches kept, in microseconds."""

    number: int
    median_us: int
    most_us: int


def turn_plot(name: str, turns: Sequence[TurnSpan], limit_ms: int | None) -> Svg:
    """Draw at least two turns, in their order. `limit_ms`: of all but the first turn; None where there is none."""
    longest_ms = max(turn.most_us for turn in turns) / 1000
    limit = limit_ms if limit_ms is not None and limit_ms <= LIMIT_WITHIN * longest_ms else None
    across = Scale(turns[0].number, turns[-1].number, LEFT, RIGHT)
    up = Scale(0, max(longest_ms, limit or 0), BOTTOM, TOP)
    places = [across.on_sheet(turn.number) for turn in turns]
    median = [(x, up.at(turn.median_us / 1000)) for x, turn in zip(places, turns, strict=True)]
    most = [(x, up.at(turn.most_us / 1000)) for x, turn in zip(places, turns, strict=True)]
    slowest = max(turns, key=lambda turn: turn.median_us)
    return picture(
        HEIGHT,
        f"time charged by turn of {name}",
        f"{counted(len(turns), 'turn')}; highest median {time_words(slowest.median_us)} in turn {slowest.number}",
        *levels(up),
        sheet(HEIGHT, area([*most, *median[::-1]], "band"), curve(median, "curve")),
        *([] if limit is None else [limit_mark(limit, up.at(limit))]),
        words("0%", 14, "ms", class_="tick"),
        *(words(across.percent(number), HEIGHT - 12, f"{number:.0f}", "middle", "tick") for number in numbers(turns)),
    )


def numbers(turns: Sequence[TurnSpan]) -> list[float]:
    return [number for number in ticks(turns[0].number, turns[-1].number) if number == int(number)]


def limit_mark(limit_ms: int, y: float) -> Svg:
    text = words("100%", y - 4, f"limit {limit_ms} ms", "end")
    return element("g", text, line("0%", y, "100%", y, "rule"), class_="event limit")
