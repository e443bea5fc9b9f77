"""What a newcomer has after a first day of Ocean of Code: the starter, a tidier path, and a guess that is kept.

Two ideas on top of the starter. It steps to the free cell with the fewest ways on, so its path lies close and it seldom
has to surface. And it takes every torpedo of the opponent for a sign of where the opponent is, and fires as near to
its guess as the torpedo reaches.
"""

from __future__ import annotations

STEPS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
TORPEDO_RANGE = 4

Cell = tuple[int, int]

width, height, _ = map(int, input().split())
rows = [input() for _ in range(height)]
water = {(x, y) for y in range(height) for x in range(width) if rows[y][x] == "."}


def ways(cell: Cell, free: set[Cell]) -> dict[str, Cell]:
    x, y = cell
    return {name: (x + dx, y + dy) for name, (dx, dy) in STEPS.items() if (x + dx, y + dy) in free}


def best_way(cell: Cell, free: set[Cell]) -> str | None:
    return min(ways(cell, free), key=lambda way: len(ways(ways(cell, free)[way], free)) or 9, default=None)


def target_for(cell: Cell, guess: Cell) -> Cell | None:
    """Return the cell nearest to the guess that a torpedo reaches and that does not hurt us, if it is near enough."""
    reached = {cell}
    for _ in range(TORPEDO_RANGE):
        reached |= {side for one in reached for side in ways(one, water).values()}

    def distance(one: Cell, other: Cell) -> int:
        return max(abs(one[0] - other[0]), abs(one[1] - other[1]))

    targets = [target for target in sorted(reached) if distance(target, cell) > 1 and distance(target, guess) <= 2]
    return min(targets, key=lambda target: distance(target, guess), default=None)


def follow(guess: Cell | None, orders: str) -> Cell | None:
    """Return where we believe the opponent to be after its orders."""
    for order in orders.split("|"):
        name, *values = order.split()
        if name == "SURFACE":
            row, column = divmod(int(values[0]) - 1, 3)
            guess = (5 * column + 2, 5 * row + 2)
        elif name == "TORPEDO":
            guess = (int(values[0]), int(values[1]))
        elif name == "MOVE" and guess:
            dx, dy = STEPS[values[0]]
            guess = (guess[0] + dx, guess[1] + dy)
    return guess


def main() -> None:
    """Place the submarine in the first water, then step, and shoot at the guess."""
    start_x, start_y = min(water)
    print(start_x, start_y, flush=True)
    free = water.copy()
    guess: Cell | None = None
    while True:
        x, y, _, _, torpedo_missing, *_ = map(int, input().split())
        input()  # the sonar's answer
        guess = follow(guess, input())
        free.discard((x, y))
        target = target_for((x, y), guess) if guess and torpedo_missing == 0 else None
        orders = [f"TORPEDO {target[0]} {target[1]}"] if target else []
        way = best_way((x, y), free)
        if way is None:
            free = water.copy()
        orders.append(f"MOVE {way} TORPEDO" if way else "SURFACE")
        print("|".join(orders), flush=True)


main()
