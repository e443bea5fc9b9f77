"""How long the JSON of a match takes, with and without what the seats could know, and how large it is."""

import gc
import gzip
import time
from collections.abc import Callable, Iterator
from statistics import median

from engine.games.golden import MatchRecord
from engine.replay import replay_of
from ladder.ids import MatchId
from ladder.views.encoding import to_json
from ladder.views.turns.watched_match import WatchedMatch, WatchedSeat, replay_data
from tests.bench.report import line
from tests.bench.rules import play_record
from tests.watching import as_played, records_of

AIMS_MS = {"ocean-of-code": 20, "ice-and-fire": 75}
"""Without what the seats could know."""
KNOWING = "ocean-of-code"
AIM_KNOWING_MS, AIM_KB = 150, 60
LONGEST = 7
"""So many of the longest recorded matches of a game are measured."""
ROUNDS = 5


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    matches = {name: longest(name) for name in AIMS_MS}
    gc.collect()
    gc.freeze()  # otherwise all that other benches and these records hold is looked through again and again
    for name, aim_ms in AIMS_MS.items():
        records = matches[name]
        turns = f"{min(len(one.asks) for one in records)} to {max(len(one.asks) for one in records)} turns"
        rules_ms = measured_ms(records, play_record)
        yield line(
            f"rules alone, {name}", rules_ms, "ms", f"the longest {len(records)} matches of all recorded: {turns}"
        )
        plain_ms = measured_ms(records, lambda one: document(one, views=False))
        yield line(f"replay, {name}", plain_ms, "ms", f"JSON, of the same; aim: at most {aim_ms}")
    records = matches[KNOWING]
    each = [measured_ms([one], lambda one: document(one, views=True)) for one in records]
    words = f"with what both seats could know (slowest of {len(each)}: {max(each):.0f}); aim: at most {AIM_KNOWING_MS}"
    yield line(f"replay, {KNOWING}", median(each), "ms", words)
    sizes = [len(gzip.compress(document(one, views=True).encode())) / 1000 for one in records]
    words = f"that compressed, without stderr (largest: {max(sizes):.1f}); aim: at most {AIM_KB}"
    yield line("size of a replay", median(sizes), "kB", words)


def longest(game: str) -> list[MatchRecord]:
    return sorted(records_of(game), key=lambda record: len(record.asks))[-LONGEST:]


def measured_ms(records: list[MatchRecord], work: Callable[[MatchRecord], object]) -> float:
    """Return what CPU time the work takes for a match, in milliseconds: the median of all."""
    found = []
    for record in records:
        for _ in range(ROUNDS):
            began = time.process_time()
            work(record)
            found.append(1000 * (time.process_time() - began))
    return median(found)


def document(record: MatchRecord, *, views: bool) -> str:
    return to_json(replay_data(watched(record, views=views)), compact=True)


def watched(record: MatchRecord, *, views: bool) -> WatchedMatch:
    """Lead a recorded match again. `views`: with what the seats could know."""
    seats = tuple(WatchedSeat(seat, "kraken@v3", record.scores[seat], None, "ok", "") for seat in (0, 1))
    level, seed, replay = record.rules_level, record.seed, replay_of(as_played(record), views=views)
    return WatchedMatch(MatchId(1), record.game, "Gold", level, seed, record.end, "finished", seats, replay)
