"""`make fleet`: what a fleet of 20, 200 and 1,000 simulated processes does to one PostgreSQL, as a table.

Presence, claim and record are the project's own, and so are the messages; playing is left out. Two more runs have
matches of no length, so that nothing but recording is done. Times depend on the machine, and all of it runs on this
one: the servers and the whole fleet. At the end a fleet follows `ladder_workers_wanted`. The exit status is 1
if a match was lost or rated twice, a task failed, or that number does not settle within a minute.
"""

import argparse
import os
import sys
from statistics import mean, median

from tests.bench.report import say
from tests.fleet.run import Fleet, Outcome, run
from tests.fleet.scaling import WAIT_S, courses
from workers.commands import cores

RUNS = (Fleet(20, 1.0), Fleet(200, 5.0), Fleet(1000, 20.0), Fleet(20, 0.0), Fleet(200, 0.0), Fleet(1000, 0.0))
HEAD = (
    "processes",
    "match s",
    "playing",
    "matches/s",
    "schedule (99 %)",
    "fleet_of (99 %)",
    "claim (99 %)",
    "record (99 %)",
    "sessions (most)",
    "server MB",
)


def main() -> int:
    """Do all runs, or those that were asked for, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.fleet", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--processes", type=int, help="one run alone, of this many")
    parser.add_argument("--length", type=float, default=5.0, help="of a match in seconds, in that run [5]")
    parser.add_argument("--seconds", type=float, default=30.0, help="that are measured [30]")
    parser.add_argument("--sessions", type=int, default=500, help="that PostgreSQL allows (max_connections) [500]")
    parser.add_argument("--scaling", action="store_true", help="only a fleet that follows `ladder_workers_wanted`")
    asked = parser.parse_args()
    if asked.scaling:
        return 0 if scales() else 1
    runs = RUNS if asked.processes is None else (Fleet(asked.processes, asked.length),)
    say(f"{cores()} cores, load {os.getloadavg()[0]:.1f} before we began")
    say(" ".join(f"{cell:>16}" for cell in HEAD))
    good = True
    for fleet in runs:
        outcome = run(Fleet(fleet.processes, fleet.length_s, max_connections=asked.sessions, seconds=asked.seconds))
        say(" ".join(f"{cell:>16}" for cell in cells(outcome)))
        say("  cores that were busy: " + ", ".join(f"{part} {busy:.2f}" for part, busy in outcome.seen.cores.items()))
        for fault in outcome.faults[:5]:
            say(f"  {fault}")
        good &= not (outcome.lost or outcome.faults)
    return 0 if (asked.processes is not None or scales()) and good else 1


def scales() -> bool:
    """Print how the number does, and say whether it settles as it should."""
    say(f"workers wanted, for a wait of {WAIT_S:.0f} s, and that many play:")
    good = True
    for course in courses():
        say(course.words())
        good &= course.is_good
    return good


def cells(outcome: Outcome) -> list[str]:
    """Return a run's row of the table."""
    seen = outcome.seen
    return [
        str(outcome.fleet.processes),
        f"{outcome.fleet.length_s:g}",
        f"{100 * outcome.share_playing:.0f} %",
        f"{outcome.pace:.1f}",
        middle_and_late(seen.schedules_s),
        middle_and_late(seen.looks_s),
        middle_and_late([one.claim_s for one in outcome.played]),
        middle_and_late([one.record_s for one in outcome.played]),
        f"{mean(seen.sessions):.0f} ({max(seen.sessions)})",
        f"{max(seen.memory_mb):.0f}",
    ]


def middle_and_late(times_s: list[float]) -> str:
    """Write the median and what 99 % stayed below, in milliseconds."""
    if not times_s:
        return "-"
    return f"{1000 * median(times_s):.1f} ({1000 * sorted(times_s)[int(0.99 * len(times_s))]:.0f})"


if __name__ == "__main__":
    sys.exit(main())
