"""A bot for Wood 3 of A Code of Ice and Fire whose choices were learned: `learn.py` beside it finds the weights.

It looks at each order that it could give, adds up what speaks for it, draws one, rather one with a large sum, and looks
again, until it draws the end of the turn. The dice are seeded with the map, so a match comes out the same way again.
"""

import math
import random
from functools import cache

WEIGHTS = [0.0] * 13
SIZE, PRICE = 12, 10
VOID, NEUTRAL, ACTIVE, CUT_OFF = range(4)  # `#.Oo`; the opponent's cells are 4 and 5
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))  # up, right, down, left: the first four planes of actions
TRAIN = 4


@cache
def around(x, y):
    return [(x + dx, y + dy) for dx, dy in STEPS if 0 <= x + dx < SIZE and 0 <= y + dy < SIZE]


def distances(goal, marks):
    """How many steps it is from each floor cell to the goal."""
    far, edge = {goal: 0}, [goal]
    for x, y in edge:
        for cell in around(x, y):
            if marks[cell[1]][cell[0]] != VOID and cell not in far:
                far[cell] = far[x, y] + 1
                edge.append(cell)
    return far


def features(marks, enemies, far, action):
    """What speaks for or against an order: plane, x and y as in the environment. None is the end of the turn."""
    if action is None:
        return [0] * len(WEIGHTS)
    plane, x, y = action
    trains = plane >= TRAIN
    tx, ty = (x, y) if trains else (x + STEPS[plane][0], y + STEPS[plane][1])
    mark = marks[ty][tx]
    half = [
        mark == NEUTRAL,
        mark > CUT_OFF,
        mark in (ACTIVE, CUT_OFF),
        -far[tx, ty] / 10 if trains else far[x, y] - far[tx, ty],
        (tx, ty) in enemies,
        sum(marks[v][u] not in (VOID, ACTIVE) for u, v in around(tx, ty)) / 4,
    ]
    zeros = [0] * len(half)
    return [*(zeros + half if trains else half + zeros), far[tx, ty] == 0]


def connected(home, marks):
    """Mark own cells that hang together with the headquarters as active, the others as cut off."""
    found, edge = {home}, [home]
    for cell in edge:
        new = [(x, y) for x, y in around(*cell) if marks[y][x] in (ACTIVE, CUT_OFF) and (x, y) not in found]
        found.update(new)
        edge += new
    for y, row in enumerate(marks):
        for x, mark in enumerate(row):
            if mark in (ACTIVE, CUT_OFF):
                row[x] = ACTIVE if (x, y) in found else CUT_OFF


class Turn:
    """What was read, as the orders given so far have changed it."""

    def __init__(self):
        self.gold = int(input())
        for _ in range(3):
            input()
        self.marks = [["#.OoXx".index(mark) for mark in input()] for _ in range(SIZE)]
        buildings = [tuple(map(int, input().split())) for _ in range(int(input()))]
        units = [tuple(map(int, input().split())) for _ in range(int(input()))]
        self.home, self.goal = (next(b[2:] for b in buildings if b[0] == owner) for owner in (0, 1))
        self.ready = {(x, y): name for owner, name, _, x, y in units if owner == 0}
        self.enemies = {(x, y) for owner, _, _, x, y in units if owner == 1}
        self.closed = {self.home, *self.ready}

    def possible(self):
        cells = ((x, y) for y in range(SIZE) for x in range(SIZE) if self.marks[y][x] != VOID)
        free = dict.fromkeys(cell for cell in cells if cell not in self.closed)  # a set that keeps its order
        for x, y in self.ready:
            yield from ((plane, x, y) for plane, (dx, dy) in enumerate(STEPS) if (x + dx, y + dy) in free)
        for x, y in free if self.gold >= PRICE else ():
            if any(self.marks[v][u] == ACTIVE for u, v in [(x, y), *around(x, y)]):
                yield TRAIN, x, y

    def carry_out(self, action):
        """Return the order as the referee reads it."""
        plane, x, y = action
        if plane == TRAIN:
            self.gold -= PRICE
            order = f"TRAIN 1 {x} {y}"
        else:
            name = self.ready.pop((x, y))
            self.closed.remove((x, y))
            x, y = x + STEPS[plane][0], y + STEPS[plane][1]
            order = f"MOVE {name} {x} {y}"
        self.closed.add((x, y))
        self.enemies.discard((x, y))
        self.marks[y][x] = ACTIVE
        connected(self.home, self.marks)
        return order


def main():
    for _ in range(int(input())):
        input()  # mine spots, of which Wood 3 has none
    far = dice = None
    while True:
        try:
            turn = Turn()
        except EOFError:
            return
        far = far or distances(turn.goal, turn.marks)
        dice = dice or random.Random(repr(turn.marks))
        orders = []
        while (action := draw(turn, far, dice)) and turn.goal not in turn.closed:
            orders.append(turn.carry_out(action))
        print(";".join(orders) or "WAIT", flush=True)


def draw(turn, far, dice):
    """Return an order, or None for the end of the turn."""
    actions = [None, *turn.possible()]
    rows = [features(turn.marks, turn.enemies, far, action) for action in actions]
    sums = [sum(weight * value for weight, value in zip(WEIGHTS, row)) for row in rows]
    highest = max(sums)
    return dice.choices(actions, [math.exp(one - highest) for one in sums])[0]


if __name__ == "__main__":
    main()
