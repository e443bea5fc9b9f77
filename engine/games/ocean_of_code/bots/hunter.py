"""Hunter, the boss of Silver: knows what each side knows of the other, and spends every power on that difference.

How this works. A `Shadow` is the set of cells where a submarine can be for someone who hears its orders and counts its
lives; a set is one integer with a bit per cell. Hunter follows two of them. The opponent's shadow tells where to
shoot, which mine to trigger and where to listen with the sonar; our own, as the opponent sees it, tells when it is time
for a silent run.
"""

from __future__ import annotations

import random
import sys

WIDTH = 16  # one more than the map has: the empty column keeps a shifted set from running into the next row
SHIFTS = {"N": -WIDTH, "S": WIDTH, "W": -1, "E": 1}
TORPEDO_RANGE = 4
WORTH_A_TORPEDO = 0.5  # lives it must cost the opponent on average
WORTH_A_MINE = 0.7
FOUND = 15  # a shadow of so few cells is nearly found
CHARGE_ORDER = ("TORPEDO", "SILENCE", "MINE", "SONAR")


def shift(cells: int, by: int) -> int:
    """Return the set moved by some bits; what leaves the map at the top is gone."""
    return cells << by if by > 0 else cells >> -by


def spread(cells: int) -> int:
    """Return the set and all cells beside it."""
    return cells | cells << 1 | cells >> 1 | cells << WIDTH | cells >> WIDTH


def splash(cell: int) -> int:
    """Return the cells that an explosion at `cell` damages."""
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
    """Return the members of the set, lowest first."""
    members = []
    while cells:
        lowest = cells & -cells
        members.append(lowest.bit_length() - 1)
        cells ^= lowest
    return members


