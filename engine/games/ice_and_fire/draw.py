"""How a game of A Code of Ice and Fire looks as text: buildings on the left of each cell, units on its right."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.frames import Cell, Fact, Ground, cells_in

LEGEND = {
    "H": "headquarters",
    "$": "mine",
    "T": "tower",
    "+": "protected by it",
    "°": "spot for a mine",
    "1 2 3": "units",
}


def rows(setup: Mapping[str, Any], state: Mapping[str, Any], shown: int) -> Sequence[Sequence[Cell]]:  # noqa: ARG001
    width, height = setup["width"], setup["height"]
    floor = cells_in(setup["floor"])
    spots = set(setup["mine_spots"])
    corners = set(setup["headquarters"])
    lands = [Land(realm) for realm in state["realms"]]
    cells = [drawn(cell, floor, spots, corners, lands) for cell in range(width * height)]
    return [cells[start : start + width] for start in range(0, width * height, width)]


class Land:
    """What one side has, by cell. `buildings`, `units`: the character that stands for it."""

    def __init__(self, realm: Mapping[str, Any]) -> None:
        self.owned, self.active = cells_in(realm["owned"]), cells_in(realm["active"])
        self.units = {cell: f"{level}" for _, level, cell in realm["units"]}
        self.buildings = {
            **dict.fromkeys(cells_in(realm["protected"]), "+"),
            **dict.fromkeys(realm["mines"], "$"),
            **dict.fromkeys(realm["towers"], "T"),
        }


def drawn(cell: int, floor: set[int], spots: set[int], corners: set[int], lands: Sequence[Land]) -> Cell:
    if cell not in floor:
        return Cell(ground=Ground.CLOSED)
    spot = "H" if cell in corners else "°" if cell in spots else " "
    for seat, land in enumerate(lands):
        if cell in land.owned:
            what = spot if spot == "H" else land.buildings.get(cell, spot)
            ground = Ground.HELD if cell in land.active else Ground.IDLE
            return Cell(what + land.units.get(cell, " "), (seat, seat), ground, seat)
    return Cell(f"{spot} ")


def facts(setup: Mapping[str, Any], state: Mapping[str, Any]) -> Sequence[Fact]:  # noqa: ARG001
    zero, one = map(facts_of, state["realms"])
    return [Fact(title, (zero[title], one[title])) for title in zero]


def facts_of(realm: Mapping[str, Any]) -> dict[str, str]:
    levels = [level for _, level, _ in realm["units"]]
    units = [f"{levels.count(level)} of level {level}" for level in sorted(set(levels))]
    return {
        "gold": f"{realm['gold']} ({realm['income']:+})",
        "active cells": f"{len(cells_in(realm['active']))}",
        "units": ", ".join(units) or "none",
        "mines": f"{len(realm['mines'])}",
        "towers": f"{len(realm['towers'])}",
    }
