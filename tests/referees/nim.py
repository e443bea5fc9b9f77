"""A command that plays a whole match of nim, and starts the bots itself: who takes the last of the heap has won.

    nim.py [--scores] [--luck] SEED BOT...

It prints JSON as psyleague takes it, or with --scores one score for each player; with --luck these are drawn by lot.
"""

import json
import random
import subprocess
import sys


def take(player: subprocess.Popen[str], heap: int) -> int:
    """Ask a bot how many it takes, from 1 to 3. Raises ValueError, OSError for anything else."""
    assert player.stdin
    assert player.stdout
    player.stdin.write(f"{heap}\n")
    player.stdin.flush()
    taken = int(player.stdout.readline())
    if not 1 <= taken <= min(3, heap):
        raise ValueError(taken)
    return taken


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def main(words: list[str]) -> None:
    """Play a match and print how it ended."""
    options = [word for word in words if word.startswith("--")]
    seed, *bots = [word for word in words if not word.startswith("--")]
    heap = size = random.Random(int(seed)).randrange(10, 30)
    players = [subprocess.Popen([bot], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for bot in bots]
    errors, moves, turn = [0] * len(bots), [0] * len(bots), 0
    while heap and not any(errors):
        try:
            heap -= take(players[turn % len(bots)], heap)
        except (ValueError, OSError):
            errors[turn % len(bots)] = 1
        moves[turn % len(bots)] += 1
        turn += 1
    last = (turn - 1) % len(bots)
    ranks = [errors[seat] if any(errors) else int(seat != last) for seat in range(len(bots))]
    if options:
        scores = [-1 if error else 1 - rank for rank, error in zip(ranks, errors, strict=True)]
        say(*(random.sample(range(1_000_000), len(bots)) if "--luck" in options else scores))
        return
    own = [{"moves": number} for number in moves]
    say(json.dumps({"ranks": ranks, "errors": errors, "test_data": {"heap": size}, "player_data": own}))


if __name__ == "__main__":
    main(sys.argv[1:])
