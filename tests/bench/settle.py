"""How long it takes to settle a long history: adding it up by pair, the fit, and every rank's interval."""

import time
from collections.abc import Iterator

import numpy as np

from ladder.statistics.davidson import Ints, pairs_of, settle
from tests.bench.ratings import BOTS, DRAWS, MATCHES, SEED
from tests.bench.report import line


def lines() -> Iterator[str]:
    yield line("settle", settle_s(), "s", f"{MATCHES:,} matches of {BOTS} bots; aim: under 30")


def history(bots: int, matches: int) -> tuple[Ints, Ints, Ints]:
    """Return synthetic matches of bots whose strengths spread like a ladder's: first, second, half points."""
    chance = np.random.default_rng(SEED)
    strengths = chance.normal(0, 2, bots)
    first = chance.integers(0, bots, matches)
    second = (first + chance.integers(1, bots, matches)) % bots
    wins = strengths[first] + chance.logistic(0, 1, matches) > strengths[second]
    return first, second, np.where(chance.random(matches) < DRAWS, 1, 2 * wins)


def settle_s(bots: int = BOTS, matches: int = MATCHES) -> float:
    """Return the seconds it takes, without reading the matches from the database."""
    played = history(bots, matches)
    began = time.perf_counter()
    settle(pairs_of(*played), bots)
    return time.perf_counter() - began
