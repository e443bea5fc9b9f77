"""What a simulated ladder has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ladder.matchmaking.simulation import Row


@dataclass(frozen=True, slots=True)
class SimulatedRow:
    """One matchmaker and rating after a number of battles. `true_rank`: of the bot that is submitted again."""

    MERGED: ClassVar = ("row",)

    true_rank: int
    row: Row
