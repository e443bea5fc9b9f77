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
    """A match of files, in the order of the seats. `points_of_first`: of the bot named first, in whichever seat.

    `time_policy`, `clock`: the rule for time by which it was judged. `host_faults`: how often it was void because the
    host was too busy. `params`: the bots' parameters. `kept_as`: its name for later looks, None where it is not kept.
    `referee`: what a referee program said at the end, None where the rules are in Python.
    """

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
