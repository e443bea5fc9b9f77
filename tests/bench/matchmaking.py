"""Matchmaking decisions per second on a large board."""

import time
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from ladder.ids import LeagueId, VersionId
from ladder.matchmaking.matchmaker import BoardEntrant, PairingBoard, Scheme, pairings
from tests.bench.report import line

VERSIONS = 10_000
AT_ONCE = 32
"""What a scheduler with an empty queue arranges in one go; reading the board is part of each go."""
MEASURE_S = 2.0
KINDS = (
    ("codingame", "codingame", False),
    ("informed", "informed", False),
    ("informed, idle", "informed", True),
    ("as psyleague", "random", False),
)
"""What is measured. Opponents at random, as psyleague pairs, are for comparison."""


def lines() -> Iterator[str]:
    for name, matchmaking, idle in KINDS:
        words = f"{VERSIONS:,} versions, {AT_ONCE} battles at a time"
        yield line(f"pairing, {name}", decisions_per_s(matchmaking, idle=idle), "battles/s", words)


def decisions_per_s(matchmaking: str, *, idle: bool = False) -> float:
    """Return the decisions per second on a board of 10,000 versions, 32 to a call as the scheduler makes them.

    With `idle` nobody lacks battles, and the pairs are sought over the whole board.
    """
    chance = Random(1)
    ratings = sorted(((chance.gauss(25, 6), chance.uniform(0.8, 3)) for _ in range(VERSIONS)), reverse=True)
    entrants = [BoardEntrant(VersionId(one), 100, 0, f"player {one}", *rating) for one, rating in enumerate(ratings)]
    if not idle:
        for number in chance.sample(range(VERSIONS), 100):
            entrants[number] = replace(entrants[number], battles=chance.randrange(100))
    board = PairingBoard(LeagueId(1), entrants, Scheme(matchmaking))
    made, began = 0, time.perf_counter()
    while time.perf_counter() - began < MEASURE_S:
        made += len(pairings([board], AT_ONCE, chance, idle=AT_ONCE if idle else 0))
    return made / (time.perf_counter() - began)
