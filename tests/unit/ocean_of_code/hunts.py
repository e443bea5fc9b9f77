"""Games of Ocean of Code for tests, played through the referee on the map of seed 0.

0  ...............      5  .......xx......      10  ...............
1  ..xx...........      6  ...............      11  ...............
2  ..xx...........      7  .....xxx.......      12  ...............
3  .............xx      8  .....xxx.......      13  ...............
4  .......xx....xx      9  .....xxx.......      14  ...............
"""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.conversation import Ask, Outcome, TimeLimits, Verdict
from engine.games.ocean_of_code.board import cell_at, draw_board
from engine.games.ocean_of_code.referee import hunt, referee
from engine.games.ocean_of_code.submarine import Submarine, orders_of, starting_charge
from tests.unit.conversations import converse

SEA = draw_board(0)
LOSES = "(loses)"
LIMITS = TimeLimits(1000, 50)
ALL_POWERS = ("TORPEDO", "SONAR", "SILENCE", "MINE")


def boat(
    x: int = 5,
    y: int = 12,
    charged: Iterable[str] = (),
    *,
    lives: int = 6,
    visited: Iterable[tuple[int, int]] = (),
    mines: Iterable[tuple[int, int]] = (),
    level: int = 3,
) -> Submarine:
    """A submarine in the middle of a game. `mines` have been there since an earlier turn."""
    submarine = Submarine(SEA, cell_at(x, y), starting_charge(level), lives)
    submarine.visited.update(cell_at(*place) for place in visited)
    submarine.mines.update(cell_at(*place) for place in mines)
    submarine.missing.update(dict.fromkeys(charged, 0))
    return submarine


@dataclass
class Played:
    """What a conversation came to: all questions so far, and the outcome if it has ended."""

    asks: list[Ask]
    outcome: Outcome | None

    @property
    def ended(self) -> Outcome:
        assert self.outcome is not None, self.asks[-1]
        return self.outcome

    @property
    def lines(self) -> tuple[str, ...]:
        assert self.outcome is None, self.outcome
        return self.asks[-1].lines


def play(*lines: str | None, zero: Submarine | None = None, one: Submarine | None = None, level: int = 3) -> Played:
    """Play turns from a given position; player 0 says the first line, player 1 the second, and so on."""
    zero = zero or boat(level=level)
    one = one or boat(12, 13, level=level)
    return Played(*converse(hunt(zero, one, orders_of(level), LIMITS.turn_ms), lines))


def heard(line: str, zero: Submarine | None = None, one: Submarine | None = None, level: int = 3) -> str:
    """What player 1 hears of one line of player 0, or LOSES."""
    played = play(line, zero=zero, one=one, level=level)
    if played.outcome is None:
        return played.lines[2]
    assert played.outcome.verdicts[0].verdict == Verdict.ILLEGAL
    return LOSES


def start(*answers: str | None, seed: int = 0, level: int = 3) -> Played:
    return Played(*converse(referee(seed, level, LIMITS), answers))
