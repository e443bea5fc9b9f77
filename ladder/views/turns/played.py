"""A match that this machine has just played, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.bot.clock import Clock, Policy
from engine.match import MatchResult, MatchSpec
from engine.toolchains.params import Params
from ladder.views.turns.rows import RefereeWords, TurnRow


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match of files, by seats. `points_of_first`: of the bot named first; `kept_as`: its name, if it is kept."""

    MERGED: ClassVar = ("result",)
    SHOWN: ClassVar = ("caution",)

    bots: tuple[str, ...]
    time_policy: Policy
    clock: Clock
    host_faults: int
    points_of_first: float
    result: MatchResult
    turns: list[TurnRow]
    params: tuple[Params, ...]
    kept_as: str | None = None
    referee: RefereeWords | None = None

    @property
    def caution(self) -> str | None:
        return self.result.spec.game.caution


@dataclass(frozen=True, slots=True)
class UnplayedMatch:
    """A match that could not be played, as the host was too busy each time. `void`: how that was."""

    bots: tuple[str, ...]
    time_policy: Policy
    clock: Clock
    host_faults: int
    spec: MatchSpec
    void: str


def played_row(match: PlayedMatch | UnplayedMatch) -> dict[str, object]:
    """Return a match as a row of a table, with columns for each seat. What is not known of a void one is None."""
    if isinstance(match, UnplayedMatch):
        result, points, name, seed, reason = None, None, None, match.spec.seed, f"void: {match.void}"
    else:
        result, points, name = match.result, match.points_of_first, match.kept_as
        seed, reason = result.spec.seed, result.outcome.reason
    turns = None if result is None else len(result.turns)
    row: dict[str, object] = {"match": name, "seed": seed, "turns": turns, "reason": reason, "points": points}
    for seat, bot in enumerate(match.bots):
        row |= columns_of_seat(result, seat, bot)
    return row


def columns_of_seat(result: MatchResult | None, seat: int, bot: str) -> dict[str, object]:
    outcome = None if result is None else result.outcome
    charged_us = [turn.spent.charged_us for turn in result.turns if turn.seat == seat] if result else []
    values = {
        "bot": bot,
        "score": outcome and outcome.scores[seat],
        "place": outcome and outcome.places[seat],
        "verdict": outcome and outcome.verdicts[seat].verdict.value,
        "slowest_ms": max(charged_us) / 1000 if charged_us else None,
    }
    return {f"{name}_{seat}": value for name, value in values.items()}
