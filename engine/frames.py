"""What a game may bring so that people can see its matches: pictures made by its own rules, and what a seat could know.

How this works. A game's `frames.py` defines `frames(seed, rules_level, limits)`. It returns a `Frames`: the game's own
referee, led on sides that note what happens to them. `engine.replay` leads that conversation with the lines of a match
and asks after each turn for the state, the events and the numbers of the curves: no rule is written twice.

It may also define `knowledge(rules_level, inputs, lines)`: what a seat could know of the other side, from nothing but
the lines that were sent to that seat and those that it said itself.

It may define `unused(setup, state, seat)` too: what a side has in a state and does not use, in words that stay the same
while it does not: ["torpedo"].

Its `draw.js` draws the states in a browser: a module without imports, whose functions read nothing but what they get,
so that the same scene is always the same picture. `setup` and `state` are those of `Frames`, as JSON.

    aspect(setup)                height / width of the picture
    cellAt(setup, size, x, y)    the cell at a point of a picture that is `size` CSS pixels wide, or null
    drawn(setup, state)          what is seen of a state: [{cell, what, seat, amount}, ...]; seat null: of none
    facts(setup, state)          numbers beside it: [{title, values: [text of seat 0, text of seat 1]}, ...]
    draw(context, scene)         draws on a CanvasRenderingContext2D, on which one unit is one CSS pixel

A scene has `setup`; `before` (null at the start), `state` and `progress` (0 to 1) between both; `events` of this turn;
`views`: what seat 0 and 1 could know (a `View` or null); `shown`: -1 for all, or the seat whose view is drawn; `size`:
the width in CSS pixels; `colours`, each as #rrggbb: `ground`, `ink`, `quiet`, `line`, and by seat `seats` and `soft`.

Its `draw.py` may say how a state looks as text: `rows`, `facts` and `LEGEND`; see `TextDrawing`.

A cell in states, events and views is one number: `width * y + x`. A set of cells is a text of hexadecimal digits, the
lowest bit standing for cell 0.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

from engine.conversation import Referee
from engine.immutable import immutable
from engine.text import BLANKS

DRAWING_FUNCTIONS = ("aspect", "cellAt", "draw", "drawn", "facts")


@immutable
class Event:
    """`seat`: whose doing it was, or whom it befell. `text`: without its subject, the seat: "Fires a torpedo at 3 5."
    `amount`: of lives, units, gold; 0 where nothing is counted.
    """

    kind: str
    seat: int
    text: str
    cells: tuple[int, ...] = ()
    amount: int = 0


@immutable
class CurveKind:
    """A number of each side that is drawn over the turns."""

    key: str
    title: str
    unit: str


@immutable
class Damage:
    """Which events bring a side nearer to losing, and which one is its end, with words for people. `kind`: of events
    whose `seat` comes nearer to losing; `title`: several of them: "hits taken". `end_kind`: of the event with which a
    side has lost; `end_title`: that the side is so: "sunk". `causes`: by what it can come, for kinds of events that
    stand before it in its turn: {"trigger": "mine"}. `setbacks`: words for kinds of events that cost their `seat`
    something else, as many as their amount says: {"cut_off": "cut off"}.
    """

    kind: str
    title: str
    end_kind: str
    end_title: str
    causes: Mapping[str, str] = field(default_factory=dict[str, str])
    setbacks: Mapping[str, str] = field(default_factory=dict[str, str])


@immutable
class View:
    """`cells`: where the opponent can be, `count` of them; `others`: its mines or the like. `exact`: each is really
    possible; else the sets may be wider than need be.
    """

    cells: str
    others: str
    count: int
    exact: bool


class Frames(Protocol):
    """A match as its game's rules see it, turn by turn."""

    referee: Referee
    """The conversation. What follows speaks of it as far as it has been led."""
    setup: Mapping[str, object]
    """What never changes: at least `width` and `height` of the map, in cells."""
    curves: Sequence[CurveKind]
    damage: Damage | None
    """None in a game in which no side comes nearer to losing step by step."""

    def state(self) -> Mapping[str, object]:
        """As JSON can hold it."""
        ...

    def events(self, seat: int, line: str | None) -> list[Event]:
        """Since the last call, in the turn in which `seat` said `line`."""
        ...

    def values(self) -> Sequence[tuple[float, float]]: ...

    def advantage(self) -> float:
        """In the game's own measure; negative where seat 0 is behind."""
        ...


def messages(seat: int, line: str | None, separator: str) -> list[Event]:
    """`separator` stands between orders."""
    orders = [order.strip(BLANKS) for order in (line or "").split(separator)]
    return [Event("message", seat, order[4:]) for order in orders if order.startswith("MSG ")]


Knowledge: TypeAlias = Callable[[int, Sequence[Sequence[str]], Sequence[str | None]], Iterable[View]]
"""Works out what a seat could know, from the rules level, what the seat was sent each time, and what it said: as many
or one fewer."""
Unused: TypeAlias = Callable[[Mapping[str, Any], Mapping[str, Any], int], Sequence[str]]
"""Says what a side has in a state, and does not use: of the setup, the state and the seat."""


class Ground(StrEnum):
    """`CLOSED`: nothing can stand there. `HELD`: it has an owner. `IDLE`: it has one, who gets nothing from it now."""

    OPEN = "open"
    CLOSED = "closed"
    HELD = "held"
    IDLE = "idle"


@immutable
class Cell:
    """Two characters, of which blanks show the ground; those beyond ASCII are drawn lighter. `seats`: whose each is;
    None: neither's. `owner`: of the ground.
    """

    text: str = "  "
    seats: tuple[int | None, int | None] = (None, None)
    ground: Ground = Ground.OPEN
    owner: int | None = None


@immutable
class Fact:
    """Something that a state says of both sides, as people read it: `Lives`, `6` and `4`."""

    title: str
    values: tuple[str, str]


@immutable
class TextDrawing:
    """How states look as text. `rows(setup, state, shown)`: the map's cells; `shown`: -1 for all, 0 or 1 for what that
    seat could see. `facts(setup, state)`: what else is so of both sides. `legend`: what the characters mean, in a few
    words.
    """

    rows: Callable[[Mapping[str, Any], Mapping[str, Any], int], Sequence[Sequence[Cell]]]
    facts: Callable[[Mapping[str, Any], Mapping[str, Any]], Sequence[Fact]]
    legend: Mapping[str, str]


def set_text(cells: int, row_starts: Sequence[int], width: int) -> str:
    """`row_starts`: the board's numbers of the first cells of its rows."""
    row = (1 << width) - 1
    return f"{sum((cells >> start & row) << width * y for y, start in enumerate(row_starts)):x}"


def cells_in(text: str) -> set[int]:
    bits = int(text, 16)
    return {cell for cell in range(bits.bit_length()) if bits >> cell & 1}
