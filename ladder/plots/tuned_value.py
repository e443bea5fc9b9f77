"""The value of a parameter over the pairs of a tune: a line within its band, from the start through its range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.plots.svg import SHEET_WIDTH, Scale, Svg, area, curve, levels, line, picture, sheet, words

HEIGHT = 170
TOP, BOTTOM = 12, 144
"""Where the values lie; below are the numbers of pairs."""
LEFT, RIGHT = 8.0, 99.0
"""Where the first pair lies and the last, in percent."""
WORDS_BELOW = HEIGHT - 8


@dataclass(frozen=True, slots=True)
class Value:
    """A value after so many pairs, with what luck leaves open about it."""

    pairs: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Range:
    """Where a parameter can lie, ends included, and where it began. `words`: what whole numbers from 0 stand for."""

    low: float
    high: float
    start: float
    words: tuple[str, ...] = ()


def value_plot(name: str, values: Sequence[Value], within: Range, pairs: int) -> Svg:
    """Draw how a value moved. `values`: at least one, in their order; `pairs`: that are to be played."""
    across, up = Scale(0, pairs, LEFT, RIGHT), Scale(within.low, within.high, BOTTOM, TOP)
    first, last = values[0], values[-1]
    upper = [(across.on_sheet(one.pairs), up.at(one.high)) for one in values]
    lower = [(across.on_sheet(one.pairs), up.at(one.low)) for one in values]
    middle = [(across.on_sheet(one.pairs), up.at(one.value)) for one in values]
    if len(values) == 1:
        middle = [(0.0, middle[0][1]), (float(SHEET_WIDTH), middle[0][1])]
    return picture(
        HEIGHT,
        f"{name} over the pairs",
        f"from {within.start:g} to {last.value:g} ({last.low:g} to {last.high:g}) after {last.pairs} of {pairs} pairs; "
        f"its range is {within.low:g} to {within.high:g}",
        *(named_levels(up, within.words) if within.words else levels(up, most=4)),
        line(f"{LEFT:g}%", up.at(within.start), f"{RIGHT:g}%", up.at(within.start), "rule"),
        sheet(HEIGHT, area([*upper, *lower[::-1]], "band"), curve(middle, "curve")),
        words(across.percent(first.pairs), WORDS_BELOW, f"{first.pairs:,}", class_="tick"),
        words(across.percent(pairs), WORDS_BELOW, f"{pairs:,} pairs", "end", "tick"),
    )


def named_levels(up: Scale, names: Sequence[str]) -> list[Svg]:
    """Return a line across the picture, with its word, for each of the values that have names."""
    return [
        part
        for value, name in enumerate(names)
        for part in (
            line("0%", up.at(value), "100%", up.at(value), "level"),
            words("0%", up.at(value) - 3, name, class_="tick"),
        )
    ]
