"""What people see of a game of Ocean of Code: two submarines that note what happens to them while the rules play.

How this works. The referee of the game is led on submarines of a kind of its own, which does what a submarine does and
notes its way and its losses. An order is noted when it is added to what the opponent hears: by then it is carried out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.conversation import Referee, TimeLimits
from engine.frames import CurveKind, Damage, Event, messages
from engine.games.ocean_of_code.board import CELL_TEXT, MAP_CELLS, SECTOR, SIZE, SeaMap, cell_at, draw_board
from engine.games.ocean_of_code.knowledge import knowledge
from engine.games.ocean_of_code.referee import game
from engine.games.ocean_of_code.submarine import FULL_CHARGE, LIVES, NO_POWER, Submarine
from engine.immutable import immutable

__all__ = ["frames", "knowledge", "unused"]

CURVES = (CurveKind("lives", "Lives", "lives"),)
NUMBERS = {cell: number for number, cell in enumerate(MAP_CELLS)}
"""Cells as they are numbered in replays."""
CAUSES = {"TORPEDO": "torpedo", "TRIGGER": "mine"}
DAMAGE = Damage("hit", "hits taken", "sunk", "sunk", {"torpedo": "torpedo", "trigger": "mine", "surface": "surfacing"})


@immutable
class LivesLost:
    seat: int
    lives: int
    cell: int
    sinks: bool


@dataclass(slots=True)
class SeaLog:
    """What happened since it was last read. `losses`: those of the order that is being carried out."""

    events: list[Event] = field(default_factory=list)
    losses: list[LivesLost] = field(default_factory=list)


class HeardOrders(list[str]):
    """What the opponent hears of a turn. Each order that is added is noted by its submarine."""

    def __init__(self, side: WatchedSubmarine) -> None:
        super().__init__()
        self._side = side

    def append(self, order: str) -> None:
        super().append(order)
        self._side.note(order)


@dataclass(slots=True, eq=False)
class WatchedSubmarine(Submarine):
    """`trail`: the cells of its way since it surfaced, as they are numbered in replays."""

    seat: int = 0
    log: SeaLog = field(default_factory=SeaLog)
    trail: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        Submarine.__post_init__(self)
        self.trail = [NUMBERS[self.cell]]

    def begin_turn(self) -> None:
        Submarine.begin_turn(self)
        self.shown = HeardOrders(self)

    def step(self, step: int) -> None:
        Submarine.step(self, step)
        self.trail.append(NUMBERS[self.cell])

    def surface(self) -> None:
        Submarine.surface(self)
        self.trail = [NUMBERS[self.cell]]

    def hurt(self, damage: int) -> None:
        before = self.lives
        Submarine.hurt(self, damage)
        if before > self.lives:
            self.log.losses.append(LivesLost(self.seat, before - self.lives, self.cell, sinks=not self.lives))

    def note(self, order: str) -> None:
        losses, self.log.losses = self.log.losses, []
        self.log.events += self._order_events(order)
        for loss in losses:
            self.log.events += loss_events(loss, order, self.seat)

    def _order_events(self, order: str) -> list[Event]:
        name, *arguments = order.split(" ")
        here = (NUMBERS[self.cell],)
        match name:
            case "TORPEDO":
                target = NUMBERS[cell_at(*map(int, arguments))]
                return [Event("torpedo", self.seat, f"Fires a torpedo at {' '.join(arguments)}.", (target, *here))]
            case "TRIGGER":
                mine = cell_at(*map(int, arguments))
                return [Event("trigger", self.seat, f"Sets off its mine at {CELL_TEXT[mine]}.", (NUMBERS[mine],))]
            case "MINE":
                mine = self.fresh_mine
                return [Event("mine", self.seat, f"Lays a mine at {CELL_TEXT[mine]}.", (NUMBERS[mine],))]
            case "SURFACE":
                return [Event("surface", self.seat, f"Surfaces in sector {arguments[0]}.", here)]
            case "SONAR":
                is_there = "is there" if self.sonar_answer == "Y" else "is not there"
                text = f"Looks into sector {arguments[0]}: the opponent {is_there}."
                sector = tuple(NUMBERS[cell] for cell in MAP_CELLS if SECTOR[cell] == int(arguments[0]))
                return [Event("sonar", self.seat, text, sector)]
            case "SILENCE":
                return [Event("silence", self.seat, f"Moves in silence to {CELL_TEXT[self.cell]}.", here)]
        return []

    def state(self) -> dict[str, object]:
        """`charge`: units that each power of the league has."""
        here = {power: missing for power, missing in self.missing.items() if missing != NO_POWER}
        return {
            "cell": NUMBERS[self.cell],
            "lives": self.lives,
            "charge": {power.lower(): FULL_CHARGE[power] - missing for power, missing in here.items()},
            "mines": sorted([NUMBERS[mine] for mine in self.mines]),
            "trail": list(self.trail),
        }


class OceanFrames:
    curves: Sequence[CurveKind] = CURVES
    damage: Damage | None = DAMAGE

    def __init__(self, seed: int, rules_level: int, limits: TimeLimits) -> None:
        board = draw_board(seed)
        self.setup: Mapping[str, object] = {
            "width": SIZE,
            "height": SIZE,
            "rows": list(board.rows),
            "lives": LIVES,
            "full_charge": {power.lower(): full for power, full in FULL_CHARGE.items()},
        }
        self._log = SeaLog()
        self._sides: list[WatchedSubmarine] = []
        self.referee: Referee = game(board, rules_level, limits, self._launch)

    def _launch(self, board: SeaMap, cell: int, missing: dict[str, int]) -> WatchedSubmarine:
        side = WatchedSubmarine(board, cell, missing, seat=len(self._sides), log=self._log)
        self._sides.append(side)
        return side

    def state(self) -> Mapping[str, object]:
        return {"submarines": [side.state() for side in self._sides]}

    def events(self, seat: int, line: str | None) -> list[Event]:
        events, self._log.events = self._log.events, []
        return [*events, *messages(seat, line, "|")]

    def values(self) -> Sequence[tuple[float, float]]:
        return (self._lives(),)

    def advantage(self) -> float:
        zero, one = self._lives()
        return zero - one

    def _lives(self) -> tuple[int, int]:
        if not self._sides:
            return LIVES, LIVES
        zero, one = self._sides
        return zero.lives, one.lives


frames = OceanFrames


def unused(setup: Mapping[str, Any], state: Mapping[str, Any], seat: int) -> list[str]:
    charges, full = state["submarines"][seat]["charge"], setup["full_charge"]
    return [power for power, charge in charges.items() if charge >= full[power]]


def loss_events(loss: LivesLost, order: str, by_seat: int) -> list[Event]:
    """`by_seat`: whose order it was."""
    lives = "1 life" if loss.lives == 1 else f"{loss.lives} lives"
    cause = CAUSES.get(order.partition(" ")[0])
    whose = "its own" if by_seat == loss.seat else "a"
    why = "by surfacing" if cause is None else f"by {whose} {cause}"
    where = (NUMBERS[loss.cell],)
    hit = Event("hit", loss.seat, f"Loses {lives} {why}.", where, loss.lives)
    return [hit, Event("sunk", loss.seat, "Sinks.", where)] if loss.sinks else [hit]
