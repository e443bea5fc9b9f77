"""What comes back from a bot that is asked."""

from __future__ import annotations

from dataclasses import dataclass

from engine.bot.clock import Spent
from engine.conversation import SeatVerdict

NO_TIME = Spent()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the line, or lines with line ends between them, or None with the reason; and the turn's times."""

    line: str | None
    spent: Spent = NO_TIME
    fault: SeatVerdict | None = None
