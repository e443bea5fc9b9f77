"""Gunner, the boss of Wood 1: takes care not to lock itself in, and shoots at a guess when the opponent shows itself.

A surfacing tells the sector the opponent is in, a torpedo that it is at most four steps from the place hit. Gunner
keeps nothing else in mind: it fires at once into the middle of that area, as near to it as its torpedo reaches. While
its torpedo is ready it charges the silence, and slips one step unheard as soon as it can.
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


def choose_start(water: set[Cell], seat: int) -> Cell:
    """Return an end of the largest sea: its topmost cell for seat 0 and its lowest for seat 1."""
    seas, left = [], water.copy()
    while left:
        seas.append(reachable(min(left), left))
        left -= seas[-1]
    rows_first = sorted(max(seas, key=len), key=lambda cell: (cell[1], cell[0]))
    return rows_first[-seat]


def choose_way(cell: Cell, free: set[Cell]) -> str | None:
    """Return the direction that leaves the most room; of equals, the one that keeps closest to what is closed."""
    ways = neighbours(cell, free)
    if len(ways) < 2:
        return next(iter(ways), None)
    return max(ways, key=lambda way: (len(reachable(ways[way], free)), -len(neighbours(ways[way], free))))


def guess(orders: str, water: set[Cell]) -> Cell | None:
    """Return the middle of the area where the opponent's orders show it to be, or None if they show nothing."""
    for order in orders.strip().split("|"):
        name, *numbers = order.split()
        if name == "SURFACE":
            row, column = divmod(int(numbers[0]) - 1, 3)
            return 5 * column + 2, 5 * row + 2
        if name == "TORPEDO":
            target = int(numbers[0]), int(numbers[1])
            area = reachable(target, water, TORPEDO_RANGE)
            return round(sum(x for x, _ in area) / len(area)), round(sum(y for _, y in area) / len(area))
    return None


def aim(cell: Cell, goal: Cell, water: set[Cell]) -> Cell | None:
    """Return the cell in range that is nearest to `goal`, none that is too near to ourselves or too far from it."""

    def distance(one: Cell, other: Cell) -> int:
        return max(abs(one[0] - other[0]), abs(one[1] - other[1]))

    targets = [target for target in reachable(cell, water, TORPEDO_RANGE) if distance(target, cell) > 1]
    best = min(targets, key=lambda target: (distance(target, goal), target), default=None)
    return best if best and distance(best, goal) <= 3 else None


def slip(cell: Cell, free: set[Cell]) -> list[str]:
    """Return the order of a silent run of one step from `cell`, which is no longer free; none if there is no way."""
    free.discard(cell)
    way = choose_way(cell, free)
    return [f"SILENCE {way} 1"] if way else []


def main() -> None:
    water, seat = read_map()
    x, y = choose_start(water, seat)
    print(x, y, flush=True)
    free = water.copy()
    for line in sys.stdin:
        x, y, _, _, torpedo_missing, _, silence_missing, _ = map(int, line.split())
        next(sys.stdin)  # the sonar's answer
        orders = []
        goal = guess(next(sys.stdin), water)
        target = aim((x, y), goal, water) if goal and torpedo_missing == 0 else None
        if target:
            orders.append(f"TORPEDO {target[0]} {target[1]}")
        free.discard((x, y))
        way = choose_way((x, y), free)
        if way is None:
            orders.append("SURFACE")
            free = water - {(x, y)}
            way = choose_way((x, y), free)
        if way:
            orders.append(f"MOVE {way} {'SILENCE' if torpedo_missing == 0 and silence_missing > 0 else 'TORPEDO'}")
            if silence_missing == 0:
                orders += slip(neighbours((x, y), free)[way], free)
        print("|".join(orders), flush=True)


main()
