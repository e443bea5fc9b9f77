"""Drifter, the boss of Wood 2: drifts at random, preferring open water, and surfaces when stuck. It never shoots.

Of the cells it may enter it takes one that has the most free neighbours, and so gets stuck less often than by pure
chance. The dice are seeded with the map, so the same match comes out the same way again.
"""

from __future__ import annotations

import random
import sys

Cell = tuple[int, int]
STEPS = {"N": (0, -1), "S": (0, 1), "W": (-1, 0), "E": (1, 0)}


def read_map() -> tuple[set[Cell], random.Random]:
    """Read the first 16 lines and return the water cells and the dice."""
    header = sys.stdin.readline()
    rows = [sys.stdin.readline() for _ in range(15)]
    water = {(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "."}
    return water, random.Random(header + "".join(rows))


def neighbours(cell: Cell, free: set[Cell]) -> dict[str, Cell]:
    """Return the free cells beside `cell`, by direction."""
    x, y = cell
    return {name: (x + dx, y + dy) for name, (dx, dy) in STEPS.items() if (x + dx, y + dy) in free}


def drift(cell: Cell, free: set[Cell], dice: random.Random) -> str | None:
    """Return a direction that leads to the most open water, or None when stuck."""
    openness = {way: len(neighbours(target, free)) for way, target in neighbours(cell, free).items()}
    if not openness:
        return None
    return dice.choice([way for way, count in openness.items() if count == max(openness.values())])


def main() -> None:
    """Place the submarine anywhere on water, then drift."""
    water, dice = read_map()
    x, y = dice.choice(sorted(water))
    print(x, y, flush=True)
    free = water.copy()
    for line in sys.stdin:
        x, y = map(int, line.split()[:2])
        next(sys.stdin)  # the sonar's answer
        next(sys.stdin)  # the opponent's orders
        free.discard((x, y))
        way = drift((x, y), free, dice)
        if way is None:
            free = water.copy()
        print("SURFACE" if way is None else f"MOVE {way} TORPEDO", flush=True)


main()
