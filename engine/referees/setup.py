"""What a referee program is given for a match, how time counts for it, and the channel by which it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.bot.clock import TimeRule
from engine.errors import UsageFault
from engine.referees.program import RefereeProgram


class Channel(Protocol):
    """The way to one referee program in one match."""

    def send(self, data: bytes) -> None:
        """Write all of it; with that the time to the next question begins. Raises RefereeFault, as `receive` does."""
        ...

    def receive(self, patience_s: float | None = None) -> bytes:
        """Wait for the next bytes.

        With `patience_s` for no longer than that: then nothing is what comes where it is silent, or has ended. Raises
        RefereeFault where the program has ended or is over one of its limits.
        """
        ...


FIRST_LIMIT_MS, TURN_LIMIT_MS = 1000, 100
"""Of bots' answers, where neither the referee nor anybody else sets limits."""


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """A match that a referee program leads.

    `parameters`: given to it besides those of its game, as where a match is repeated by them. `first_limit_ms`,
    `turn_limit_ms`: of the bots' time, as the league or the match sets them; None: the game's, or the referee's own.
    """

    program: RefereeProgram
    players: int
    seed: int
    time: TimeRule = TimeRule()  # noqa: RUF009 - frozen
    parameters: tuple[tuple[str, str], ...] = ()
    first_limit_ms: int | None = None
    turn_limit_ms: int | None = None

    @property
    def given(self) -> dict[str, str]:
        """All parameters that the referee is given, the seed among them."""
        return {"seed": str(self.seed), **dict(self.program.parameters), **dict(self.parameters)}

    def limit_ms(self, *, is_first: bool, own_ms: int | None = None) -> int:
        """Return a bot's limit in a turn. `own_ms`: what the referee says, where it says something."""
        of_match = self.first_limit_ms if is_first else self.turn_limit_ms
        if of_match is not None:
            return of_match
        if self.program.limits:
            return self.program.limits.first_ms if is_first else self.program.limits.turn_ms
        usual_ms = FIRST_LIMIT_MS if is_first else TURN_LIMIT_MS
        return usual_ms if own_ms is None else own_ms

    def require_seed_in_range(self) -> None:
        """Raise UsageFault for a seed that the referee cannot take."""
        if self.program.seed_bits == 31 and not 0 <= self.seed < 2**31:
            raise UsageFault(f"seeds of this game's referee are 0 to {2**31 - 1}; {self.seed} is none of them")
