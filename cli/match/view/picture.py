"""A match at a turn, as coloured text: the map, both sides, what happened; where each stands on a screen of any size.

How this works. Above are two lines, the match and its time line, and below one of keys. Between them the map stands on
the left and both sides on its right; what a terminal has left under them belongs to stderr. Where there is no room for
the sides beside the map they stand above it. Where there is plenty, a cell of the map is twice as high, both seats'
stderr stand beside each other with what the seat was sent, and curves are drawn.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise, zip_longest
from operator import itemgetter
from textwrap import wrap

from rich.text import Text

from cli.match.view.drawn_match import ALL, QUIET, TALK, Scene, ViewerPlace
from engine.frames import Cell, Event, Ground, cells_in
from engine.immutable import immutable
from engine.replay import FAULT_KINDS, ReplayTurn
from engine.text import counted, harmless, one_line, time_words

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


@immutable
class MapStyle:
    """How the map is drawn. `scale`: how many lines a cell takes, and twice as many columns."""

    shown: int = ALL
    scale: int = 1
    is_coloured: bool = True


@immutable
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
    numbers = "".join(f"{x % 10:>{look.scale + 1}}{' ' * (look.scale - 1)}" for x in range(len(rows[0])))
    lines = [Text(" " * LABEL_WIDTH + numbers, "dim")]
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
    if shown == ALL or (view := scene.seen_by(shown, turn)) is None:
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
    where = f"{watched.game}, {watched.league}, seed {watched.seed}"
    return f"{watched.name}: {players} {scores} ({watched.ending}), {where}"


def turn_words(scene: Scene, turn: int) -> str:
    if turn == 0:
        return f"the start, before turn 1 of {len(scene.turns)}"
    at_turn = scene.turns[turn - 1]
    return f"turn {turn} of {len(scene.turns)}: seat {at_turn.seat}, its turn {at_turn.own_number}"


def side_lines(scene: Scene, turn: int, seat: int, shown: int, width: int) -> Iterator[Text]:
    """Describe a side after a turn and what it said last. `shown`: for a seat's view, nothing of the other's state."""
    latest = scene.latest(turn, seat)
    is_turn = turn > 0 and scene.turns[turn - 1].seat == seat
    name = Text(f"{'▶' if is_turn else ' '}{seat} {scene.names[seat]}", f"bold {SEAT_STYLES[seat]}")
    yield from [name] if latest is None else beside(name, time_text(latest), width)
    if shown in {ALL, seat}:
        facts = [f"{fact.title} {fact.values[seat]}" for fact in scene.facts(turn)]
        yield from (Text(f"  {line}") for line in joined(facts, width - 2))
    if knowledge := known_words(scene, turn, seat):
        yield Text(f"  {knowledge}")
    if latest is not None:
        words = "(no answer)"
        if latest.line is not None:
            words = one_line(latest.line[: MOST_LINES * width]) or "(an empty line)"
        yield from map(Text, folded(words, width, f"{latest.own_number:4}: "))


def beside(name: Text, time: Text, width: int) -> list[Text]:
    """Return a name with a time at the end of its line, or below it where there is no room."""
    if name.cell_len + 1 + time.cell_len > width:
        return [name, Text("  ").append_text(time)]
    gap = min(width, WIDEST) - name.cell_len - time.cell_len
    return [Text.assemble(name, " " * max(1, gap), time)]


def known_words(scene: Scene, turn: int, seat: int) -> str:
    """Say in how many cells a side can be, as the other one knows; "" where that is not worked out."""
    view = scene.seen_by(1 - seat, turn)
    if view is None:
        return ""
    return f"can be in {'' if view.exact else 'at most '}{counted(view.count, 'cell')}, as seat {1 - seat} knows"


def joined(pieces: Iterable[str], width: int) -> list[str]:
    words = " · ".join(piece.replace(" ", UNBROKEN) for piece in pieces)
    return [line.replace(UNBROKEN, " ").removesuffix(" ·") for line in wrap(words, width)]


def folded(words: str, width: int, head: str = "") -> list[str]:
    """Fold a text into a few lines, the first after a head; what has no room is left out."""
    if len(head) + len(words) <= width:
        return [head + words]
    indent = " " * len(head)
    return wrap(words, width, initial_indent=head, subsequent_indent=indent, max_lines=MOST_LINES, placeholder=" …")


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


STEPS = "▁▂▃▄▅▆▇█"


def time_line(scene: Scene, turn: int, width: int) -> Text:
    """Draw all turns from left to right; in each column the gravest thing that happened in its turns."""
    marks = list(marks_of(scene, width))
    column = turn * width // (len(scene.turns) + 1)
    mark, style = marks[column]
    marks[column] = mark, f"{style} reverse"
    return text_of(marks)


@lru_cache(maxsize=8)
def marks_of(scene: Scene, width: int) -> list[tuple[str, str]]:
    first = [-(-column * (len(scene.turns) + 1) // width) for column in range(width + 1)]
    return [
        mark_of(scene, [event for number in range(begin, end) for event in scene.events(number)])
        for begin, end in pairwise(first)
    ]


def mark_of(scene: Scene, events: Sequence[Event]) -> tuple[str, str]:
    kinds: tuple[tuple[str, str, Callable[[Event], bool]], ...] = (
        ("✗", "bold ", lambda event: event.kind in FAULT_KINDS),
        ("◆", "", scene.is_damage),
        ("•", "dim ", lambda event: event.kind not in QUIET),
    )
    for mark, weight, is_such in kinds:
        if event := next(filter(is_such, events), None):
            return mark, f"{weight}{SEAT_STYLES[event.seat]}"
    return "─", "dim"


def curve_lines(scene: Scene, turn: int, width: int) -> Iterator[Text]:
    for curve in scene.watched.replay.curves:
        if numbers := [value for values in curve.values for value in values if value is not None]:
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


def stderr_lines(scene: Scene, place: ViewerPlace, width: int, height: int, seat: int | None = None) -> list[Text]:
    turn = turn_of(scene, place, seat)
    if turn is None:
        return [heading("stderr", width)]
    lines = turn.stderr.rstrip("\n").split("\n") if turn.stderr else []
    scroll = place.scroll if turn.number == place.turn else 0
    return frame_lines(f"stderr of seat {turn.seat}", lines, scroll, place.sought, width, height)


def input_lines(scene: Scene, place: ViewerPlace, width: int, height: int) -> list[Text]:
    turn = turn_of(scene, place, None)
    if turn is None:
        return [heading("input", width)]
    if turn.input is None:
        return [heading(f"input of seat {turn.seat}: not known by the rules of today", width)]
    return frame_lines(f"input of seat {turn.seat}", turn.input, place.scroll, "", width, height)


def turn_of(scene: Scene, place: ViewerPlace, seat: int | None) -> ReplayTurn | None:
    """Return the turn that is looked at, or a seat's latest one up to it; None at the start."""
    if seat is not None:
        return scene.latest(place.turn, seat)
    return scene.turns[place.turn - 1] if place.turn else None


