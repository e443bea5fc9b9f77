"""One submarine: what its referee knows of it, and what can happen to it.

This is the mutable part of a game. It lives and dies inside one referee.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.games.ocean_of_code.board import CELL_TEXT, DAMAGE, OUTSIDE, SECTOR, Board, column_and_row

LIVES = 6
FULL_CHARGE = {"TORPEDO": 3, "SONAR": 4, "SILENCE": 6, "MINE": 3}
NO_POWER = -1  # stands in the place of a charge for a power that the league lacks
NOTHING = "NA"


class IllegalOrder(Exception):
    """A bot broke a rule: no error of ours, but on its way to be a verdict. Says how, and ` on turn 14` can follow."""


@dataclass(slots=True, eq=False)
class Submarine:
    """Position, lives, powers and mines of one player.

    `missing`: charge units until a power is full, by its name, in protocol order; NO_POWER where the league lacks it.
    `fresh_mine`: the mine laid in the current turn, which cannot be triggered yet.
    `shown`: what the opponent hears of the latest turn.
    """

    board: Board
    cell: int
    missing: dict[str, int]
    lives: int = LIVES
    visited: set[int] = field(default_factory=set)
    mines: set[int] = field(default_factory=set)
    fresh_mine: int = OUTSIDE
    sonar_answer: str = NOTHING
    shown: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.visited.add(self.cell)

    def input_lines(self, other: Submarine) -> tuple[str, str, str]:
        torpedo, sonar, silence, mine = self.missing.values()
        state = f"{CELL_TEXT[self.cell]} {self.lives} {other.lives} {torpedo} {sonar} {silence} {mine}"
        return state, self.sonar_answer, "|".join(other.shown) or NOTHING

    def begin_turn(self) -> None:
        self.fresh_mine = OUTSIDE
        self.sonar_answer = NOTHING
        self.shown = []

    def step(self, step: int) -> None:
        target = self.cell + step
        if target not in self.board.water:
            raise IllegalOrder("moved onto an island" if target in CELL_TEXT else "moved off the map")
        if target in self.visited:
            raise IllegalOrder(f"visited {column_and_row(target)} twice without surfacing")
        self.visited.add(target)
        self.cell = target

    def charge(self, power: str) -> None:
        if self.missing[power]:
            self.missing[power] -= 1

    def discharge(self, power: str) -> None:
        self.missing[power] = FULL_CHARGE[power]

    def surface(self) -> None:
        """Forget the path, at the price of a life."""
        self.visited = {self.cell}
        self.hurt(1)

    def hurt(self, damage: int) -> None:
        self.lives = max(0, self.lives - damage)

    @property
    def sector(self) -> int:
        """1 to 9."""
        return SECTOR[self.cell]


def explode(target: int, *submarines: Submarine) -> None:
    """2 lives there, 1 on the eight cells around it. Nobody is spared."""
    for submarine in submarines:
        submarine.hurt(DAMAGE.get(submarine.cell - target, 0))
