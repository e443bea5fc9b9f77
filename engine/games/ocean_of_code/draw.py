"""How a game of Ocean of Code looks as text: seat 0 on the left of each cell, seat 1 on its right."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from engine.frames import Cell, Fact, Ground

LEGEND = {"0 1": "submarines", "↑→↓←": "their ways", "*": "mines"}
ISLAND = Cell(ground=Ground.CLOSED)


def rows(setup: Mapping[str, Any], state: Mapping[str, Any], shown: int) -> Sequence[Sequence[Cell]]:
    width = setup["width"]
    marks = [
        marks_of(submarine, seat, width) if shown in {-1, seat} else {}
        for seat, submarine in enumerate(state["submarines"] or ({}, {}))
    ]
    return [
        [
            ISLAND if square == "x" else Cell("".join(of_seat.get(width * y + x, " ") for of_seat in marks), (0, 1))
            for x, square in enumerate(row)
        ]
        for y, row in enumerate(setup["rows"])
    ]


def marks_of(submarine: Mapping[str, Any], seat: int, width: int) -> dict[int, str]:
    """Of several things in one cell the last of these."""
    if not submarine:
        return {}
    arrows = {1: "→", -1: "←", width: "↓", -width: "↑"}
    way = {cell: arrows.get(following - cell, "·") for cell, following in pairwise(submarine["trail"])}
    return {**way, **dict.fromkeys(submarine["mines"], "*"), submarine["cell"]: f"{seat}"}


def facts(setup: Mapping[str, Any], state: Mapping[str, Any]) -> Sequence[Fact]:
    if not state["submarines"]:
        return ()
    zero, one = state["submarines"]
    powers = [(power, full) for power, full in setup["full_charge"].items() if power in zero["charge"]]
    charges = [(power, (f"{zero['charge'][power]}/{full}", f"{one['charge'][power]}/{full}")) for power, full in powers]
    return [Fact("lives", (f"{zero['lives']}", f"{one['lives']}")), *(Fact(*charge) for charge in charges)]
