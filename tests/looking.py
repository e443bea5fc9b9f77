"""Matches that the official referees recorded, as they can be looked at, with stderr and times of our own making."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from engine.bot.clock import Spent, TimeRule
from engine.conversation import OK, Outcome
from engine.game import Game
from engine.games.golden import MatchRecord, read_records
from engine.match import MatchResult, MatchSpec, Turn
from engine.replay import replay_of
from ladder.ids import MatchId
from ladder.views.turns.watched import WatchedMatch, WatchedSeat

GOLDEN = Path(__file__).parent / "golden"


@cache
def recorded(game: Game) -> Sequence[MatchRecord]:
    """All matches of a game that its official referee has played."""
    records = read_records(GOLDEN / f"{game.name}.jsonl.gz")
    return [record for record in records if isinstance(record, MatchRecord)]


def result_of(record: MatchRecord, game: Game, noise: str = "") -> MatchResult:
    """A record as a match that was played here, each turn a little slower; `noise`: what each turn wrote to stderr."""
    turns = tuple(
        Turn(ask.seat, ask.answer, Spent(wall_us=1000 * (1 + index % 60), cpu_us=500), len(noise))
        for index, ask in enumerate(record.asks)
    )
    own = [sum(turn.seat == seat for turn in turns) for seat in (0, 1)]
    return MatchResult(
        MatchSpec(game, record.rules_level, record.seed),
        Outcome(record.scores, record.end, (OK, OK)),
        turns,
        (noise * own[0], noise * own[1]),
    )


def watched(result: MatchResult, names: tuple[str, str] = ("kraken@v3", "wahoo@v1")) -> WatchedMatch:
    """A match as it can be looked at."""
    scores = result.outcome.scores
    return WatchedMatch(
        MatchId(1194),
        result.spec.game.name,
        "gold",
        result.spec.rules_level,
        result.spec.seed,
        result.outcome.reason,
        "finished",
        tuple(
            WatchedSeat(seat, names[seat], scores[seat], None, result.outcome.verdicts[seat].verdict.value, "")
            for seat in (0, 1)
        ),
        replay_of(result, TimeRule()),
    )


def by_other_rules(result: MatchResult) -> MatchResult:
    """The same match as it was played by rules of another version than today's."""
    return replace(result, rules_version=result.spec.game.rules_version + 1)
