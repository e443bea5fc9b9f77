"""A game for three whose referee is a program: what is added to the ladder, and bots that play it.

The referee is a process of its own in each match, so it can be killed apart from the worker. Its bots take their time,
so that a match lasts long enough to be hit.
"""

import shutil

from cli.answer import ExitStatus
from tests.chaos.victim import REFEREE, Victim
from tests.referees.compiled import PYTHON

NAME = "foragers"
PLAYERS = 3
ROUNDS = 12
LIMIT_MS = 1000
"""Of a turn: a machine under such a load is slow."""
BOT = """import sys, time

def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    return line.split()

seat, seats = map(int, read())
bushes = int(read()[0])
while True:
    (turn,) = map(int, read())
    for _ in range(seats + 1):
        read()
    time.sleep(0.01)
    print(f"PICK {(turn + seat) % bushes}", flush=True)
"""


def add_to(victim: Victim) -> None:
    """Add the game to the ladder, as an operator does."""
    folder = victim.folder / NAME
    folder.mkdir()
    shutil.copy(PYTHON, folder / REFEREE)
    words = ["--referee", f"python3 {REFEREE}", "--kind", "sdk", "--players", str(PLAYERS)]
    words += ["--param", f"rounds={ROUNDS}", "--turn-limit", str(LIMIT_MS), "--first-limit", str(LIMIT_MS)]
    done = victim.run("game", "add", NAME, *words, player="olga", folder=folder)
    if done.returncode != ExitStatus.OK:
        raise RuntimeError(f"the game was not added: {done.stderr}")
