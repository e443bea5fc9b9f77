"""`make sprt`: after how many battles is a new version's rank known, by four readings of the same matches?

A simulated ladder of 50 bots plays its battles. Then newcomers come one at a time, each in the place of a bot and about
as strong as that one was (N(0, 60 Elo)), and play their battles. After 5, 10, 25, 50 and 100 of them it is seen whether
a newcomer's rank is within 2 places of the true one: by the live score, by mu, by the fit of all matches at once, and
by that fit with its predecessor (`ladder rating settle --with-predecessors`). Seeds, bots and spreads are others than
those by which the numbers of that were chosen.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import log
from random import Random
from statistics import fmean

import numpy as np

from engine.parallel import in_processes
from engine.series import jobs_or_all_cores
from ladder.matchmaking.simulation import Ladder, Plan
from ladder.ratings.models import RatingSettings
from ladder.statistics.davidson import NO_PREDECESSOR, deviations, fit, inherited, pairs_of

MARKS = (5, 10, 25, 50, 100)
NEAR = 2
NEWCOMERS = 10
CHILD_ELO = 60.0
ELO_OF_BETA = 400 * log(3) / log(10)
"""A bot that is one beta stronger wins three matches of four."""
READINGS = ("live score", "mu", "settled", "settled with predecessor")


def places(ladder: Ladder, version: int, predecessor: int) -> dict[str, int]:
    """Return the rank of a newcomer by each reading, counted from 0."""
    entered = ladder.ranking()
    first, second, half_points = np.array(ladder.history, dtype=np.int64).T
    versions = len(ladder.strengths)
    settled, factor = fit(pairs_of(first, second, half_points), versions)
    before = np.full(versions, NO_PREDECESSOR)
    before[version] = predecessor
    joined, _ = inherited(settled, deviations(factor), before)
    values: dict[str, Callable[[int], float]] = {
        "mu": lambda one: ladder.ratings[one].mu,
        "settled": lambda one: settled[one],
        "settled with predecessor": lambda one: joined[one],
    }
    found = {name: rank(entered, version, of) for name, of in values.items()}
    return {"live score": entered.index(version), **found}


def rank(entered: Sequence[int], version: int, of: Callable[[int], float]) -> int:
    return sum(of(one) > of(version) for one in entered if one != version)


def newcomers(plan: Plan, repeat: int) -> list[tuple[int, str, int]]:
    """Play a ladder and its newcomers: for each mark and reading how far a newcomer's rank is from the true one."""
    ladder = Ladder(plan, "codingame", "trueskill", repeat)
    while ladder.step(8):
        pass
    found = []
    beta = RatingSettings().beta
    for number in range(NEWCOMERS):
        chance = Random(f"{plan.seed} {repeat} {number}")
        again = ladder.copy(chance)
        predecessor = chance.randrange(plan.bots)
        version = again.resubmit(predecessor)
        again.strengths[version] += chance.gauss(0, CHILD_ELO / ELO_OF_BETA * beta)
        true = rank(again.ranking(), version, again.strengths.__getitem__)
        for mark in MARKS:
            while again.battles[version] < mark and again.step(min(mark - again.battles[version], 4)):
                pass
            own = places(again, version, predecessor)
            found += [(mark, name, abs(place - true)) for name, place in own.items()]
    return found


def table(found: Sequence[tuple[int, str, int]]) -> Iterator[str]:
    yield f"share within {NEAR} places of the true rank, and mean distance, after so many battles"
    yield f"{'':26}" + "".join(f"{mark:>14}" for mark in MARKS)
    for name in READINGS:
        cells = []
        for mark in MARKS:
            off = [distance for at, which, distance in found if (at, which) == (mark, name)]
            cells.append(f"{sum(one <= NEAR for one in off) / len(off):>8.0%}{fmean(off):>6.1f}")
        yield f"{name:26}" + "".join(cells)


def verdict(found: Sequence[tuple[int, str, int]]) -> bool:
    """Say whether the fit with the predecessor knows most within the first 50 battles, as the documents say."""
    near: Counter[str] = Counter()
    for mark, name, distance in found:
        near[name] += mark <= 50 and distance <= NEAR
    return near.most_common(1)[0][0] == READINGS[-1]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.readings", description=__doc__)
    parser.add_argument("--repeats", type=int, default=24, help="ladders, each with 10 newcomers; 24 by default")
    parser.add_argument("--bots", type=int, default=50)
    parser.add_argument("--spread", type=float, default=1.0, help="of the bots' strengths, in betas")
    parser.add_argument("--seed", type=int, default=11)
    asked = parser.parse_args()
    plan = Plan(bots=asked.bots, battles=100, spread=asked.spread, seed=asked.seed)
    work = partial(newcomers, plan)
    rows = [row for of in in_processes(work, range(asked.repeats), jobs_or_all_cores(0)) for row in of]
    sys.stdout.write("".join(f"{line}\n" for line in table(rows)))
    return 0 if verdict(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
