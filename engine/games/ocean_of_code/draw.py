"""How a game of Ocean of Code looks as text: seat 0 on the left of each cell, seat 1 on its right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    return {
        **dict(way(submarine["trail"], width)),
        **dict.fromkeys(submarine["mines"], "*"),
        submarine["cell"]: f"{seat}",
    }


def way(trail: Sequence[int], width: int) -> Iterator[tuple[int, str]]:
    """Each cell but the last, with where the way leads to from there."""
    arrows = {1: "→", -1: "←", width: "↓", -width: "↑"}
    return ((cell, arrows.get(following - cell, "·")) for cell, following in pairwise(trail))


def facts(setup: Mapping[str, Any], state: Mapping[str, Any]) -> Sequence[Fact]:
    if not state["submarines"]:
        return ()
    zero, one = state["submarines"]
    full = setup["full_charge"]
    return (
        Fact("lives", (f"{zero['lives']}", f"{one['lives']}")),
        *(
            Fact(power, (f"{zero['charge'][power]}/{full[power]}", f"{one['charge'][power]}/{full[power]}"))
            for power in zero["charge"]
        ),
    )
