"""A whole screen of the viewer: which part of a match stands where, for a terminal of any size.

How this works. Above are two lines, the match and its time line, and below one of keys. Between them the map stands on
the left and both sides on its right; what a terminal has left under them belongs to stderr. Where there is no room for
the sides beside the map they stand above it. Where there is plenty, a cell of the map is twice as high, both seats'
stderr stand beside each other with what the seat was sent, and curves are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.text import Text

from cli.match.view.drawn_match import ALL, QUIET, Scene
from cli.match.view.picture import (
    POSSIBLE,
    POSSIBLE_OTHER,
    SEAT_STYLES,
    MapStyle,
    event_lines,
    legend_lines,
    picture,
    side_lines,
    size_of,
    text_of,
    title,
    turn_words,
)
from engine.frames import Event, cells_in
from engine.replay import FAULT_KINDS, ReplayTurn
from engine.text import counted, harmless

if TYPE_CHECKING:
    from cli.match.view.drawn_match import ViewerPlace

STEPS = "▁▂▃▄▅▆▇█"


def time_line(scene: Scene, turn: int, width: int) -> Text:
    """Draw all turns from left to right; in each column the gravest thing that happened in its turns."""
    own_column = turn * width // (len(scene.turns) + 1)
    marks = marks_of(scene, width)
    return text_of(
        (mark, f"{style} reverse" if column == own_column else style) for column, (mark, style) in enumerate(marks)
    )


@lru_cache(maxsize=8)
def marks_of(scene: Scene, width: int) -> list[tuple[str, str]]:
    first = [-(-column * (len(scene.turns) + 1) // width) for column in range(width + 1)]
    return [
        mark_of(scene, [event for number in range(begin, end) for event in scene.events(number)])
        for begin, end in pairwise(first)
    ]


def mark_of(scene: Scene, events: Sequence[Event]) -> tuple[str, str]:
    for event in events:
        if event.kind in FAULT_KINDS:
            return "✗", f"bold {SEAT_STYLES[event.seat]}"
    for event in events:
        if scene.is_damage(event):
            return "◆", SEAT_STYLES[event.seat]
    for event in events:
        if event.kind not in QUIET:
            return "•", f"dim {SEAT_STYLES[event.seat]}"
    return "─", "dim"


def curve_lines(scene: Scene, turn: int, width: int) -> Iterator[Text]:
    for curve in scene.watched.replay.curves:
        numbers = [value for values in curve.values for value in values if value is not None]
        if not numbers:
            continue
        yield Text(f"{curve.kind.title}, {min(numbers):g} to {max(numbers):g}", "dim")
        for seat, values in enumerate(curve.values):
            yield curve_line(values, (min(numbers), max(numbers)), turn, width, SEAT_STYLES[seat])


def curve_line(values: Sequence[float | None], bounds: tuple[float, float], turn: int, width: int, style: str) -> Text:
    low, high = bounds
    number = values[turn]
    value_here = "?" if number is None else f"{number:g}"
    columns = max(1, width - 8)
    pieces = []
    for column in range(columns):
        value = values[column * len(values) // columns]
        step = 0 if value is None or high == low else round((value - low) / (high - low) * (len(STEPS) - 1))
        at_turn = column == turn * columns // len(values)
        pieces.append((" " if value is None else STEPS[step], f"{style} reverse" if at_turn else style))
    return text_of([*pieces, (f" {value_here:>6}", f"bold {style}")])


TAB = 4


def stderr_lines(scene: Scene, place: ViewerPlace, width: int, height: int, seat: int | None = None) -> list[Text]:
    turn = turn_of(scene, place, seat)
    if turn is None:
        return [heading("stderr", width)]
    lines = turn.stderr.rstrip("\n").split("\n") if turn.stderr else []
    scroll = place.scroll if turn.number == place.turn else 0
    return framed(f"stderr of seat {turn.seat}", lines, scroll, place.sought, width, height)


def input_lines(scene: Scene, place: ViewerPlace, width: int, height: int) -> list[Text]:
    turn = turn_of(scene, place, None)
    if turn is None:
        return [heading("input", width)]
    if turn.input is None:
        return [heading(f"input of seat {turn.seat}: not known by the rules of today", width)]
    return framed(f"input of seat {turn.seat}", turn.input, place.scroll, "", width, height)


def turn_of(scene: Scene, place: ViewerPlace, seat: int | None) -> ReplayTurn | None:
    """Return the turn that is looked at, or a seat's latest one up to it; None at the start."""
    if seat is not None:
        return scene.latest(place.turn, seat)
    return scene.turns[place.turn - 1] if place.turn else None


def heading(words: str, width: int) -> Text:
    return Text(f"── {words} {'─' * width}"[:width], "dim")


def framed(words: str, lines: Sequence[str], scroll: int, sought: str, width: int, height: int) -> list[Text]:
    """Return lines under their heading, from the one that is scrolled to; the heading says how many there are."""
    if not lines:
        return [heading(f"{words}: nothing", width)]
    first = max(0, min(scroll, len(lines) - height + 1))
    visible = lines[first : first + height - 1]
    hidden = len(lines) - len(visible)
    count = (
        f": lines {first + 1} to {first + len(visible)} of {len(lines)}, PgDn"
        if hidden
        else f", {counted(len(lines), 'line')}"
    )
    return [heading(words + count, width), *(marked(line, sought, width) for line in visible)]


