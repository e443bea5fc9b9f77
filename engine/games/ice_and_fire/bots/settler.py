"""Settler, the boss of Wood 3: trains level-1 units at home and walks each to the nearest land that is not its own.

It does not tell neutral land from the enemy's. It is after land alone, and leaves the enemy's headquarters standing.
Variables of the environment make the boss of Wood 2 of it: with more units it takes land faster and is harder to take.
"""

from __future__ import annotations

import os
import sys

SIZE = 12
PRICE = 10
SPARE_GOLD = int(os.environ.get("SPARE_GOLD", "0"))  # left after a training
MOST_UNITS = int(os.environ.get("MOST_UNITS", "6"))

Cell = tuple[int, int]


def neighbours(cell: Cell, floor: set[Cell]) -> list[Cell]:
    x, y = cell
    return [side for side in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)) if side in floor]


def first_step(start: Cell, goals: set[Cell], closed: set[Cell], floor: set[Cell]) -> tuple[Cell, Cell] | None:
    """Return the nearest of the goals and the first step on the way there, or None if there is no way."""
    queue = [(side, side) for side in neighbours(start, floor) if side not in closed]
    seen = {start} | {side for side, _ in queue}
    for cell, step in queue:
        if cell in goals:
            return cell, step
        for side in neighbours(cell, floor):
            if side not in seen and side not in closed:
                seen.add(side)
                queue.append((side, step))
    return None


def read_turn() -> tuple[int, list[str], set[Cell], set[Cell], dict[Cell, int]] | None:
    """Read a turn: gold, the rows, where our buildings and the enemy's are, our units' ids by cell. None at the end."""
    line = sys.stdin.readline()
    if not line:
        return None
    for _ in range(3):
        sys.stdin.readline()  # own income, the enemy's gold and income
    rows = [sys.stdin.readline().strip() for _ in range(SIZE)]
    buildings = [tuple(map(int, sys.stdin.readline().split())) for _ in range(int(sys.stdin.readline()))]
    units = [tuple(map(int, sys.stdin.readline().split())) for _ in range(int(sys.stdin.readline()))]
    own_units = {(x, y): number for owner, number, _, x, y in units if owner == 0}
    own, others = ({(x, y) for owner, _, x, y in buildings if owner == side} for side in (0, 1))
    return int(line), rows, own, others, own_units


def settle(gold: int, rows: list[str], built: set[Cell], others: set[Cell], units: dict[Cell, int]) -> list[str]:
    floor = {(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark != "#"}
    home = {(x, y) for x, y in floor if rows[y][x] == "O"}
    goals = floor - home - others
    closed = built | set(units)
    commands = []
    for cell, number in units.items():
        found = first_step(cell, goals, closed, floor)
        if found:
            goal, (x, y) = found
            goals.discard(goal)
            closed.discard(cell)
            closed.add((x, y))
            commands.append(f"MOVE {number} {x} {y}")
    if gold >= PRICE + SPARE_GOLD and len(units) < MOST_UNITS:
        places = [cell for cell in home - closed if any(side in goals for side in neighbours(cell, floor))]
        headquarters = next((side for cell in built for side in neighbours(cell, floor) if side not in closed), None)
        place = min(places, default=headquarters)
        if place:
            commands.append(f"TRAIN 1 {place[0]} {place[1]}")
    return commands


def main() -> None:
    """Read the mine spots, which do not matter to it, then settle turn by turn."""
    for _ in range(int(sys.stdin.readline())):
        sys.stdin.readline()
    while turn := read_turn():
        print(";".join(settle(*turn)) or "WAIT", flush=True)


main()
