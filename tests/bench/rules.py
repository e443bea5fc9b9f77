"""How fast the games' rules are: recorded answers fed to their referees, without bots."""

import time
from collections.abc import Iterator
from contextlib import suppress

from engine.games.golden import MatchRecord
from tests.bench.report import line
from tests.catalogue import GAMES
from tests.watching import records_of

OFFICIAL_PER_S = {"ocean-of-code": "2,900", "ice-and-fire": "310 to 760"}
"""Game logic of the official Java referees on warm machines, as measured elsewhere on like hardware."""
LOGIC_S = 4.0


def lines() -> Iterator[str]:
    for name, official in OFFICIAL_PER_S.items():
        pace, asks = logic(name)
        yield line(
            f"rules, {name}", pace, "matches/s", f"one core, {asks:.0f} asks a match; official referee: {official}"
        )


def logic(game: str) -> tuple[float, float]:
    """Feed recorded answers to a game's referee; return matches per second and asks per match."""
    legal = [record for record in records_of(game) if record.end not in {"disabled", "unrecognised", "timeout"}]
    played = asks = 0
    began = time.perf_counter()
    while time.perf_counter() - began < LOGIC_S:
        for record in legal:
            play_record(record)
            asks += len(record.asks)
        played += len(legal)
    return played / (time.perf_counter() - began), asks / played


def play_record(record: MatchRecord) -> None:
    game = GAMES.find(record.game)
    referee = game.referee(record.seed, record.rules_level, game.limits)
    next(referee)
    with suppress(StopIteration):
        for ask in record.asks:
            referee.send(ask.answer)
