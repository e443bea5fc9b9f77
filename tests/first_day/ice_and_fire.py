"""What a newcomer has after a first day of A Code of Ice and Fire: the starter, with trainings towards the enemy.

The starter trains on the first free cell of its border. This one trains on the border cell that is nearest to the
enemy's headquarters, as often as the gold lasts, and its units walk that way too. It knows only units of level 1.
"""

from __future__ import annotations

import sys

SIZE = 12
PRICE = 10  # of a level-1 unit

Cell = tuple[int, int]


def read_numbers() -> list[int]:
    return [int(word) for word in sys.stdin.readline().split()]


def neighbours(cell: Cell, rows: list[str]) -> list[Cell]:
    x, y = cell
    around = ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y))
    return [(i, j) for i, j in around if 0 <= i < SIZE and 0 <= j < SIZE and rows[j][i] != "#"]


def distance(one: Cell, other: Cell) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def main() -> None:
    """Read the mine spots once, then answer turn by turn with one line of commands."""
    for _ in range(read_numbers()[0]):
        read_numbers()
    while line := sys.stdin.readline():
        gold = int(line)
        for _ in range(3):
            read_numbers()  # both incomes and the enemy's gold
        rows = [sys.stdin.readline().strip() for _ in range(SIZE)]
        buildings = [read_numbers() for _ in range(read_numbers()[0])]  # owner (0 is us), type (0 HQ), x, y
        units = [read_numbers() for _ in range(read_numbers()[0])]  # owner, id, level, x, y
        enemy_home = next((x, y) for owner, kind, x, y in buildings if owner == 1 and kind == 0)
        taken = {(x, y) for owner, _, x, y in buildings if owner == 0} | {(x, y) for *_, x, y in units}
        commands = []
        for owner, number, _, x, y in units:
            if owner == 0:
                free = [
                    cell for cell in neighbours((x, y), rows) if cell not in taken and rows[cell[1]][cell[0]] != "O"
                ]
                target = min(free, key=lambda cell: distance(cell, enemy_home), default=enemy_home)
                taken.add(target)
                commands.append(f"MOVE {number} {target[0]} {target[1]}")
        border = [
            (x, y)
            for y in range(SIZE)
            for x in range(SIZE)
            if rows[y][x] not in "#O" and any(rows[j][i] == "O" for i, j in neighbours((x, y), rows))
        ]
        for place in sorted(set(border) - taken, key=lambda cell: distance(cell, enemy_home)):
            if gold >= PRICE:
                gold -= PRICE
                commands.append(f"TRAIN 1 {place[0]} {place[1]}")
        print(";".join(commands) or "WAIT", flush=True)


main()
