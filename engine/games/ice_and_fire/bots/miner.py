"""Miner: lets its economy grow first, mines included, and spends only what its income bears.

Every cell has a value, counted in cells: the land there and behind it, mine spots, what stands on it, and how near it
is to the enemy. Units take the most valuable cell beside them. Mines come before more units, for they earn their price
in four turns. Intruders come before mines, the sooner the nearer they are to the headquarters.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

SIZE = 12
PRICES = {1: 10, 2: 20, 3: 30}
UPKEEPS = {1: 1, 2: 4, 3: 20}
HEADQUARTERS, MINE, TOWER = 0, 1, 2
MINE_PRICE, MINE_INCOME = 15, 4
FAR = 999
ENOUGH_UNITS = 14
ENDURANCE = 8  # turns for which the gold must last after a training
ALARM = 12  # an enemy unit so near to our headquarters is an intruder

# What things are worth, in cells.
WORTH_OF_FRONTIER = 0.4  # each cell that comes into reach
WORTH_OF_A_STEP = 0.4  # each step nearer to the enemy
WORTH_OF_A_SPOT = 2
WORTH_OF_A_BUILDING = 3
WORTH_OF_A_LEVEL = 2
WORTH_OF_WINNING = 1000

CELLS = [(x, y) for y in range(SIZE) for x in range(SIZE)]
SIDES = {
    (x, y): [side for side in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)) if side in set(CELLS)] for x, y in CELLS
}

Cell = tuple[int, int]


@dataclass
class Unit:
    """A unit of either side."""

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
        """Command a step to a neighbouring cell."""
        unit = self.units.pop(start)
        self.commands.append(f"MOVE {unit.number} {target[0]} {target[1]}")
        self.take(target, unit)

    def train(self, level: int, target: Cell) -> None:
        """Command the training of a unit."""
        self.gold -= PRICES[level]
        self.income -= UPKEEPS[level]
        self.commands.append(f"TRAIN {level} {target[0]} {target[1]}")
        self.take(target, Unit(is_own=True, number=0, level=level))

    def frontier(self) -> list[Cell]:
        """Return the cells that are not ours, beside those that are, and that some unit could enter."""
        outside = [cell for cell, mark in self.mark.items() if mark != "O" and self.level_to_enter(cell) != FAR]
        return [cell for cell in outside if any(self.mark[side] == "O" for side in self.sides[cell])]


def read_world() -> World | None:
    """Read the input of a turn; None at its end."""
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


class Miner:
    """Gives the commands of a turn."""

    def __init__(self, world: World, spots: set[Cell]) -> None:
        self.world, self.spots = world, spots
        for cell, (is_own, kind) in world.buildings.items():
            if kind == HEADQUARTERS:
                steps = steps_from(cell, world)
                if is_own:
                    self.to_home = steps
                else:
                    self.to_enemy, self.enemy_home = steps, cell

    def play(self) -> str:
        """Return the line of the turn: kill and step, then mines, then one more unit."""
        own = [cell for cell, unit in self.world.units.items() if unit.is_own]
        for cell in sorted(own, key=lambda cell: self.to_enemy[cell]):
            self.step(cell)
        while self.train(urgent=True):
            pass
        self.build_mines()
        self.train(urgent=False)
        return ";".join(self.world.commands) or "WAIT"

    def value(self, cell: Cell) -> float:
        """Return what taking the cell is worth, in cells: the land there and behind it, and what it destroys."""
        if cell == self.enemy_home:
            return WORTH_OF_WINNING
        world = self.world
        value = 1 + WORTH_OF_FRONTIER * sum(world.mark[side] != "O" for side in world.sides[cell])
        value -= WORTH_OF_A_STEP * self.to_enemy[cell]
        value += (cell in self.spots) * WORTH_OF_A_SPOT + (world.mark[cell] == "X")
        if cell in world.buildings:
            value += WORTH_OF_A_BUILDING
        if cell in world.units:
            value += self.worth_of_killing(cell)
        return value

    def worth_of_killing(self, cell: Cell) -> float:
        """Return what the death of an enemy unit is worth: the more, the nearer it is to our headquarters."""
        return PRICES[self.world.units[cell].level] / 5 + max(0, ALARM - self.to_home[cell])

    def step(self, cell: Cell) -> None:
        """Take the best cell beside the unit that is not ours, or else go one step on the way to the nearest."""
        level = self.world.units[cell].level
        new = [
            side
            for side in self.world.sides[cell]
            if self.world.mark[side] != "O" and self.world.level_to_enter(side) <= level
        ]
        target = max(new, key=self.value) if new else self.way_out(cell, level)
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

    def build_mines(self) -> None:
        """Build mines on our free spots that nobody threatens, while there are turns left to earn their price."""
        for cell in sorted(self.spots, key=lambda cell: self.to_home[cell]):
            free = cell not in self.world.units and cell not in self.world.buildings
            if free and self.world.mark[cell] == "O" and self.world.gold >= MINE_PRICE:
                self.world.gold -= MINE_PRICE
                self.world.income += MINE_INCOME
                self.world.buildings[cell] = True, MINE
                self.world.commands.append(f"BUILD MINE {cell[0]} {cell[1]}")

    def is_affordable(self, level: int, *, urgent: bool) -> bool:
        """Tell whether we can pay the price now and the upkeep in the turns to come."""
        if PRICES[level] > self.world.gold:
            return False
        gold, income = self.world.gold - PRICES[level], self.world.income - UPKEEPS[level]
        return gold + (1 if urgent else ENDURANCE) * income >= 0

    def train(self, *, urgent: bool) -> bool:
        """Train on the cell that gives most value for its price. Tell whether there was a unit worth training."""
        levels = {cell: self.world.level_to_enter(cell) for cell in self.world.frontier()}
        if urgent:
            levels = {
                cell: level
                for cell, level in levels.items()
                if cell == self.enemy_home or (cell in self.world.units and self.to_home[cell] < ALARM)
            }
        payable = [cell for cell, level in levels.items() if self.is_affordable(level, urgent=urgent)]
        best = max(payable, key=lambda cell: self.value(cell) - WORTH_OF_A_LEVEL * levels[cell], default=None)
        crowd = sum(unit.is_own for unit in self.world.units.values())
        if best is None or (crowd >= ENOUGH_UNITS and not urgent):
            return False
        self.world.train(levels[best], best)
        return True


def main() -> None:
    """Read the mine spots, then play turn by turn."""
    spots = set()
    for _ in range(int(sys.stdin.readline())):
        x, y = map(int, sys.stdin.readline().split())
        spots.add((x, y))
    while world := read_world():
        print(Miner(world, spots).play(), flush=True)


main()
