"""All turns of a match in one line, with marks where something happened; and its curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from rich.text import Text

from cli.match.view.picture import SEAT_STYLES
from cli.match.view.runs import text_of
from cli.match.view.scene import FAULTS, QUIET

if TYPE_CHECKING:
    from cli.match.view.scene import Scene
    from engine.frames import Event

STEPS = "▁▂▃▄▅▆▇█"


def time_line(scene: Scene, turn: int, width: int) -> Text:
    """Draw all turns from left to right; in each column the gravest thing that happened in its turns."""
    here = column_of(turn, len(scene.turns), width)
    marks = marks_of(scene, width)
    return text_of(
        (mark, f"{style} reverse" if column == here else style) for column, (mark, style) in enumerate(marks)
    )


@lru_cache(maxsize=8)
def marks_of(scene: Scene, width: int) -> list[tuple[str, str]]:
    """Return the mark and style of each column of the time line."""
    first = [first_turn(column, len(scene.turns), width) for column in range(width + 1)]
    return [
        mark_of(scene, [event for number in range(begin, end) for event in scene.events(number)])
        for begin, end in pairwise(first)
    ]


def column_of(turn: int, count: int, width: int) -> int:
    """Return the column in which a turn is drawn."""
    return turn * width // (count + 1)


def first_turn(column: int, count: int, width: int) -> int:
    """Return the first turn that is drawn in a column."""
    return -(-column * (count + 1) // width)


def mark_of(scene: Scene, events: Sequence[Event]) -> tuple[str, str]:
    """Return the mark and style of the gravest of some events."""
    for event in events:
        if event.kind in FAULTS:
            return "✗", f"bold {SEAT_STYLES[event.seat]}"
    for event in events:
        if scene.is_damage(event):
            return "◆", SEAT_STYLES[event.seat]
    for event in events:
        if event.kind not in QUIET:
            return "•", f"dim {SEAT_STYLES[event.seat]}"
    return "─", "dim"


def curve_lines(scene: Scene, turn: int, width: int) -> Iterator[Text]:
    """Draw each curve of the match: its title, then a line for each seat, with the number at this turn."""
    for curve in scene.watched.replay.curves:
        known = [value for values in curve.values for value in values if value is not None]
        if not known:
            continue
        yield Text(f"{curve.kind.title}, {min(known):g} to {max(known):g}", "dim")
        for seat, values in enumerate(curve.values):
            yield curve_line(values, (min(known), max(known)), turn, width, SEAT_STYLES[seat])


def curve_line(values: Sequence[float | None], bounds: tuple[float, float], turn: int, width: int, style: str) -> Text:
    """Draw one curve. `bounds`: its lowest and its highest value."""
    low, high = bounds
    number = values[turn]
    here = "?" if number is None else f"{number:g}"
    columns = max(1, width - 8)
    pieces = []
    for column in range(columns):
        value = values[column * len(values) // columns]
        step = 0 if value is None or high == low else round((value - low) / (high - low) * (len(STEPS) - 1))
        at_turn = column == turn * columns // len(values)
        pieces.append((" " if value is None else STEPS[step], f"{style} reverse" if at_turn else style))
    return text_of([*pieces, (f" {here:>6}", f"bold {style}")])
