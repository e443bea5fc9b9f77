"""The map of a match at a turn, as coloured text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from rich.text import Text

from cli.match.view.scene import ALL, Scene
from engine.frames import Cell, Ground, cells_in


def text_of(pieces: Iterable[tuple[str, str]]) -> Text:
    runs = groupby(pieces, key=itemgetter(1))
    return Text.assemble(*(("".join(piece for piece, _ in run), style) for style, run in runs))


SEAT_STYLES = ("cyan", "magenta", "green", "yellow", "blue", "red", "bright_cyan", "bright_magenta")
EVENT_STYLE = "bold black on yellow"
"""Of the cells of the turn's events."""
MOST_MARKED = 9
"""Cells: the events of larger areas are not marked, as they would cover what stands there."""
POSSIBLE = "░"
"""In a cell where the opponent can be, as far as the seat knows..."""
POSSIBLE_OTHER = "'"
"""... or where it can have mines or the like."""
EMPTY = " ·"
"""What shows an open cell in which nothing is."""
LABEL_WIDTH = 3
"""Columns before a row, for its number."""
FILLS = {Ground.OPEN: (" ", " "), Ground.CLOSED: ("#", "#"), Ground.HELD: ("-", "="), Ground.IDLE: (",", ";")}
"""What shows the ground where there are no colours: of seat 0, of seat 1."""


@dataclass(frozen=True, slots=True)
class Look:
    """How the map is drawn. `scale`: how many lines a cell takes, and twice as many columns."""

    shown: int = ALL
    scale: int = 1
    is_coloured: bool = True


@dataclass(frozen=True, slots=True)
class Overlay:
    """What is drawn over the map. `possible`, `others`: see engine.frames.View; `seat`: whose place they speak of."""

    events: frozenset[int] = frozenset()
    possible: frozenset[int] = frozenset()
    others: frozenset[int] = frozenset()
    seat: int = 0


def size_of(scene: Scene, scale: int) -> tuple[int, int]:
    """Return how many columns and lines the map takes; 0 and 0 where there is none."""
    setup = scene.setup
    if not scene.has_pictures or setup is None:
        return 0, 0
    width, height = setup["width"], setup["height"]
    return LABEL_WIDTH + 2 * scale * width, 1 + scale * height


def picture(scene: Scene, turn: int, look: Look) -> list[Text]:
    """Draw the map after a turn, the numbers of columns and rows beside it; nothing where it cannot be drawn."""
    rows = scene.rows(turn, look.shown)
    if not rows:
        return []
    overlay = overlay_of(scene, turn, look.shown)
    lines = [
        Text(
            " " * LABEL_WIDTH
            + "".join(f"{x % 10:>{look.scale + 1}}{' ' * (look.scale - 1)}" for x in range(len(rows[0]))),
            "dim",
        )
    ]
    for y, row in enumerate(rows):
        for line in range(look.scale):
            label = f"{y:2} " if line == 0 else " " * LABEL_WIDTH
            cells = (
                piece
                for x, cell in enumerate(row)
                for piece in pieces_of(cell, len(row) * y + x, overlay, look, marked=line == 0)
            )
            lines.append(text_of([(label, "dim"), *cells]))
    return lines


def overlay_of(scene: Scene, turn: int, shown: int) -> Overlay:
    seen = [event for event in scene.events(turn) if shown in {ALL, event.seat} and len(event.cells) <= MOST_MARKED]
    events = frozenset(cell for event in seen for cell in event.cells)
    view = None if shown == ALL else scene.seen_by(shown, turn)
    if view is None:
        return Overlay(events)
    return Overlay(events, frozenset(cells_in(view.cells)), frozenset(cells_in(view.others)), 1 - shown)


def pieces_of(cell: Cell, number: int, overlay: Overlay, look: Look, *, marked: bool) -> Iterator[tuple[str, str]]:
    """Yield one line of a cell, each piece with its style. `marked`: whether it is the line in which things stand."""
    fill, style = ground_of(cell, number, overlay, look)
    text = cell.text if marked else "  "
    is_empty = marked and text == "  " and cell.ground is Ground.OPEN and fill == " "
    edge = fill * (look.scale - 1)
    event_style = (EVENT_STYLE if look.is_coloured else "reverse") if number in overlay.events else ""
    yield edge, event_style or style
    for mark, seat in zip(EMPTY if is_empty else text, cell.seats, strict=True):
        if mark == " ":
            yield fill, event_style or style
        else:
            yield mark, event_style or ("dim" if is_empty else mark_style(cell, mark, seat, look))
    yield edge, event_style or style


def ground_of(cell: Cell, number: int, overlay: Overlay, look: Look) -> tuple[str, str]:
    if number in overlay.possible:
        return POSSIBLE, SEAT_STYLES[overlay.seat]
    if number in overlay.others:
        return POSSIBLE_OTHER, SEAT_STYLES[overlay.seat]
    if not look.is_coloured:
        return FILLS[cell.ground][cell.owner or 0], ""
    owner = SEAT_STYLES[cell.owner or 0]
    return {
        Ground.OPEN: (" ", ""),
        Ground.CLOSED: (" ", "on bright_black"),
        Ground.HELD: (" ", f"on {owner}"),
        Ground.IDLE: ("/", owner),
    }[cell.ground]


def mark_style(cell: Cell, mark: str, seat: int | None, look: Look) -> str:
    weight = "bold " if mark.isascii() else ""
    if cell.ground is Ground.HELD and look.is_coloured:
        return f"{weight}black on {SEAT_STYLES[cell.owner or 0]}"
    return weight if seat is None else weight + SEAT_STYLES[seat]
