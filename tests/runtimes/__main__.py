"""`make runtimes`: are bots of languages that compile while they run ever late, though they take care not to be?

For each of these languages a bot plays that searches for 35 of its 50 ms by its own clock on the wall, from its first
turn on: first alone, then with two busy programs on the cores that it plays on. A match for which the host is too busy
is played again, at most twice. The exit status is 1 if a bot was found at fault or a match could not be played; 5 if
all went well but a language is not installed here.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext

from engine.errors import ArenaError, MissingTool
from engine.sandbox.choice import open_sandbox
from engine.series import MOST_TRIES
from tests.bench.report import say
from tests.fair import busy_programs
from tests.runtimes.trial import Tally, built, matches, searchers, tally

BUSY = (0, 2)
MOST_FAULTS = 3  # shown of a row
PASSED, FAILED = 0, ArenaError.exit_status
FORM = "{:12} {:>5} {:>8} {:>7} {:>9} {:>9} {:>10}  {}"
TITLES = ("language", "busy", "matches", "turns", "time-outs", "slowest", "allowance", "")


def main() -> int:
    """Play all matches, print them as a table, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.runtimes", description=__doc__)
    parser.add_argument("--matches", type=int, default=50, help="of each bot at each load; 50 by default")
    parser.add_argument("--language", choices=sorted(searchers()), help="this one only")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="matches at once")
    options = parser.parse_args()
    languages = [options.language] if options.language else sorted(searchers())
    say(FORM.format(*TITLES))
    return whole_status(show(language, busy, options.matches, options.jobs) for language in languages for busy in BUSY)


def whole_status(rows: Iterable[int]) -> int:
    found = set(rows)
    return FAILED if FAILED in found else max(found)


def show(language: str, busy: int, count: int, jobs: int) -> int:
    """Play the matches of a bot at a load, print them as a line, and return the exit status for them."""
    sandbox = open_sandbox()
    try:
        program = built(searchers()[language], sandbox)
    except MissingTool as missing:
        say(f"{language:12} {busy:>5} not tried: {missing}")
        return missing.exit_status
    with busy_programs(busy, os.sched_getaffinity(0)) if busy else nullcontext():
        done = tally(list(matches(program, count, jobs=jobs)))
    say(line(language, busy, done))
    return FAILED if done.faults or done.unplayed else PASSED


def line(language: str, busy: int, done: Tally) -> str:
    times = f"{done.slowest_ms:.1f}", f"{done.allowance_ms:.1f}"
    wrong = "; ".join((*done.faults[:MOST_FAULTS], *unplayed_words(done)))
    return FORM.format(language, busy, done.matches, done.turns, done.timeouts, *times, wrong).rstrip()


def unplayed_words(done: Tally) -> Iterator[str]:
    if done.unplayed:
        yield f"{len(done.unplayed)} more not played, in {MOST_TRIES} tries each: {done.unplayed[-1]}"


if __name__ == "__main__":
    sys.exit(main())
