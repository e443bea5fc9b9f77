"""`make sprt`: after how many battles is a new version's rank known, by four readings of the same matches?

A simulated ladder of 50 bots plays its battles. Then newcomers come one at a time, each in the place of a bot and about
as strong as that one was (N(0, 60 Elo)), and play their battles. After 5, 10, 25, 50 and 100 of them it is seen whether
a newcomer's rank is within 2 places of the true one: by the live score, by mu, by the fit of all matches at once, and
by that fit with its predecessor, as boards with `ranked_by = "settled"` have it until its battles end. Of both fits it
is counted how often the true rank lies in the interval of 95 %. At last newcomers stop as `rank_width` lets them.
Seeds, bots and spreads are others than those by which the numbers of that were chosen.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from random import Random
from statistics import fmean

import numpy as np

from engine.parallel import in_processes
from engine.series import jobs_or_all_cores
from ladder.leagues.settings import SURE_BATTLES
from ladder.matchmaking.simulation import Ladder, SimulationPlan
from ladder.ratings.models import RatingSettings
from ladder.statistics.davidson import NO_PREDECESSOR, SettledStrength, pairs_of, settle

MARKS = (5, 10, 25, 50, 100)
NEAR = 2
NEWCOMERS = 10
CHILD_ELO = 60.0
ELO_OF_BETA = 400 * log(3) / log(10)
"""A bot that is one beta stronger wins three matches of four."""
LEAST_COVERAGE = 0.9
READINGS = ("live score", "mu", "settled", "settled with predecessor")
WIDTHS, NEVER = (6, 10, 14), -1


@dataclass(frozen=True)
class Reading:
    """How far a newcomer's rank is from the true one after so many battles, by one reading.

    `holds`: whether the true one lies in its interval; `width`: that of the interval. None where there is none.
    """

    battles: int
    name: str
    distance: int
    holds: bool | None = None
    width: int | None = None


def readings(ladder: Ladder, version: int, predecessor: int) -> Iterator[Reading]:
    entered, battles = ladder.ranking(), ladder.battles[version]
    true = rank(entered, version, ladder.strengths)
    yield Reading(battles, READINGS[0], abs(entered.index(version) + 1 - true))
    yield Reading(battles, READINGS[1], abs(rank(entered, version, [one.mu for one in ladder.ratings]) - true))
    for name, before in zip(READINGS[2:], (NO_PREDECESSOR, predecessor), strict=True):
        found = settled(ladder, entered, version, before)
        holds = found.rank_low <= true <= found.rank_high
        yield Reading(battles, name, abs(found.rank - true), holds, found.rank_high - found.rank_low)


def settled(ladder: Ladder, entered: Sequence[int], version: int, predecessor: int) -> SettledStrength:
    """Fit as `ladder.ratings.settled_fit` does; all others have had their battles, so they have no predecessor."""
    first, second, half_points = np.array(ladder.history, dtype=np.int64).T
    versions = len(ladder.strengths)
    before = np.full(versions, NO_PREDECESSOR)
    before[version] = predecessor
    listed = np.isin(np.arange(versions), entered)
    found = settle(pairs_of(first, second, half_points), versions, listed, before, together=True)
    return next(one for one in found if one.version == version)


def rank(entered: Sequence[int], version: int, values: Sequence[float]) -> int:
    return 1 + sum(values[one] > values[version] for one in entered)


def newcomers(plan: SimulationPlan, repeat: int) -> list[list[Reading]]:
    """Play a ladder and its newcomers, and read each of them at the marks and wherever it might stop."""
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
        own: list[Reading] = []
        for battles in sorted({*MARKS, *range(SURE_BATTLES, MARKS[-1], 5)}):
            while again.battles[version] < battles and again.step(min(battles - again.battles[version], 4)):
                pass
            own += readings(again, version, predecessor)
        found.append(own)
    return found


def table(found: Sequence[Sequence[Reading]]) -> Iterator[str]:
    rows = [row for own in found for row in own]
    yield f"share within {NEAR} places of the true rank, and mean distance, after so many battles"
    yield f"{'':26}" + "".join(f"{mark:>14}" for mark in MARKS)
    for name in READINGS:
        cells = (summary([row for row in rows if (row.battles, row.name) == (mark, name)]) for mark in MARKS)
        yield f"{name:26}" + "".join(cells)
    yield "share of intervals of 95 % that hold the true rank, and their mean width"
    for name in READINGS[2:]:
        cells = (interval([row for row in rows if (row.battles, row.name) == (mark, name)]) for mark in MARKS)
        yield f"{name:26}" + "".join(cells)
    yield f"with the predecessor, stopped where the interval is so narrow, or after {MARKS[-1]} battles"
    yield f"{'width':26}{'battles':>14}{'within':>14}{'interval':>14}"
    for width in (*WIDTHS, NEVER):
        ends = [stop(own, width) for own in found]
        battles = fmean(row.battles for row in ends)
        yield f"{'never' if width == NEVER else width:<26}{battles:>14.0f}{summary(ends)}{interval(ends)}"


def stop(own: Sequence[Reading], width: int) -> Reading:
    mine = [row for row in own if row.name == READINGS[-1] and row.battles >= SURE_BATTLES]
    return next((row for row in mine if row.width is not None and row.width <= width), mine[-1])


def summary(rows: Sequence[Reading]) -> str:
    return f"{fmean(row.distance <= NEAR for row in rows):>8.0%}{fmean(row.distance for row in rows):>6.1f}"


def interval(rows: Sequence[Reading]) -> str:
    return f"{fmean(bool(row.holds) for row in rows):>8.0%}{fmean(row.width or 0 for row in rows):>6.1f}"


def verdict(found: Sequence[Sequence[Reading]]) -> bool:
    """Say whether the fit with the predecessor knows most within the first 50 battles, as the documents say.

    And whether its intervals hold nearly as often as they say.
    """
    near: Counter[str] = Counter()
    rows = [row for own in found for row in own if row.battles in MARKS]
    for row in rows:
        near[row.name] += row.battles <= 50 and row.distance <= NEAR
    holds = fmean(bool(row.holds) for row in rows if row.name == READINGS[-1])
    return near.most_common(1)[0][0] == READINGS[-1] and holds >= LEAST_COVERAGE


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.readings", description=__doc__)
    parser.add_argument("--repeats", type=int, default=24, help="ladders, each with 10 newcomers; 24 by default")
    parser.add_argument("--bots", type=int, default=50)
    parser.add_argument("--spread", type=float, default=1.0, help="of the bots' strengths, in betas")
    parser.add_argument("--seed", type=int, default=11)
    asked = parser.parse_args()
    plan = SimulationPlan(bots=asked.bots, battles=100, spread=asked.spread, seed=asked.seed)
    work = partial(newcomers, plan)
    rows = [own for of in in_processes(work, range(asked.repeats), jobs_or_all_cores(0)) for own in of]
    sys.stdout.write("".join(f"{line}\n" for line in table(rows)))
    return 0 if verdict(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
