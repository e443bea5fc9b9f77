"""The page of a match shows exactly what the rules have: what it says it draws, and the colours of its pixels."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from engine.frames import View, cells_in
from ladder.viewer import page_of
from ladder.views.turns.watched_match import WatchedMatch
from tests.browser.pages import Pages, opened
from tests.catalogue import GAMES
from tests.watching import watched

if TYPE_CHECKING:
    from playwright.sync_api import Page

RICH = 75
"""Matches of this many turns have events of nearly every kind."""
MARGIN = 0.8  # cells
EDGE = 0.2
TOLERANCE = 3  # of 255, for the rounding of mixed colours

Colour = tuple[int, int, int]
Thing = tuple[int, str, int | None, int | None, int | None]
"""What is drawn: cell, what it is, seat, amount, id."""


@dataclass(frozen=True)
class Look:
    """The colours of a picture. `ground`, `seats`: the page's; `own`: those of the drawing, by what they are for."""

    ground: Colour
    seats: tuple[Colour, Colour]
    own: Mapping[str, Colour]


def colour(text: str) -> Colour:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


OCEAN = {
    False: {"sea": colour("#d5e7ef"), "grass": colour("#9fba87"), "night": colour("#33506a")},
    True: {"sea": colour("#16303f"), "grass": colour("#47633f"), "night": colour("#000a12")},
}
WAR = {
    False: {"floor": colour("#ebe7dd"), "gold": colour("#b9820a"), "rim": colour("#ffffff")},
    True: {"floor": colour("#2b3138"), "gold": colour("#e3b94c"), "rim": colour("#10161c")},
}


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def view_of(match: WatchedMatch, seat: int, turn: int) -> View:
    return next(seen.view for seen in reversed(match.replay.views[seat]) if seen.turn <= turn)


def things_of_ocean(setup: Mapping[str, Any], state: Mapping[str, Any]) -> list[Thing]:
    things: list[Thing] = [
        (15 * y + x, "island", None, None, None)
        for y, row in enumerate(setup["rows"])
        for x, mark in enumerate(row)
        if mark == "x"
    ]
    for seat, side in enumerate(state["submarines"]):
        things.append((side["cell"], "submarine", seat, side["lives"], None))
        things += [(cell, "mine", seat, None, None) for cell in side["mines"]]
        things += [(cell, "trail", seat, None, None) for cell in side["trail"]]
    return things


def things_of_war(setup: Mapping[str, Any], state: Mapping[str, Any]) -> list[Thing]:
    """Return what the picture of a state of A Code of Ice and Fire has to show."""
    things: list[Thing] = [(cell, "floor", None, None, None) for cell in cells_in(setup["floor"])]
    things += [(cell, "mine spot", None, None, None) for cell in setup["mine_spots"]]
    for seat, realm in enumerate(state["realms"]):
        active = cells_in(realm["active"])
        things.append((setup["headquarters"][seat], "headquarters", seat, None, None))
        things += [(cell, "land", seat, int(cell in active), None) for cell in cells_in(realm["owned"])]
        things += [(cell, "mine", seat, None, None) for cell in realm["mines"]]
        things += [(cell, "tower", seat, None, None) for cell in realm["towers"]]
        things += [(cell, "protected", seat, None, None) for cell in cells_in(realm["protected"])]
        things += [(cell, "unit", seat, level, name) for name, level, cell in realm["units"]]
    return things


def seats_with(things: Sequence[Thing], what: str, cell: int) -> list[int]:
    return sorted(seat for at, kind, seat, *_ in things if (at, kind) == (cell, what) and seat is not None)


def colour_in_ocean(things: Sequence[Thing], cell: int, look: Look, view: tuple[int, View] | None) -> Colour | None:
    """Return the colour in the middle of a cell; None where things of both sides lie beside it.

    `view`: the seat as which the page is looked at, and what it could know.
    """
    if view is not None:
        things = [thing for thing in things if thing[2] != 1 - view[0]]
    sea = look.own["sea"]
    for what in ("submarine", "mine"):
        seats = seats_with(things, what, cell)
        if seats:
            return look.seats[seats[0]] if len(seats) == 1 else None
    if trails := seats_with(things, "trail", cell):
        return mixed(sea, look.seats[trails[-1]], 0.5)
    if (cell, "island", None, None, None) in things:
        return look.own["grass"]
    if view is None:
        return sea
    seat, known = view
    return (
        mixed(sea, look.seats[1 - seat], 0.25) if cell in cells_in(known.cells) else mixed(sea, look.own["night"], 0.4)
    )


