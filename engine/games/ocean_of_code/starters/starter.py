"""A starter for Ocean of Code: plays legally in every league, and leaves everything else to you.

Each turn it steps to the first free cell and charges its torpedo. It surfaces when it has nowhere to go. When the
opponent surfaces it guesses the middle of that sector, lets the guess move along with the opponent, and fires when
the guess comes near.
"""

from __future__ import annotations

STEPS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
TORPEDO_RANGE = 4

# What is sent first: the size of the map, which player we are, and the map ("." is water, "x" is land).
width, height, my_id = map(int, input().split())
rows = [input() for _ in range(height)]
water = {(x, y) for y in range(height) for x in range(width) if rows[y][x] == "."}

# The first answer is where to start: any water cell. The map and our number choose it, so that two bots which begin
# with this source do not start on one cell, and a match can be played again.
cells = sorted(water)
start_x, start_y = cells[(sum(7 * x + y for x, y in cells) + my_id * len(cells) // 3) % len(cells)]
print(start_x, start_y, flush=True)

visited: set[tuple[int, int]] = set()  # cells that we may not enter again before we surface
guess: tuple[int, int] | None = None  # where we believe the opponent to be

while True:
    # What is sent each turn. A cooldown is what is missing to a full charge, and -1 where the league lacks the power.
    x, y, my_life, opponent_life, torpedo_cooldown, sonar_cooldown, silence_cooldown, mine_cooldown = map(
        int, input().split()
    )
    sonar_result = input()  # Y, N or NA
    opponent_orders = input()  # such as MOVE N|TORPEDO 3 5, or NA
    visited.add((x, y))

    # Follow the opponent.
    for order in opponent_orders.split("|"):
        name, *arguments = order.split()
        if name == "SURFACE":
            sector = int(arguments[0]) - 1  # sectors are 5 by 5 cells, counted from 1, row by row
            guess = (5 * (sector % 3) + 2, 5 * (sector // 3) + 2)
        elif name == "MOVE" and guess:
            dx, dy = STEPS[arguments[0]]
            guess = (guess[0] + dx, guess[1] + dy)
        elif name == "SILENCE":
            guess = None

    # Orders are joined by "|"; each kind may be given once a turn.
    orders: list[str] = []

    # Fire at the guess, but not where the explosion would hit us. (If land is in the way, the order is ignored.)
    if torpedo_cooldown == 0 and guess in water:
        dx, dy = abs(guess[0] - x), abs(guess[1] - y)
        if dx + dy <= TORPEDO_RANGE and max(dx, dy) > 1:
            orders.append(f"TORPEDO {guess[0]} {guess[1]}")

    # Step to the first free cell, or surface, which makes all cells free again.
    free = [way for way, (dx, dy) in STEPS.items() if (x + dx, y + dy) in water - visited]
    if free:
        orders.append(f"MOVE {free[0]} TORPEDO")
    else:
        orders.append("SURFACE")
        visited.clear()

    print("|".join(orders), flush=True)
