"""Drifter, first version: steps at random to any cell it may enter, and surfaces when there is none. It never shoots.

The dice are seeded with the map, so the same match comes out the same way again.
"""

from __future__ import annotations

import random
import sys

Cell = tuple[int, int]
STEPS = {"N": (0, -1), "S": (0, 1), "W": (-1, 0), "E": (1, 0)}


def read_map() -> tuple[set[Cell], random.Random]:
    header = sys.stdin.readline()
    rows = [sys.stdin.readline() for _ in range(15)]
    water = {(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "."}
    return water, random.Random(header + "".join(rows))


def main() -> None:
    water, dice = read_map()
    x, y = dice.choice(sorted(water))
    print(x, y, flush=True)
    visited: set[Cell] = set()
    for line in sys.stdin:
        x, y = map(int, line.split()[:2])
        visited.add((x, y))
        next(sys.stdin)  # the sonar's answer
        next(sys.stdin)  # the opponent's orders
        ways = [name for name, (dx, dy) in STEPS.items() if (x + dx, y + dy) in water - visited]
        if ways:
            print(f"MOVE {dice.choice(ways)} TORPEDO", flush=True)
        else:
            visited = set()
            print("SURFACE", flush=True)


main()
