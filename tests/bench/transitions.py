"""How many turns a second become transitions, are compared with what a simulator says, and come from the site."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from engine.conformance.simulator import StateComparison
from engine.games.golden import MatchRecord
from engine.records.official_file import attempts, official_match, saved_matches
from ladder.views.turns.transitions import SimulationCheck, Transition, transitions
from tests.bench.replays import longest, watched
from tests.bench.report import line
from tests.bench.rules import play_record
from tests.catalogue import GAMES
from tests.unit.test_official_files import no_sandbox, saved

BACK = [sys.executable, "-c", "import json, sys\nfor one in sys.stdin: print(json.dumps(json.loads(one)['before']))"]
"""A simulator for which nothing ever happens: it reads and writes as much as any."""
ROUNDS = 5
T = TypeVar("T")


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    for name in ("ocean-of-code", "ice-and-fire"):
        records = longest(name)
        turns = sum(len(record.asks) for record in records)
        found = [list(of(record)) for record in records]
        rules_s = least_s(play_record, records)
        written_s = least_s(write, records)
        yield line(f"transitions, {name}", turns / written_s, "a second", words("as lines", written_s / rules_s))
        files = [json.dumps(saved(record)).encode() for record in records]
        imported_s = least_s(bring_in, files)
        how = words("from the site's files, led again", imported_s / rules_s)
        yield line(f"imported, {name}", turns / imported_s, "a second", how)
        checked_s = least_s(check, found)
        how = words("put to a simulator in Python, with its time, and compared", checked_s / rules_s)
        yield line(f"simcheck, {name}", turns / checked_s, "a second", how)


def words(what: str, times: float) -> str:
    return f"{what}, by CPU time; {times:.1f} times what the rules alone take"


def of(record: MatchRecord) -> Iterator[Transition]:
    return transitions(watched(record, views=False))


def write(record: MatchRecord) -> None:
    for one in of(record):
        one.line()


def bring_in(file: bytes) -> None:
    (value,) = saved_matches(file)
    tried = attempts(official_match(value), GAMES.all, dict.fromkeys(game.name for game in GAMES.all), no_sandbox)
    assert tried[-1].result is not None


def check(of_match: Sequence[Transition]) -> None:
    SimulationCheck().take(BACK, of_match, StateComparison())


def least_s(work: Callable[[T], None], matches: Sequence[T]) -> float:
    """Return what CPU time the work takes for all matches, at best of some rounds, with that of programs it starts."""
    took = []
    for _ in range(ROUNDS):
        began = sum(os.times()[:4])
        for match in matches:
            work(match)
        took.append(sum(os.times()[:4]) - began)
    return min(took)
