"""Marcher, the boss of Bronze: grows greedily and marches on the enemy's headquarters, with units as strong as needed.

Units are trained right on the frontier, so each brings a cell at once, and each step takes the neighbouring cell that
promises most new land, or failing that the one nearer to the enemy. What stands in the way gets the cheapest level
that can kill it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

SIZE = 12
PRICES = {1: 10, 2: 20, 3: 30}
UPKEEPS = {1: 1, 2: 4, 3: 20}
HEADQUARTERS, TOWER = 0, 2
FAR = 999
WORTH_OF_FRONTIER = 2  # of each cell that comes into reach, in steps towards the enemy
ENOUGH_UNITS = 8

CELLS = [(x, y) for y in range(SIZE) for x in range(SIZE)]
SIDES = {
    (x, y): [side for side in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)) if side in set(CELLS)] for x, y in CELLS
}

Cell = tuple[int, int]


@dataclass
class Unit:
    is_own: bool
    number: int
    level: int


class World:
    """What is where, kept up to date while the commands of the turn are given."""

    def __init__(self, gold: int, income: int, rows: list[str]) -> None:
        self.gold, self.income = gold, income
        self.mark = {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row) if mark != "#"}
        self.sides = {cell: [side for side in SIDES[cell] if side in self.mark] for cell in self.mark}
        self.units: dict[Cell, Unit] = {}
        self.buildings: dict[Cell, tuple[bool, int]] = {}  # is it ours, and its type
        self.commands: list[str] = []

    def is_protected(self, cell: Cell) -> bool:
        """Tell whether an enemy tower there or beside it makes level 3 necessary."""
        if self.buildings.get(cell) == (False, TOWER):
            return True
        return self.mark[cell] == "X" and any(
            self.buildings.get(side) == (False, TOWER) and self.mark[side] == "X" for side in self.sides[cell]
        )

    def level_to_enter(self, cell: Cell) -> int:
        """Return the lowest level that may enter the cell, or FAR if it is taken by ourselves."""
        unit = self.units.get(cell)
        if (unit and unit.is_own) or self.buildings.get(cell, (False, 0))[0]:
            return FAR
        if self.mark[cell] != "O" and self.is_protected(cell):
            return 3
        return min(3, unit.level + 1) if unit else 1

    def take(self, cell: Cell, unit: Unit) -> None:
        """Put our unit on the cell, which is ours from now on."""
        self.units[cell] = unit
        self.buildings.pop(cell, None)
        if self.mark[cell] != "O":
            self.income += 1
        self.mark[cell] = "O"

    def move(self, start: Cell, target: Cell) -> None:
        unit = self.units.pop(start)
        self.commands.append(f"MOVE {unit.number} {target[0]} {target[1]}")
        self.take(target, unit)

    def train(self, level: int, target: Cell) -> None:
        self.gold -= PRICES[level]
        self.income -= UPKEEPS[level]
        self.commands.append(f"TRAIN {level} {target[0]} {target[1]}")
        self.take(target, Unit(is_own=True, number=0, level=level))

    def frontier(self) -> list[Cell]:
        """Return the cells that are not ours, beside those that are, and that some unit could enter."""
        outside = [cell for cell, mark in self.mark.items() if mark != "O" and self.level_to_enter(cell) != FAR]
        return [cell for cell in outside if any(self.mark[side] == "O" for side in self.sides[cell])]


def read_world() -> World | None:
    line = sys.stdin.readline()
    if not line:
        return None
    income, _, _ = (int(sys.stdin.readline()) for _ in range(3))
    world = World(int(line), income, [sys.stdin.readline().strip() for _ in range(SIZE)])
    for _ in range(int(sys.stdin.readline())):
        owner, kind, x, y = map(int, sys.stdin.readline().split())
        world.buildings[x, y] = owner == 0, kind
    for _ in range(int(sys.stdin.readline())):
        owner, number, level, x, y = map(int, sys.stdin.readline().split())
        world.units[x, y] = Unit(owner == 0, number, level)
    return world


def steps_from(start: Cell, world: World) -> dict[Cell, int]:
    """Return how many steps every cell is away from `start`."""
    steps, queue = {start: 0}, [start]
    for cell in queue:
        for side in world.sides[cell]:
            if side not in steps:
                steps[side] = steps[cell] + 1
                queue.append(side)
    return steps


class Marcher:
    """Gives the commands of a turn."""

    def __init__(self, world: World) -> None:
        self.world = world
        enemy_home = next(cell for cell, built in world.buildings.items() if built == (False, HEADQUARTERS))
        self.to_enemy = steps_from(enemy_home, world)

    def promise(self, cell: Cell) -> float:
        """Return how much we want to take the cell: what it opens, and how near it is to the enemy."""
        opened = sum(self.world.mark[side] != "O" for side in self.world.sides[cell])
        return WORTH_OF_FRONTIER * opened - self.to_enemy[cell]

    def play(self) -> str:
        """Return the line of the turn: first all steps, then one training."""
        own = [cell for cell, unit in self.world.units.items() if unit.is_own]
        for cell in sorted(own, key=lambda cell: self.to_enemy[cell]):
            self.step(cell)
        self.train()
        return ";".join(self.world.commands) or "WAIT"

    def step(self, cell: Cell) -> None:
        """Take the best cell beside the unit that is not ours, or else go one step on the way to the nearest."""
        level = self.world.units[cell].level
        new = [
            side
            for side in self.world.sides[cell]
            if self.world.mark[side] != "O" and self.world.level_to_enter(side) <= level
        ]
        target = max(new, key=self.promise) if new else self.way_out(cell, level)
        if target:
            self.world.move(cell, target)

    def way_out(self, start: Cell, level: int) -> Cell | None:
        """Return the first step of the shortest way to a cell that is not ours, or None if there is none."""
        first: dict[Cell, Cell] = {start: start}
        queue = [start]
        for cell in queue:
            for side in self.world.sides[cell]:
                if side not in first and self.world.level_to_enter(side) <= level:
                    first[side] = side if cell == start else first[cell]
                    if self.world.mark[side] != "O":
                        return first[side]
                    queue.append(side)
        return None

    def train(self) -> None:
        """Train the cheapest unit on the best cell of the frontier that we can pay."""
        levels = {cell: self.world.level_to_enter(cell) for cell in self.world.frontier()}
        payable = [
            cell
            for cell, level in levels.items()
            if PRICES[level] <= self.world.gold and UPKEEPS[level] <= max(2, self.world.income)
        ]
        crowd = sum(unit.is_own for unit in self.world.units.values())
        if crowd < ENOUGH_UNITS and payable:
            best = max(payable, key=self.promise)
            self.world.train(levels[best], best)


def main() -> None:
    """Read the mine spots, which do not matter to it, then march turn by turn."""
    for _ in range(int(sys.stdin.readline())):
        sys.stdin.readline()
    while world := read_world():
        print(Marcher(world).play(), flush=True)


main()
