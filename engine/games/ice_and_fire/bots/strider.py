"""Strider, the boss of Wood 1: every unit strides on to land that is not its own, and to the enemy's headquarters.

A unit steps to a neighbouring cell that nobody stands on and that is not ours, and where there is none, towards the
enemy's headquarters. When it has some gold to spare, strider trains one unit of level 1 beside its land.
"""

from __future__ import annotations

import sys

SIZE = 12
PRICE = 10
SPARE_GOLD = 3  # left after a training

Cell = tuple[int, int]


def read_numbers() -> list[int]:
    return [int(word) for word in sys.stdin.readline().split()]


def neighbours(cell: Cell, floor: set[Cell]) -> list[Cell]:
    x, y = cell
    return [side for side in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)) if side in floor]


def stride(gold: int, rows: list[str], buildings: list[list[int]], units: list[list[int]]) -> list[str]:
    """Return the commands of a turn. Buildings are owner, type, x, y and units owner, id, level, x, y; 0 is us."""
    floor = {(x, y) for y in range(SIZE) for x in range(SIZE) if rows[y][x] != "#"}
    ours = {(x, y) for x, y in floor if rows[y][x] == "O"}
    enemy_home = next((x, y) for owner, kind, x, y in buildings if owner == 1 and kind == 0)
    taken = {(x, y) for _, _, x, y in buildings} | {(x, y) for *_, x, y in units}
    commands = []
    for owner, number, _, x, y in units:
        if owner == 0:
            new = [cell for cell in neighbours((x, y), floor) if cell not in ours | taken]
            target = new[0] if new else enemy_home
            taken.add(target)
            commands.append(f"MOVE {number} {target[0]} {target[1]}")
    border = [cell for cell in floor - ours - taken if any(side in ours for side in neighbours(cell, floor))]
    if gold >= PRICE + SPARE_GOLD and border:
        x, y = min(border, key=lambda cell: (cell[1], cell[0]))
        commands.append(f"TRAIN 1 {x} {y}")
    return commands


def main() -> None:
    """Read the mine spots, which do not matter to it, then stride turn by turn."""
    for _ in range(read_numbers()[0]):
        read_numbers()
    while line := sys.stdin.readline():
        for _ in range(3):
            read_numbers()  # own income, the enemy's gold and income
        rows = [sys.stdin.readline().strip() for _ in range(SIZE)]
        buildings = [read_numbers() for _ in range(read_numbers()[0])]
        units = [read_numbers() for _ in range(read_numbers()[0])]
        print(";".join(stride(int(line), rows, buildings, units)) or "WAIT", flush=True)


main()