def colour_in_war(things: Sequence[Thing], cell: int, look: Look, view: tuple[int, View] | None) -> Colour | None:
    """Return the colour in the middle of a cell, where a unit of level 1 or 3 has a dot."""
    here = {what: (seat, amount) for at, what, seat, amount, _ in things if at == cell and what != "protected"}
    for what in ("unit", "mine", "tower", "headquarters", "land"):
        seat, amount = here.get(what, (None, None))
        if seat is None:
            continue
        if what == "land":
            return mixed(look.own["floor"], look.seats[seat], 0.45 if amount else 0.14)
        if what == "mine":
            return look.own["gold"]
        return look.own["rim"] if what == "unit" and amount != 2 else look.seats[seat]
    return look.own["floor"] if "floor" in here else look.ground


@dataclass(frozen=True)
class Drawing:
    """A game's drawing as it has to be. `width`: cells in a row; `own`: its colours, by whether the page is dark."""

    width: int
    things: Callable[[Mapping[str, Any], Mapping[str, Any]], list[Thing]]
    colour: Callable[[Sequence[Thing], int, Look, tuple[int, View] | None], Colour | None]
    own: Mapping[bool, Mapping[str, Colour]]


DRAWINGS = {
    "ocean-of-code": Drawing(15, things_of_ocean, colour_in_ocean, OCEAN),
    "ice-and-fire": Drawing(12, things_of_war, colour_in_war, WAR),
}


COLOUR_NOW = """(name) => {
    document.body.style.outlineColor = `var(${name})`;
    const parts = getComputedStyle(document.body).outlineColor.match(/\\d+/g);
    return `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;
}"""


def said(page: Page) -> list[Thing]:
    drawn = page.evaluate("viewer.columns[0].picture.drawn()")
    return [(one["cell"], one["what"], one["seat"], one.get("amount"), one.get("id")) for one in drawn]


def in_order(things: Sequence[Thing]) -> list[Thing]:
    return sorted(things, key=repr)


def middles(page: Page, width: int) -> list[Colour]:
    place = page.locator(".picture canvas").bounding_box()
    assert place is not None
    screen = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    unit = place["width"] / (width + MARGIN + EDGE)
    found = []
    for cell in range(width * width):
        x, y = (MARGIN + 0.5 + where for where in (cell % width, cell // width))
        pixel = screen.getpixel((int(place["x"] + x * unit), int(place["y"] + y * unit)))
        assert isinstance(pixel, tuple)
        found.append((int(pixel[0]), int(pixel[1]), int(pixel[2])))
    return found


@pytest.mark.parametrize("game", DRAWINGS)
def test_ten_turns_are_drawn_exactly_as_the_rules_have_them(game: str, pages: Pages, tmp_path: Path) -> None:
    drawing, match = DRAWINGS[game], watched(game, RICH)
    path = tmp_path / "match.html"
    path.write_text(page_of([match], GAMES.find(game)), "utf-8")
    last = len(match.replay.turns)
    assert match.replay.setup is not None

    wide = opened(pages, path, "t=1", height=900)
    narrow = opened(pages, path, "t=1&view=1", width=390, height=844, dark=True)
    ten = range(last, 0, -(last // 10))[:10]
    for page, turn in [*((wide, turn) for turn in ten), (narrow, last // 2), (narrow, last - 1)]:
        page.evaluate(f"viewer.player.go({turn})")
        state = match.replay.turns[turn - 1].state
        assert state is not None
        things = drawing.things(match.replay.setup, state)
        assert in_order(said(page)) == in_order(things), turn
        view = (1, view_of(match, 1, turn)) if page is narrow and match.replay.views[1] else None
        ground, *seats = (colour(page.evaluate(COLOUR_NOW, name)) for name in ("--ground", "--seat-0", "--seat-1"))
        look = Look(ground, (seats[0], seats[1]), drawing.own[page is narrow])
        seen = middles(page, drawing.width)
        if page is narrow or turn == last:
            pages.keep_picture(page, f"{game}-{turn}")
        for cell, pixel in enumerate(seen):
            wanted = drawing.colour(things, cell, look, view)
            pairs = [] if wanted is None else zip(pixel, wanted, strict=True)
            assert all(abs(a - b) <= TOLERANCE for a, b in pairs), (turn, cell, pixel, wanted)
