"""Gunner, first version: takes care not to lock itself in, and shoots into a sector when the opponent surfaces there.

Where two ways leave it as much room it prefers open water, and so cuts its sea to pieces sooner than the later
version, which also takes the hint when it hears a torpedo.
"""

from __future__ import annotations

import sys

Cell = tuple[int, int]
STEPS = {"N": (0, -1), "S": (0, 1), "W": (-1, 0), "E": (1, 0)}
TORPEDO_RANGE = 4


def read_map() -> tuple[set[Cell], int]:
    """Read the first 16 lines and return the water cells and our seat, 0 or 1."""
    seat = int(sys.stdin.readline().split()[2])
    rows = [sys.stdin.readline() for _ in range(15)]
    water = {(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "."}
    return water, seat


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


def choose_way(cell: Cell, free: set[Cell]) -> str | None:
    """Return the direction that leaves the most room, of equals the most open one, or None when stuck."""
    ways = neighbours(cell, free)

    def room(way: str) -> tuple[int, int]:
        return len(reachable(ways[way], free)), len(neighbours(ways[way], free))

    return max(ways, key=room, default=None)


def aim(cell: Cell, orders: str, water: set[Cell]) -> Cell | None:
    """Return the cell in range that is nearest to the middle of the sector where the opponent has surfaced."""
    name, *numbers = orders.split("|", maxsplit=1)[0].split()
    if name != "SURFACE":
        return None
    row, column = divmod(int(numbers[0]) - 1, 3)

    def distance(one: Cell, other: Cell) -> int:
        return max(abs(one[0] - other[0]), abs(one[1] - other[1]))

    targets = [target for target in reachable(cell, water, TORPEDO_RANGE) if distance(target, cell) > 1]
    return min(targets, key=lambda target: (distance(target, (5 * column + 2, 5 * row + 2)), target), default=None)


def main() -> None:
    """Place the submarine on the water nearest to a spot left (seat 0) or right (seat 1) of the middle, then play."""
    water, seat = read_map()
    x, y = min(water, key=lambda cell: (abs(cell[0] - 4 - 6 * seat) + abs(cell[1] - 7), cell))
    print(x, y, flush=True)
    free = water.copy()
    for line in sys.stdin:
        x, y, _, _, torpedo_missing, *_ = map(int, line.split())
        next(sys.stdin)  # the sonar's answer
        opponent_orders = next(sys.stdin)
        target = aim((x, y), opponent_orders, water) if torpedo_missing == 0 else None
        free.discard((x, y))
        way = choose_way((x, y), free)
        if way is None:
            free = water.copy()
        orders = [f"TORPEDO {target[0]} {target[1]}"] if target else []
        orders.append(f"MOVE {way} TORPEDO" if way else "SURFACE")
        print("|".join(orders), flush=True)


main()
