"""Drifter, the boss of Wood 2: drifts at random, but not into a trap, and shoots only at an opponent that surfaces.

Of the cells beside it, it takes any that leaves the most water to move in. When the opponent surfaces, it fires as near
to the middle of that sector as its torpedo reaches. The dice are seeded with the map, so the same match comes out the
same way again.
"""

from __future__ import annotations

import random
import sys

Cell = tuple[int, int]
STEPS = {"N": (0, -1), "S": (0, 1), "W": (-1, 0), "E": (1, 0)}
TORPEDO_RANGE = 4


def read_map() -> tuple[set[Cell], random.Random]:
    header = sys.stdin.readline()
    rows = [sys.stdin.readline() for _ in range(15)]
    water = {(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "."}
    return water, random.Random(header + "".join(rows))


def neighbours(cell: Cell, free: set[Cell]) -> dict[str, Cell]:
    x, y = cell
    return {name: (x + dx, y + dy) for name, (dx, dy) in STEPS.items() if (x + dx, y + dy) in free}


def reachable(start: Cell, free: set[Cell], most_steps: int = 225) -> set[Cell]:
    """Return the cells that can be reached from `start` over `free` cells in at most `most_steps` steps."""
    found, edge = {start}, {start}
    for _ in range(most_steps):
        edge = {target for cell in edge for target in neighbours(cell, free).values()} - found
        if not edge:
            break
        found |= edge
    return found


def drift(cell: Cell, free: set[Cell], dice: random.Random) -> str | None:
    """Return a direction that leaves the most room, or None when stuck."""
    room = {way: len(reachable(target, free)) for way, target in neighbours(cell, free).items()}
    if not room:
        return None
    return dice.choice([way for way, cells in room.items() if cells == max(room.values())])


def largest_sea(water: set[Cell]) -> list[Cell]:
    seas, left = [], water.copy()
    while left:
        seas.append(reachable(min(left), left))
        left -= seas[-1]
    return sorted(max(seas, key=len))


def distance(one: Cell, other: Cell) -> int:
    """Return how far two cells are apart, diagonal steps allowed: at most 1 within an explosion."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def aim(cell: Cell, orders: str, water: set[Cell]) -> Cell | None:
    """Return where to shoot at an opponent that surfaces near enough, never at ourselves; None if it did not."""
    name, *numbers = orders.split("|", maxsplit=1)[0].split()
    if name != "SURFACE":
        return None
    row, column = divmod(int(numbers[0]) - 1, 3)
    middle = 5 * column + 2, 5 * row + 2
    targets = [target for target in reachable(cell, water, TORPEDO_RANGE) if distance(target, cell) > 1]
    best = min(targets, key=lambda target: (distance(target, middle), target), default=None)
    return best if best and distance(best, middle) <= 3 else None


def main() -> None:
    water, dice = read_map()
    x, y = dice.choice(largest_sea(water))
    print(x, y, flush=True)
    free = water.copy()
    for line in sys.stdin:
        x, y, _, _, torpedo_missing, *_ = map(int, line.split())
        next(sys.stdin)  # the sonar's answer
        target = aim((x, y), next(sys.stdin), water)
        orders = [f"TORPEDO {target[0]} {target[1]}"] if target and torpedo_missing == 0 else []
        free.discard((x, y))
        way = drift((x, y), free, dice)
        if way is None:
            free = water.copy()
        orders.append("SURFACE" if way is None else f"MOVE {way} TORPEDO")
        print("|".join(orders), flush=True)


main()
