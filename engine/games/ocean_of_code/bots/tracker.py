"""Tracker, the boss of Bronze: keeps the set of all cells where the opponent can be, and shoots when it is small.

How this works. A set of cells is one integer, a bit per cell, so that "everybody one step north" is a single shift:
the whole set follows each order of the opponent at once. A move shifts it, land and the border cut it; a surfacing
keeps one sector of it; a torpedo keeps what is in range of the place hit; silence smears it. While its torpedo is
ready, tracker charges its own silence, and on its last life it slips one step unheard whenever it can.
"""

from __future__ import annotations

import sys

WIDTH = 16  # one more than the map has: the empty column keeps a shifted set from running into the next row
SHIFTS = {"N": -WIDTH, "S": WIDTH, "W": -1, "E": 1}
TORPEDO_RANGE = 4
WORTH_A_TORPEDO = 0.5  # lives it must cost the opponent on average
LAST_LIFE = 1  # with more, it does not hide


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


def silent_steps(cells: int, water: int) -> int:
    """Return where a submarine of the set can be after a silent run of up to four steps in one direction."""
    after = cells
    for by in SHIFTS.values():
        line = cells
        for _ in range(4):
            line = shift(line, by) & water
            after |= line
    return after


def follow(cells: int, orders: str, water: int) -> int:
    """Return where the opponent can be after its orders, if it was one of `cells` before."""
    for order in orders.strip().split("|"):
        name, *values = order.split()
        if name == "MOVE":
            cells = shift(cells, SHIFTS[values[0]]) & water
        elif name == "SURFACE":
            cells &= sector_cells(int(values[0]))
        elif name == "TORPEDO":
            target = WIDTH * int(values[1]) + int(values[0])
            cells &= reachable(1 << target, water, TORPEDO_RANGE)
        elif name == "SILENCE":
            cells = silent_steps(cells, water)
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
    """Return the cell in range where a torpedo does most damage on average, if that is worth it."""
    harmless = reachable(1 << cell, water, TORPEDO_RANGE) & ~splash(cell)
    best, most = None, WORTH_A_TORPEDO * opponent.bit_count()
    for target in cells_of(harmless):
        damage = (opponent & splash(target)).bit_count() + (opponent >> target & 1)
        if damage >= most:
            best, most = target, damage
    return best


def choose_orders(cell: int, free: int, opponent: int, torpedo_missing: int, water: int) -> list[str]:
    """Return the orders of a turn: a step, or a surfacing and a step, and a torpedo before or after it."""
    way = choose_way(cell, free)
    orders = []
    if way is None:
        orders.append("SURFACE")
        way = choose_way(cell, water & ~(1 << cell))
    if way:
        orders.append(f"MOVE {way} TORPEDO")
    shot_before = choose_target(cell, opponent, water) if torpedo_missing == 0 else None
    if shot_before is not None:
        return [f"TORPEDO {shot_before % WIDTH} {shot_before // WIDTH}", *orders]
    shot_after = choose_target(cell + SHIFTS[way], opponent, water) if way and torpedo_missing <= 1 else None
    if shot_after is not None:
        orders.append(f"TORPEDO {shot_after % WIDTH} {shot_after // WIDTH}")
    return orders


def hide(orders: list[str], cell: int, free: int) -> int:
    """Add a silent step after the step of the orders, if there is a way. Returns what is free after the first step."""
    step = next((order for order in orders if order.startswith("MOVE")), None)
    if step is None:
        return free
    there = cell + SHIFTS[step.split()[1]]
    free &= ~(1 << there)
    way = choose_way(there, free)
    if way:
        orders.append(f"SILENCE {way} 1")
    return free


def main() -> None:
    seat = int(sys.stdin.readline().split()[2])
    rows = [sys.stdin.readline() for _ in range(15)]
    water = sum(1 << WIDTH * y + x for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == ".")
    start = choose_start(water, seat)
    print(start % WIDTH, start // WIDTH, flush=True)
    free = opponent = water
    for line in sys.stdin:
        x, y, lives, _, torpedo_missing, _, silence_missing, _ = map(int, line.split())
        next(sys.stdin)  # the sonar's answer
        opponent = follow(opponent, next(sys.stdin), water)
        cell = WIDTH * y + x
        free &= ~(1 << cell)
        orders = choose_orders(cell, free, opponent, torpedo_missing, water)
        if "SURFACE" in orders:
            free = water & ~(1 << cell)
        if torpedo_missing == 0 and silence_missing > 0:
            orders = [order.replace(" TORPEDO", " SILENCE") if order.startswith("MOVE") else order for order in orders]
        if lives <= LAST_LIFE and silence_missing == 0:
            free = hide(orders, cell, free)
        print("|".join(orders), flush=True)


main()
