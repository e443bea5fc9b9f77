"""`make runtimes`: are bots of languages that compile while they run ever late, though they take care not to be?

For each of these languages a bot plays that searches for 35 of its 50 ms by its own clock on the wall, from its first
turn on: first alone, then with two busy programs on the cores that it plays on. The exit status is 1 if a bot was found
at fault.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import nullcontext

from engine.errors import MissingTool
from engine.sandbox import open_sandbox
from tests.fair import busy_programs
from tests.runtimes.trial import Tally, built, matches, searchers, tally

BUSY = (0, 2)
FORM = "{:12} {:>5} {:>8} {:>7} {:>9} {:>9} {:>10}  {}"
TITLES = ("language", "busy", "matches", "turns", "time-outs", "slowest", "allowance", "")


def main() -> int:
    """Play all matches, print them as a table, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.runtimes", description=__doc__)
    parser.add_argument("--matches", type=int, default=200, help="of each bot at each load; 200 by default")
    parser.add_argument("--language", choices=sorted(searchers()), help="this one only")
    options = parser.parse_args()
    languages = [options.language] if options.language else sorted(searchers())
    say(FORM.format(*TITLES))
    passed = [show(language, busy, options.matches) for language in languages for busy in BUSY]
    return 0 if all(passed) else 1


def show(language: str, busy: int, count: int) -> bool:
    """Play the matches of a bot at a load, print them as a line, and say whether all went well."""
    sandbox = open_sandbox()
    try:
        program = built(searchers()[language], sandbox)
    except MissingTool as missing:
        say(f"{language:12} {missing}")
        return True
    with busy_programs(busy, os.sched_getaffinity(0)) if busy else nullcontext():
        done = tally(list(matches(program, count, sandbox)))
    say(line(language, busy, done))
    return not done.faults


def say(words: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def line(language: str, busy: int, done: Tally) -> str:
    """Write what matches came to."""
    times = f"{done.slowest_ms:.1f}", f"{done.allowance_ms:.1f}"
    return FORM.format(language, busy, done.matches, done.turns, done.timeouts, *times, "; ".join(done.faults[:3]))


if __name__ == "__main__":
    sys.exit(main())
