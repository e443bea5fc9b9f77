"""Hunter, the boss of Silver: knows what each side knows of the other, and spends every power on that difference.

How this works. A `Shadow` is the set of cells where a submarine can be for someone who hears its orders and counts its
lives; a set is one integer with a bit per cell. Hunter follows two of them. The opponent's shadow tells where to
shoot and where to listen with the sonar; our own, as the opponent sees it, tells when it is time for a silent run.
Hunter saves these runs for its last life, and lays no mines.
"""

from __future__ import annotations

import random
import sys

WIDTH = 16  # one more than the map has: the empty column keeps a shifted set from running into the next row
SHIFTS = {"N": -WIDTH, "S": WIDTH, "W": -1, "E": 1}
TORPEDO_RANGE = 4
WORTH_A_TORPEDO = 0.5  # lives it must cost the opponent on average
FOUND = 6  # a shadow of so few cells is nearly found
STALKING_STEPS = 2  # how far to keep from an opponent that is nearly found: out of the splash, if only just
SPARE_ROOM = 4  # cells we do without for a better place
LAST_LIFE = 1  # with more, it does not run silent


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


def cell_at(x: str, y: str) -> int:
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
        together = 0
        for cells in self.by_loss.values():
            together |= cells
        return together

    def keep(self, where: int) -> None:
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
    """Our submarine: where it is and may go, both shadows, what it has laid and asked, and the orders of this turn."""

    def __init__(self, water: int, dice: random.Random) -> None:
        self.water = self.free = water
        self.dice = dice
        self.opponent, self.own = Shadow(water), Shadow(water)
        self.own_lives = self.opponent_lives = 6
        self.sonar_sector = 0
        self.cell = 0
        self.missing: dict[str, int] = {}
        self.orders: list[str] = []

    def choose_start(self) -> int:
        seas, left = [], self.water
        while left:
            seas.append(reachable(left & -left, left))
            left &= ~seas[-1]
        return self.dice.choice(cells_of(max(seas, key=int.bit_count)))

    def play(self, numbers: str, sonar_answer: str, heard: str) -> str:
        """Take in the three lines of a turn and return the orders."""
        self.listen(numbers, sonar_answer, heard)
        self.orders = []
        self.shoot()
        self.move()
        self.shoot()
        self.run_silent()
        self.ask_sonar()
        return "|".join(self.orders)

    def listen(self, numbers: str, sonar_answer: str, heard: str) -> None:
        x, y, own_lives, opponent_lives, *missing = map(int, numbers.split())
        self.cell = WIDTH * y + x
        self.free &= ~(1 << self.cell)
        self.missing = dict(zip(("TORPEDO", "SONAR", "SILENCE", "MINE"), missing, strict=True))
        if sonar_answer != "NA":
            sector = sector_cells(self.sonar_sector)
            self.opponent.keep(sector if sonar_answer == "Y" else ~sector)
        if heard != "NA":
            self.opponent.hear(heard)
            for target in explosions(heard):
                self.own.explode(target)
        self.opponent.count(self.opponent_lives - opponent_lives)
        self.own.count(self.own_lives - own_lives)
        self.own_lives, self.opponent_lives = own_lives, opponent_lives

    def give(self, order: str, heard: str | None = None) -> None:
        """Add an order to the line. The opponent hears it as it is, or as `heard`."""
        self.orders.append(order)
        self.own.hear(heard or order)

    def given(self, name: str) -> bool:
        return any(order.startswith(name) for order in self.orders)

    def enter(self, cell: int) -> None:
        self.cell = cell
        self.free &= ~(1 << cell)

    def damage(self, target: int) -> float:
        """Return the lives that an explosion at `target` costs the opponent on average."""
        cells = self.opponent.cells
        return ((cells & splash(target)).bit_count() + (cells >> target & 1)) / cells.bit_count()

    def shoot(self) -> None:
        """Shoot where it does most damage, if the torpedo is ready, it is worth it and we are not beside it."""
        if self.missing["TORPEDO"] != 0 or self.given("TORPEDO"):
            return
        targets = cells_of(reachable(1 << self.cell, self.water, TORPEDO_RANGE) & ~splash(self.cell))
        best = max(targets, key=self.damage, default=None)
        if best is not None and self.damage(best) >= WORTH_A_TORPEDO:
            self.missing["TORPEDO"] = 3
            self.give(f"TORPEDO {best % WIDTH} {best // WIDTH}")
            self.opponent.explode(best)

    def room(self, cell: int) -> tuple[int, int]:
        """Return how much water is left to move in from `cell`, and as a tie-break how closed the place is."""
        return reachable(1 << cell, self.free).bit_count(), -(spread(1 << cell) & self.free).bit_count()

    def stalk(self, cell: int) -> int:
        """Return how well a cell is placed to shoot next: 0 at best, or if the opponent is not nearly found."""
        if self.opponent.cells.bit_count() > FOUND:
            return 0
        steps, reached = 0, 1 << cell
        while not reached & self.opponent.cells and steps < WIDTH:
            steps, reached = steps + 1, spread(reached) & self.water
        return -abs(steps - STALKING_STEPS)

    def ways(self) -> dict[str, int]:
        return {name: self.cell + by for name, by in SHIFTS.items() if shift(1 << self.cell, by) & self.free}

    def choose_power(self) -> str:
        """Return what to charge: the torpedo first, then the silence, then the sonar."""
        return next((name for name in ("TORPEDO", "SILENCE", "SONAR") if self.missing[name] > 0), "TORPEDO")

    def move(self) -> None:
        """Step to where room is left and the opponent is in range, and charge. Surface before if there is no way."""
        if not self.ways():
            x, y = self.cell % WIDTH, self.cell // WIDTH
            self.give("SURFACE", f"SURFACE {x // 5 + 1 + 3 * (y // 5)}")
            self.free = self.water & ~(1 << self.cell)
        ways = self.ways()
        if ways:
            most_room = max(self.room(target)[0] for target in ways.values())
            roomy = [way for way, target in ways.items() if self.room(target)[0] >= most_room - SPARE_ROOM]
            way = max(roomy, key=lambda name: (self.stalk(ways[name]), self.room(ways[name])))
            power = self.choose_power()
            self.give(f"MOVE {way} {power}")
            self.missing[power] = max(0, self.missing[power] - 1)
            self.enter(ways[way])

    def run_silent(self) -> None:
        """Run up to four steps unheard on our last life, if the opponent has nearly found us."""
        if self.missing["SILENCE"] != 0 or self.own_lives > LAST_LIFE or self.own.cells.bit_count() > FOUND:
            return
        runs: dict[tuple[str, int], int] = {("N", 0): self.cell}
        for way, by in SHIFTS.items():
            for steps in range(1, 5):
                target = self.cell + by * steps
                if target < 0 or not self.free >> target & 1:
                    break
                runs[way, steps] = target
        most_room = max(self.room(target)[0] for target in runs.values())
        way, steps = self.dice.choice([run for run, target in runs.items() if self.room(target)[0] >= most_room - 4])
        self.give(f"SILENCE {way} {steps}", "SILENCE")
        for _ in range(steps):
            self.enter(self.cell + SHIFTS[way])

    def ask_sonar(self) -> None:
        """Ask for the sector that splits the opponent's shadow most evenly, unless it is nearly found already."""
        cells = self.opponent.cells
        if self.missing["SONAR"] == 0 and cells.bit_count() > FOUND:
            half = cells.bit_count() / 2
            self.sonar_sector = min(range(1, 10), key=lambda s: abs((cells & sector_cells(s)).bit_count() - half))
            self.give(f"SONAR {self.sonar_sector}")


def main() -> None:
    header = sys.stdin.readline()
    rows = [sys.stdin.readline() for _ in range(15)]
    water = sum(1 << WIDTH * y + x for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == ".")
    hunter = Hunter(water, random.Random(header + "".join(rows)))
    start = hunter.choose_start()
    print(start % WIDTH, start // WIDTH, flush=True)
    for numbers in sys.stdin:
        print(hunter.play(numbers, next(sys.stdin).strip(), next(sys.stdin).strip()), flush=True)


main()
