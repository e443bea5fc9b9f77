"""A match as it can be looked at, turn by turn; `match` and `watched_local` read one."""

from __future__ import annotations

from dataclasses import dataclass

from engine.endings import ending_words
from engine.errors import Refused, UsageFault
from engine.replay import Replay, ReplayTurn
from ladder.choices import MatchState
from ladder.ids import MatchId


@dataclass(frozen=True, slots=True)
class WatchedSeat:
    """One seat. `version`: its bot's name, or its file's. What is not known of a match is None."""

    seat: int
    version: str
    score: int | None
    result: str | None
    verdict: str | None
    message: str


@dataclass(frozen=True, slots=True)
class WatchedMatch:
    """A match, turn by turn. `id`: a lasting name where there is no ladder; `edition`: of a referee program."""

    id: MatchId | str
    game: str
    league: str
    rules_level: int
    seed: int
    reason: str
    state: str
    seats: tuple[WatchedSeat, ...]
    replay: Replay
    edition: str | None = None

    @property
    def name(self) -> str:
        """Return what people call it: `match 17`, and `local:12` where it was played without the ladder."""
        return f"match {self.id}" if isinstance(self.id, int) else self.id

    @property
    def ending(self) -> str:
        if self.state == MatchState.FINISHED:
            return ending_words(self.reason, [seat.verdict for seat in self.seats])
        return f"{self.state}: {self.reason}" if self.reason else self.state

    def turn(self, number: int) -> ReplayTurn:
        """Return a turn of the match, counted from 1. Raises UsageFault where it has no such turn."""
        turns = self.replay.turns
        if not turns:
            raise UsageFault(f"{self.name} has no turn {number}: {self.replay.fault}")
        if not 1 <= number <= len(turns):
            raise UsageFault(f"{self.name} has turns 1 to {len(turns)}, and no turn {number}")
        return turns[number - 1]

    def input_of(self, seat: int, last_turn: int | None = None) -> str:
        """Return what a seat was sent up to a turn, also for that one if it is its own. Raises UsageFault, Refused."""
        require_seat(seat, len(self.seats))
        if self.replay.fault:
            raise Refused(f"what {self.name} sent is not known: {self.replay.fault}")
        if last_turn is not None:
            self.turn(last_turn)
        sent = [turn.input or () for turn in self.replay.turns[:last_turn] if turn.seat == seat]
        return "".join(f"{line}\n" for lines in sent for line in lines)


def require_seat(seat: int, players: int) -> None:
    if not 0 <= seat < players:
        raise UsageFault(f"the match has the seats 0 to {players - 1}, and no seat {seat}")
