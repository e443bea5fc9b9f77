"""`make bench`: every figure that we claim, measured in one run; `python -m tests.bench NAME ...` measures some."""

import argparse
import os
import sys

from tests.bench import (
    accounts,
    board,
    bots,
    last_minute,
    matchmaking,
    pages,
    ratings,
    referees,
    replays,
    rules,
    service,
    set_up,
    settle,
    share,
    start_up,
    terminal,
    transitions,
    viewer,
)
from tests.bench.report import say
from workers.commands import cores

BENCHES = (
    set_up,
    start_up,
    rules,
    replays,
    transitions,
    bots,
    share,
    referees,
    ratings,
    settle,
    matchmaking,
    board,
    service,
    terminal,
    viewer,
    pages,
    accounts,
    last_minute,
)
"""Each has `lines()`, which measures and gives what is printed."""


def main() -> None:
    """Measure what is asked for, and print each figure when it is known."""
    by_name = {bench.__name__.rpartition(".")[2]: bench for bench in BENCHES}
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure what we claim.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(by_name)}; all if none is given")
    names = parser.parse_args().names
    if unknown := [name for name in names if name not in by_name]:
        parser.error(f"no bench is called {unknown[0]}; there are: {', '.join(by_name)}")
    say(f"{cores()} cores, load {os.getloadavg()[0]:.1f} before we began, Python {sys.version.split()[0]}")
    for name in names or by_name:
        for line in by_name[name].lines():
            say(line)


if __name__ == "__main__":
    main()
