"""A game is a conversation: a referee asks one seat after another, gets a line or nothing, and says how it ended.

How this works. A referee is a generator. It yields an `Ask` and is sent the answer: the line the bot said, without its
line end, or `None` where no complete line came in time. When the game is over it returns an `Outcome`. It sees no
process, no clock and no file, so the same referee serves live bots, recorded answers, tests and replays.

    def referee(seed, rules_level, limits) -> Referee:
        answer = yield Ask(seat=0, lines=("15 15 0", ...), limit_ms=limits.first_ms)
        ...
        return Outcome(scores=(6, -1), reason="disabled", verdicts=(OK, SeatVerdict(Verdict.ILLEGAL, "moved onto ...")))
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Verdict(StrEnum):
    """How a seat ended. Everything but `ok` is the bot's fault and counts as a result."""

    OK = "ok"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    ILLEGAL = "illegal"
    MEMORY = "memory"
    FLOODED = "flooded"

    @property
    def words(self) -> str:
        """The verdict as people call it."""
        return VERDICT_WORDS.get(self, self.value)


VERDICT_WORDS = {
    Verdict.TIMEOUT: "time-out",
    Verdict.CRASHED: "crash",
    Verdict.MEMORY: "out of memory",
    Verdict.FLOODED: "flood",
}
"""Verdicts of which people use another word than records do."""


@dataclass(frozen=True, slots=True)
class SeatVerdict:
    """A verdict and one sentence of explanation for people, empty for `ok`."""

    verdict: Verdict
    message: str = ""

    @property
    def words(self) -> str:
        """Both for people. Of a program that ended it is enough to say how: some do so without a crash."""
        return self.message if self.verdict is Verdict.CRASHED else f"{self.verdict.words} ({self.message})"


OK = SeatVerdict(Verdict.OK)
NO_ANSWER = SeatVerdict(Verdict.TIMEOUT, "no complete line in time")


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """How long a seat may take for its first answer and for each later one. Which is the first the referee says."""

    first_ms: int
    turn_ms: int

    def but(self, first_ms: int | None, turn_ms: int | None) -> TimeLimits:
        """Return these limits with others in their places; None leaves one as it is."""
        return TimeLimits(self.first_ms if first_ms is None else first_ms, self.turn_ms if turn_ms is None else turn_ms)


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to one seat: every line sent since its last answer, and the time it has to answer with one line."""

    seat: int
    lines: tuple[str, ...]
    limit_ms: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    `scores`: one per seat, higher is better. `reason`: the game's own short word for the end ("dead", "turn_limit").
    `verdicts`: one per seat; a seat that gave no answer is `NO_ANSWER` here, and the match, which knows whether the
    process died, flooded or was late, puts the true reason in its place.
    """

    scores: tuple[int, int]
    reason: str
    verdicts: tuple[SeatVerdict, SeatVerdict]

    @property
    def winner(self) -> int | None:
        """The seat with the higher score, or None for a draw."""
        first, second = self.scores
        if first == second:
            return None
        return 0 if first > second else 1


Referee: TypeAlias = Generator[Ask, str | None, Outcome]