def marked(line: str, sought: str, width: int) -> Text:
    """Return the beginning of a line as it can be shown, with the words marked that are looked for."""
    visible = harmless(line[: 2 * width]).expandtabs(TAB)
    text = Text(visible)
    if sought:
        words, begin = sought.casefold(), -1
        while (begin := visible.casefold().find(words, begin + 1)) >= 0:
            text.stylize("reverse", begin, begin + len(sought))
    return text


LEAST_SIDES = 26
"""Columns that both sides need beside the map..."""
ROOMY_SIDES = 60
"""... and that they get before the map is drawn larger."""
LEAST_LOWER = 5
"""Lines of the lower part."""
WIDE = 120
"""From this width on the lower part has several columns."""
NARROWEST = 20
"""Columns for which texts are folded at least: in a narrower terminal their ends are not seen."""
MOST_BESIDE = 2
"""Of so many seats the stderr stands beside each other; of more only that of the seat whose turn it is."""
GAP = 2
KEYS_LINES = (
    "←→ turn  ↑↓ own turn  n p event  d damage  t turning point  v view  i input  / find  e pager  q quit",
    "←→ turn ↑↓ own n p event d damage t turning v view i input / find e pager q",
    "←→ turn  n p event  q quit",
    "q quit",
)
"""The keys, in as many words as there is room for."""


def fitted(line: Text, width: int) -> Text:
    whole = line.copy()
    whole.truncate(width, overflow="crop", pad=True)
    return whole


def screen(scene: Scene, place: ViewerPlace, width: int, height: int, *, is_coloured: bool = True) -> list[Text]:
    columns = max(width, NARROWEST)
    lines = [*_upper(scene, place, columns, height, is_coloured=is_coloured)]
    room = height - len(lines) - 1
    if room > 1:
        lines += _lower(scene, place, columns, room)
    return [fitted(line, width) for line in [*lines, *[Text()] * height][: max(1, height - 1)]] + (
        [fitted(last_line(place, width), width)] if height > 1 else []
    )


def last_line(place: ViewerPlace, width: int) -> Text:
    if place.typed is not None:
        return (
            Text("/").append(place.typed).append(" ", "reverse").append("  Enter: find in stderr, Esc: do not", "dim")
        )
    if place.note:
        return Text(place.note, "bold")
    return Text(next((line for line in KEYS_LINES if len(line) <= width), KEYS_LINES[-1]), "dim")


def _upper(scene: Scene, place: ViewerPlace, width: int, height: int, *, is_coloured: bool) -> Iterator[Text]:
    yield Text(title(scene), "bold")
    yield time_line(scene, place.turn, width)
    columns, lines = size_of(scene, 2)
    scale = 2 if width - columns - GAP >= ROOMY_SIDES and height - lines - 3 >= LEAST_LOWER else 1
    columns, _ = size_of(scene, scale)
    pictured = picture(scene, place.turn, MapStyle(place.shown, scale, is_coloured))
    if columns and width - columns - GAP >= LEAST_SIDES:
        sides = [*_sides(scene, place, width - columns - GAP, is_roomy=scale > 1)]
        most = max(len(pictured), height - 3 - LEAST_LOWER)
        if len(sides) > most:
            sides[most - 1 :] = [Text("… more in a larger terminal, or with --turn", "dim")]
        for left, right in zip_longest(pictured, sides):
            yield Text.assemble(fitted(left or Text(), columns), " " * GAP, right or "")
    else:
        yield from _sides(scene, place, width, is_roomy=False)
        yield from pictured


def _sides(scene: Scene, place: ViewerPlace, width: int, *, is_roomy: bool) -> Iterator[Text]:
    yield Text(turn_words(scene, place.turn), "bold")
    if place.shown != ALL:
        words = f"what seat {place.shown} sees: {POSSIBLE} can be seat {1 - place.shown}"
        view = scene.seen_by(place.shown, place.turn)
        if view is not None and cells_in(view.others):
            words += f", {POSSIBLE_OTHER} its mines"
        yield from (Text(line, "bold") for line in wrap(words, width))
    if scene.watched.replay.fault:
        yield Text(f"no pictures: {scene.watched.replay.fault}", "red")
    for seat in scene.seats:
        if is_roomy:
            yield Text()
        yield from side_lines(scene, place.turn, seat, place.shown, width)
    if is_roomy:
        yield Text()
    yield from event_lines(scene, place.turn, width, gravest_first=True)
    if is_roomy:
        yield Text()
        yield from curve_lines(scene, place.turn, width)
        yield Text()
        yield from legend_lines(scene, width)


def _lower(scene: Scene, place: ViewerPlace, width: int, height: int) -> list[Text]:
    if width < WIDE:
        lines = input_lines if place.is_input else stderr_lines
        return lines(scene, place, width, height)
    of_seats = scene.seats if len(scene.seats) <= MOST_BESIDE else (None,)
    columns = len(of_seats) + 1
    column = (width - len(of_seats) * GAP) // columns
    parts = [
        *(stderr_lines(scene, place, column, height, seat) for seat in of_seats),
        input_lines(scene, place, width - len(of_seats) * (column + GAP), height),
    ]
    return [
        Text(" " * GAP).join([*(fitted(line or Text(), column) for line in lines[:-1]), lines[-1] or Text()])
        for lines in zip_longest(*parts)
    ]
