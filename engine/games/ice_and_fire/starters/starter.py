"""Starter for A Code of Ice and Fire: trains a unit when it can, and walks every unit outwards."""

from __future__ import annotations

import sys

SIZE = 12
PRICE = 10  # of a level-1 unit

Cell = tuple[int, int]


def read_numbers() -> list[int]:
    """Read one line of numbers."""
    return [int(word) for word in sys.stdin.readline().split()]


def neighbours(cell: Cell, rows: list[str]) -> list[Cell]:
    """Return the cells beside `cell` that are on the map and not void."""
    x, y = cell
    around = ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y))
    return [(i, j) for i, j in around if 0 <= i < SIZE and 0 <= j < SIZE and rows[j][i] != "#"]


def main() -> None:
    """Read the mine spots once, then answer turn by turn with one line of commands."""
    for _ in range(read_numbers()[0]):
        read_numbers()  # x and y of a mine spot: a mine there would earn 4 gold a turn
    while line := sys.stdin.readline():
        gold = int(line)
        read_numbers()  # own income
        read_numbers()  # the enemy's gold
        read_numbers()  # the enemy's income
        rows = [sys.stdin.readline().strip() for _ in range(SIZE)]  # '#' void, '.' neutral, 'O' ours, 'X' the enemy's
        buildings = [read_numbers() for _ in range(read_numbers()[0])]  # owner (0 is us), type (0 HQ), x, y
        units = [read_numbers() for _ in range(read_numbers()[0])]  # owner, id, level, x, y
        taken = {(x, y) for _, _, x, y in buildings} | {(x, y) for *_, x, y in units}
        commands = []

        # Walk: to a free cell beside the unit that is not ours yet, else towards the enemy's headquarters.
        enemy_home = next((x, y) for owner, kind, x, y in buildings if owner == 1 and kind == 0)
        for owner, number, _, x, y in units:
            if owner != 0:
                continue
            free = [cell for cell in neighbours((x, y), rows) if cell not in taken]
            target = next((cell for cell in free if rows[cell[1]][cell[0]] != "O"), enemy_home)
            taken.add(target)
            commands.append(f"MOVE {number} {target[0]} {target[1]}")

        # Train: on a free cell beside our land.
        border = [
            (x, y)
            for y in range(SIZE)
            for x in range(SIZE)
            if rows[y][x] not in "#O" and any(rows[j][i] == "O" for i, j in neighbours((x, y), rows))
        ]
        place = next((cell for cell in border if cell not in taken), None)
        if gold >= PRICE and place:
            commands.append(f"TRAIN 1 {place[0]} {place[1]}")

        print(";".join(commands) or "WAIT", flush=True)


main()