def heading(words: str, width: int) -> Text:
    return Text(f"── {words} {'─' * width}"[:width], "dim")


def frame_lines(words: str, lines: Sequence[str], scroll: int, sought: str, width: int, height: int) -> list[Text]:
    """Return lines under their heading, from the one that is scrolled to; the heading says how many there are."""
    if not lines:
        return [heading(f"{words}: nothing", width)]
    first = max(0, min(scroll, len(lines) - height + 1))
    visible = lines[first : first + height - 1]
    count = f", {counted(len(lines), 'line')}"
    if len(visible) < len(lines):
        count = f": lines {first + 1} to {first + len(visible)} of {len(lines)}, PgDn"
    return [heading(words + count, width), *(mark_sought(line, sought, width) for line in visible)]


def mark_sought(line: str, sought: str, width: int) -> Text:
    """Return the beginning of a line as it can be shown, with the words marked that are looked for."""
    visible = harmless(line[: 2 * width]).expandtabs(4)
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


def fit_line(line: Text, width: int) -> Text:
    whole = line.copy()
    whole.truncate(width, overflow="crop", pad=True)
    return whole


def screen(scene: Scene, place: ViewerPlace, width: int, height: int, *, is_coloured: bool = True) -> list[Text]:
    columns = max(width, NARROWEST)
    lines = [*_upper(scene, place, columns, height, is_coloured=is_coloured)]
    last = last_lines(place, width)[: max(0, height - 1)]
    room = height - len(lines) - len(last)
    if room > 1:
        lines += _lower(scene, place, columns, room)
    lines = [*lines, *[Text()] * height][: height - len(last)]
    return [fit_line(line, width) for line in [*lines, *last]]


def last_lines(place: ViewerPlace, width: int) -> list[Text]:
    if place.typed is not None:
        keys = ("  Enter: find in stderr, Esc: do not", "dim")
        return [Text.assemble("/", place.typed, (" ", "reverse"), keys)]
    if place.note:
        return [Text(line, "bold") for line in folded(place.note, width)]
    return [Text(next((line for line in KEYS_LINES if len(line) <= width), KEYS_LINES[-1]), "dim")]


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
            yield Text.assemble(fit_line(left or Text(), columns), " " * GAP, right or "")
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
    gap = [Text()] if is_roomy else []
    for seat in scene.seats:
        yield from (*gap, *side_lines(scene, place.turn, seat, place.shown, width))
    yield from (*gap, *event_lines(scene, place.turn, width, gravest_first=True))
    if is_roomy:
        yield from (*gap, *curve_lines(scene, place.turn, width), *gap, *legend_lines(scene, width))


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
        Text(" " * GAP).join([*(fit_line(line or Text(), column) for line in lines[:-1]), lines[-1] or Text()])
        for lines in zip_longest(*parts)
    ]
