"""A match at a turn, as coloured text: the map; what each seat said, what that took, how its side stands; events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from textwrap import wrap

from rich.text import Text

from cli.match.view.drawn_match import ALL, TALK, Scene
from engine.frames import Cell, Ground, cells_in
from engine.replay import ReplayTurn
from engine.text import counted, one_line, time_words

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

BAR_CHARS = 12
MOST_LINES = 2
WIDEST = 70
"""Columns from a name to the end of the time beside it."""
UNBROKEN = "\N{NO-BREAK SPACE}"


def text_of(pieces: Iterable[tuple[str, str]]) -> Text:
    runs = groupby(pieces, key=itemgetter(1))
    return Text.assemble(*(("".join(piece for piece, _ in run), style) for style, run in runs))


@dataclass(frozen=True, slots=True)
class MapStyle:
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


def picture(scene: Scene, turn: int, look: MapStyle) -> list[Text]:
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
    visible = [event for event in scene.events(turn) if shown in {ALL, event.seat} and len(event.cells) <= MOST_MARKED]
    events = frozenset(cell for event in visible for cell in event.cells)
    view = None if shown == ALL else scene.seen_by(shown, turn)
    if view is None:
        return Overlay(events)
    return Overlay(events, frozenset(cells_in(view.cells)), frozenset(cells_in(view.others)), 1 - shown)


def pieces_of(cell: Cell, number: int, overlay: Overlay, look: MapStyle, *, marked: bool) -> Iterator[tuple[str, str]]:
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


def ground_of(cell: Cell, number: int, overlay: Overlay, look: MapStyle) -> tuple[str, str]:
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


def mark_style(cell: Cell, mark: str, seat: int | None, look: MapStyle) -> str:
    weight = "bold " if mark.isascii() else ""
    if cell.ground is Ground.HELD and look.is_coloured:
        return f"{weight}black on {SEAT_STYLES[cell.owner or 0]}"
    return weight if seat is None else weight + SEAT_STYLES[seat]


def title(scene: Scene) -> str:
    watched = scene.watched
    scores = ":".join("?" if seat.score is None else str(seat.score) for seat in watched.seats)
    players = " - ".join(scene.names)
    return (
        f"{watched.name}: {players} {scores} ({watched.ending}), {watched.game}, {watched.league}, seed {watched.seed}"
    )


def turn_words(scene: Scene, turn: int) -> str:
    if turn == 0:
        return f"the start, before turn 1 of {len(scene.turns)}"
    at_turn = scene.turns[turn - 1]
    return f"turn {turn} of {len(scene.turns)}: seat {at_turn.seat}, its turn {at_turn.own_number}"


def side_lines(scene: Scene, turn: int, seat: int, shown: int, width: int) -> Iterator[Text]:
    """Describe a side after a turn and what it said last. `shown`: for a seat's view, nothing of the other's state."""
    latest = scene.latest(turn, seat)
    yield from name_lines(scene, turn, seat, None if latest is None else time_text(latest), width)
    if shown in {ALL, seat}:
        facts = [f"{fact.title} {fact.values[seat]}" for fact in scene.facts(turn)]
        yield from (Text(f"  {line}") for line in joined(facts, width - 2))
    if known := known_words(scene, turn, seat):
        yield Text(f"  {known}")
    if latest is not None:
        yield from (Text(line) for line in order_lines(latest, width))


def name_lines(scene: Scene, turn: int, seat: int, time: Text | None, width: int) -> Iterator[Text]:
    is_turn = turn > 0 and scene.turns[turn - 1].seat == seat
    name = Text(f"{'▶' if is_turn else ' '}{seat} {scene.names[seat]}", f"bold {SEAT_STYLES[seat]}")
    if time is None:
        yield name
    elif name.cell_len + 1 + time.cell_len > width:
        yield name
        yield Text("  ").append_text(time)
    else:
        gap = min(width, WIDEST) - name.cell_len - time.cell_len
        yield Text.assemble(name, " " * max(1, gap), time)


def known_words(scene: Scene, turn: int, seat: int) -> str:
    """Say in how many cells a side can be, as the other one knows; "" where that is not worked out."""
    view = scene.seen_by(1 - seat, turn)
    if view is None:
        return ""
    return f"can be in {'' if view.exact else 'at most '}{counted(view.count, 'cell')}, as seat {1 - seat} knows"


def joined(pieces: Iterable[str], width: int) -> list[str]:
    words = " · ".join(piece.replace(" ", UNBROKEN) for piece in pieces)
    return [line.replace(UNBROKEN, " ").removesuffix(" ·") for line in wrap(words, width)]


def order_lines(turn: ReplayTurn, width: int) -> list[str]:
    head = f"{turn.own_number:4}: "
    if turn.line is None:
        return [f"{head}(no answer)"]
    words = one_line(turn.line[: MOST_LINES * width]) or "(an empty line)"
    return folded(words, width, head)


def folded(words: str, width: int, head: str = "") -> list[str]:
    """Fold a text into a few lines, the first after a head; what has no room is left out."""
    if len(head) + len(words) <= width:
        return [head + words]
    return wrap(
        words, width, initial_indent=head, subsequent_indent=" " * len(head), max_lines=MOST_LINES, placeholder=" …"
    )


def time_text(turn: ReplayTurn) -> Text:
    charged_us = turn.spent.charged_us
    if turn.limit_ms is None:
        return Text(time_words(charged_us), "dim")
    share = charged_us / (1000 * turn.limit_ms)
    filled = min(BAR_CHARS, round(BAR_CHARS * share))
    style = "red" if share > 1 else "yellow" if share > 0.5 else "green"
    text = Text().append("█" * filled, style).append("░" * (BAR_CHARS - filled), "dim")
    text.append(f" {time_words(charged_us)} of {time_words(1000 * turn.limit_ms)}")
    return text.append(f" ({turn.ruling})", "red") if turn.ruling else text


def event_lines(scene: Scene, turn: int, width: int, *, gravest_first: bool = False) -> Iterator[Text]:
    """Say what happened in a turn, in the seats' colours. `gravest_first`: where there may be no room for all."""
    events = scene.events(turn)
    for event in sorted(events, key=scene.is_damage, reverse=True) if gravest_first else events:
        words = f"says: {event.text}" if event.kind == TALK else event.text
        style = f"{'bold ' if scene.is_damage(event) else ''}{SEAT_STYLES[event.seat]}"
        yield from (Text(line, style) for line in folded(one_line(words), width, f"{event.seat} "))


def legend_lines(scene: Scene, width: int) -> Iterator[Text]:
    if scene.has_pictures and scene.drawing is not None:
        pieces = (f"{marks} {meaning}" for marks, meaning in scene.drawing.legend.items())
        yield from (Text(line, "dim") for line in joined(pieces, width))