def sector_cells(sector: int) -> int:
    """Return the cells of a sector, numbered from 1 to 9."""
    top, left = 5 * ((sector - 1) // 3), 5 * ((sector - 1) % 3)
    return sum(0b11111 << WIDTH * row + left for row in range(top, top + 5))


def cell_at(x: str, y: str) -> int:
    """Return the number of a cell that an order names."""
    return WIDTH * int(y) + int(x)


def explosions(orders: str) -> list[int]:
    """Return the cells where torpedoes and mines of these orders exploded."""
    names = [order.split() for order in orders.split("|")]
    return [cell_at(values[0], values[1]) for name, *values in names if name in ("TORPEDO", "TRIGGER")]


class Shadow:
    """The cells where a submarine can be. `by_loss` sorts them by the lives it lost since the last count, if there."""

    def __init__(self, water: int) -> None:
        self.water = water
        self.by_loss = {0: water}

    @property
    def cells(self) -> int:
        """All cells where it can be."""
        together = 0
        for cells in self.by_loss.values():
            together |= cells
        return together

    def keep(self, where: int) -> None:
        """Strike out every cell that is not in the set `where`."""
        self.by_loss = {loss: cells & where for loss, cells in self.by_loss.items()}

    def explode(self, target: int) -> None:
        """Note that something exploded at `target`: two lives there, one beside it, none elsewhere."""
        centre, all_hit = 1 << target, splash(target)
        sorted_again: dict[int, int] = {}
        for loss, cells in self.by_loss.items():
            for more, part in ((2, cells & centre), (1, cells & all_hit & ~centre), (0, cells & ~all_hit)):
                sorted_again[loss + more] = sorted_again.get(loss + more, 0) | part
        self.by_loss = sorted_again

    def hear(self, orders: str) -> None:
        """Follow the orders of the submarine's own turn."""
        for order in orders.split("|"):
            name, *values = order.split()
            if name == "MOVE":
                by = SHIFTS[values[0]]
                self.by_loss = {loss: shift(cells, by) & self.water for loss, cells in self.by_loss.items()}
            elif name == "SURFACE":
                self.keep(sector_cells(int(values[0])))
                self.by_loss = {loss + 1: cells for loss, cells in self.by_loss.items()}
            elif name == "SILENCE":
                self.by_loss = {loss: self.silent_run(cells) for loss, cells in self.by_loss.items()}
            elif name == "TORPEDO":
                self.keep(reachable(1 << cell_at(values[0], values[1]), self.water, TORPEDO_RANGE))
            if name in ("TORPEDO", "TRIGGER"):
                self.explode(cell_at(values[0], values[1]))

    def silent_run(self, cells: int) -> int:
        """Return where a submarine of the set can be after up to four steps in one direction."""
        after = cells
        for by in SHIFTS.values():
            line = cells
            for _ in range(4):
                line = shift(line, by) & self.water
                after |= line
        return after

    def count(self, lost: int) -> None:
        """Keep the cells where the submarine would have lost exactly that many lives, and start a new count."""
        self.by_loss = {0: self.by_loss.get(lost, 0) or self.water}


class Hunter:
    """Our submarine: the map, the cells still free to enter, both shadows and what we have laid and asked."""

    def __init__(self, water: int, dice: random.Random) -> None:
        self.water = self.free = water
        self.dice = dice
        self.opponent, self.own = Shadow(water), Shadow(water)
        self.own_lives = self.opponent_lives = 6
        self.mines: set[int] = set()
        self.sonar_sector = 0
        self.cell = 0
        self.missing: dict[str, int] = {}

    def choose_start(self) -> int:
        """Return a random cell of the largest sea."""
        seas, left = [], self.water
        while left:
            seas.append(reachable(left & -left, left))
            left &= ~seas[-1]
        return self.dice.choice(cells_of(max(seas, key=int.bit_count)))

    def listen(self, numbers: str, sonar_answer: str, orders: str) -> None:
        """Take in the three lines of a turn."""
        x, y, own_lives, opponent_lives, *missing = map(int, numbers.split())
        self.cell = WIDTH * y + x
        self.missing = dict(zip(("TORPEDO", "SONAR", "SILENCE", "MINE"), missing, strict=True))
        if sonar_answer in ("Y", "N"):
            heard = sector_cells(self.sonar_sector)
            self.opponent.keep(heard if sonar_answer == "Y" else ~heard)
        if orders != "NA":
            self.opponent.hear(orders)
            for target in explosions(orders):
                self.own.explode(target)
        self.opponent.count(self.opponent_lives - opponent_lives)
        self.own.count(self.own_lives - own_lives)
        self.own_lives, self.opponent_lives = own_lives, opponent_lives

    def damage(self, target: int) -> float:
        """Return the lives that an explosion at `target` costs the opponent on average."""
        cells = self.opponent.cells
        return ((cells & splash(target)).bit_count() + (cells >> target & 1)) / cells.bit_count()

    def trigger(self) -> list[str]:
        """Set off the mine that does most damage, if it is worth it and we are not beside it."""
        harmless = [mine for mine in self.mines if not splash(mine) >> self.cell & 1]
        best = max(harmless, key=self.damage, default=None)
        if best is None or self.damage(best) < WORTH_A_MINE:
            return []
        self.mines.discard(best)
        self.opponent.explode(best)
        return [f"TRIGGER {best % WIDTH} {best // WIDTH}"]

    def shoot(self) -> list[str]:
        """Shoot where it does most damage, if the torpedo is ready, it is worth it and we are not beside it."""
        if self.missing["TORPEDO"] != 0:
            return []
        targets = cells_of(reachable(1 << self.cell, self.water, TORPEDO_RANGE) & ~splash(self.cell))
        best = max(targets, key=self.damage, default=None)
        if best is None or self.damage(best) < WORTH_A_TORPEDO:
            return []
        self.missing["TORPEDO"] = 3
        self.opponent.explode(best)
        return [f"TORPEDO {best % WIDTH} {best // WIDTH}"]

    def room(self, cell: int) -> tuple[int, int]:
        """Return how much water is left to move in from `cell`, and as a tie-break how closed the place is."""
        return reachable(1 << cell, self.free).bit_count(), -(spread(1 << cell) & self.free).bit_count()

    def move(self) -> list[str]:
        """Step where most room is left, and charge. Surface before if there is no way."""
        orders = []
        self.free &= ~(1 << self.cell)
        if not spread(1 << self.cell) & self.free:
            orders.append("SURFACE")
            self.free = self.water & ~(1 << self.cell)
        ways = [name for name, by in SHIFTS.items() if spread(1 << self.cell) & self.free & shift(1 << self.cell, by)]
        if ways:
            way = max(ways, key=lambda name: self.room(self.cell + SHIFTS[name]))
            power = next((name for name in CHARGE_ORDER if self.missing[name] > 0), "TORPEDO")
            orders.append(f"MOVE {way} {power}")
            self.missing[power] = max(0, self.missing[power] - 1)
            self.cell += SHIFTS[way]
            self.free &= ~(1 << self.cell)
        return orders

    def run_silent(self) -> list[str]:
        """Run up to four steps unheard if the opponent has nearly found us."""
        if self.missing["SILENCE"] != 0 or self.own.cells.bit_count() > FOUND:
            return []
        runs: dict[tuple[str, int], int] = {("N", 0): self.cell}
        for name, by in SHIFTS.items():
            for steps in range(1, 5):
                target = self.cell + by * steps
                if target < 0 or not self.free >> target & 1:
                    break
                runs[name, steps] = target
        most_room = max(self.room(target)[0] for target in runs.values())
        name, steps = self.dice.choice([run for run, target in runs.items() if self.room(target)[0] >= most_room - 4])
        for _ in range(steps):
            self.cell += SHIFTS[name]
            self.free &= ~(1 << self.cell)
        return [f"SILENCE {name} {steps}"]

    def lay_mine(self) -> list[str]:
        """Lay a mine on any side where there is water and none of ours yet."""
        if self.missing["MINE"] != 0:
            return []
        sides = [n for n, by in SHIFTS.items() if shift(1 << self.cell, by) & self.water and self.cell + by not in self.mines]
        if not sides:
            return []
        side = self.dice.choice(sides)
        self.mines.add(self.cell + SHIFTS[side])
        return [f"MINE {side}"]

    def ask_sonar(self) -> list[str]:
        """Ask for the sector that splits the opponent's shadow most evenly."""
        cells = self.opponent.cells
        if self.missing["SONAR"] != 0 or cells.bit_count() <= FOUND:
            return []
        middle = cells.bit_count() / 2
        self.sonar_sector = min(range(1, 10), key=lambda s: abs((cells & sector_cells(s)).bit_count() - middle))
        return [f"SONAR {self.sonar_sector}"]

    def choose_line(self) -> list[str]:
        """Return the orders of this turn."""
        orders = self.trigger() + self.shoot() + self.move()
        if not any(order.startswith("TORPEDO") for order in orders):
            orders += self.shoot()
        self.own.hear(...)
        return orders
