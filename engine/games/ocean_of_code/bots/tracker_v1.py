"""Tracker, first version: follows the opponent's moves and surfacings, and shoots only when it knows its cell.

How this works. A set of cells is one integer, a bit per cell, so that "everybody one step north" is a single shift:
the whole set of cells where the opponent can be follows each of its moves at once. This version does not yet hear what
a torpedo gives away, and after a silent run it starts again with all the water there is.
"""

from __future__ import annotations

import sys

WIDTH = 16  # one more than the map has: the empty column keeps a shifted set from running into the next row
SHIFTS = {"N": -WIDTH, "S": WIDTH, "W": -1, "E": 1}
TORPEDO_RANGE = 4


def shift(cells: int, by: int) -> int:
    return cells << by if by > 0 else cells >> -by


def spread(cells: int) -> int:
    return cells | cells << 1 | cells >> 1 | cells << WIDTH | cells >> WIDTH


def splash(cell: int) -> int:
    row = 1 << cell | 1 << cell + 1 | 1 << cell >> 1
    return row | row << WIDTH | row >> WIDTH


def reachable(start: int, free: int, most_steps: int = 225) -> int:
    """Return the set that can be reached from the set `start` over `free` cells in at most `most_steps` steps."""
    for _ in range(most_steps):
        grown = spread(start) & free | start
        if grown == start:
            break
        start = grown
    return start


def cells_of(cells: int) -> list[int]:
    members = []
    while cells:
        lowest = cells & -cells
        members.append(lowest.bit_length() - 1)
        cells ^= lowest
    return members


def sector_cells(sector: int) -> int:
    top, left = 5 * ((sector - 1) // 3), 5 * ((sector - 1) % 3)
    return sum(0b11111 << WIDTH * row + left for row in range(top, top + 5))


def follow(cells: int, orders: str, water: int) -> int:
    """Return where the opponent can be after its orders, if it was one of `cells` before."""
    for order in orders.strip().split("|"):
        name, *values = order.split()
        if name == "MOVE":
            cells = shift(cells, SHIFTS[values[0]]) & water
        elif name == "SURFACE":
            cells &= sector_cells(int(values[0]))
        elif name == "SILENCE":
            cells = water
    return cells


def choose_start(water: int, seat: int) -> int:
    """Return an end of the largest sea: its first cell, row by row, for seat 0 and its last for seat 1."""
    seas, left = [], water
    while left:
        seas.append(reachable(left & -left, left))
        left &= ~seas[-1]
    return cells_of(max(seas, key=int.bit_count))[-seat]


def choose_way(cell: int, free: int) -> str | None:
    """Return the direction that leaves the most room; of equals, the one that keeps closest to what is closed."""
    ways = {name: 1 << cell + by for name, by in SHIFTS.items() if cell + by >= 0 and free >> cell + by & 1}

    def room(name: str) -> tuple[int, int]:
        return reachable(ways[name], free).bit_count(), -(spread(ways[name]) & free).bit_count()

    return max(ways, key=room, default=None)


def choose_target(cell: int, opponent: int, water: int) -> int | None:
    """Return the opponent's cell, if it is known, in range, and not so near that we would be hit too."""
    harmless = reachable(1 << cell, water, TORPEDO_RANGE) & ~splash(cell)
    if opponent.bit_count() == 1 and opponent & harmless:
        return cells_of(opponent)[0]
    return None


def main() -> None:
    seat = int(sys.stdin.readline().split()[2])
    rows = [sys.stdin.readline() for _ in range(15)]
    water = sum(1 << WIDTH * y + x for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == ".")
    start = choose_start(water, seat)
    print(start % WIDTH, start // WIDTH, flush=True)
    free = opponent = water
    for line in sys.stdin:
        x, y, _, _, torpedo_missing, *_ = map(int, line.split())
        next(sys.stdin)  # the sonar's answer
        opponent = follow(opponent, next(sys.stdin), water)
        cell = WIDTH * y + x
        orders = []
        target = choose_target(cell, opponent, water) if torpedo_missing == 0 else None
        if target is not None:
            orders.append(f"TORPEDO {target % WIDTH} {target // WIDTH}")
        free &= ~(1 << cell)
        way = choose_way(cell, free)
        if way is None:
            orders.append("SURFACE")
            free = water & ~(1 << cell)
            way = choose_way(cell, free)
        if way:
            orders.append(f"MOVE {way} TORPEDO")
        print("|".join(orders), flush=True)


main()
