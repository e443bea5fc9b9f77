"""`make bench`: every figure that we claim, measured in one run; `python -m tests.bench NAME ...` measures some."""

import argparse
import os
import sys
from importlib import import_module

from tests.bench.report import say
from workers.commands import cores

BENCHES = """
set_up start_up rules replays transitions bots share referees ratings settle matchmaking board service terminal viewer
pages accounts last_minute
"""
"""Modules beside this one. Each has `lines()`, which measures and gives what is printed."""


def main() -> None:
    """Measure what is asked for, and print each figure when it is known."""
    known = BENCHES.split()
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure what we claim.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(known)}; all if none is given")
    names = parser.parse_args().names
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no bench is called {unknown[0]}; there are: {', '.join(known)}")
    say(f"{cores()} cores, load {os.getloadavg()[0]:.1f} before we began, Python {sys.version.split()[0]}")
    for name in names or known:
        for line in import_module(f"tests.bench.{name}").lines():
            say(line)


if __name__ == "__main__":
    main()
