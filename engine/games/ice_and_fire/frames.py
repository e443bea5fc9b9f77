"""What people see of a game of A Code of Ice and Fire: two realms that note what happens to them while the rules play.

How this works. The referee of the game is led on realms of a kind of their own, which do what realms do. Why a unit is
lost follows from when it is: at the begin of the own turn it was cut off, or could not be paid; in the opponent's turn
the opponent took its cell.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from engine.conversation import Referee, TimeLimits
from engine.frames import CurveKind, Damage, Event, messages, set_text
from engine.games.ice_and_fire.board import CELL_TEXT, MAP_CELLS, NEIGHBOURS, SIZE, LandMap, cells_of, column_and_row
from engine.games.ice_and_fire.realm import START_GOLD, UNIT_PRICE, Realm, RealmRules, Territory
from engine.games.ice_and_fire.referee import start, war

CURVES = (
    CurveKind("gold", "Gold", "gold"),
    CurveKind("income", "Income", "gold a turn"),
    CurveKind("cells", "Active cells", "cells"),
    CurveKind("power", "Power", "gold"),
)
SETBACKS = {"cut_off": "units cut off", "debts": "units not paid", "lost": "units taken"}
DAMAGE = Damage("threat", "headquarters threatened", "headquarters", "headquarters taken", setbacks=SETBACKS)


@dataclass(slots=True)
class RealmLog:
    """What happened since it was last read. `next_unit`: the id of the next unit that is trained, on either side."""

    events: list[Event] = field(default_factory=list)
    next_unit: int = 1

    def add(self, kind: str, seat: int, text: str, *cells: int, amount: int = 0) -> None:
        """`cells`: as the board numbers them."""
        self.events.append(Event(kind, seat, text, tuple(map(number, cells)), amount))


@dataclass(slots=True, eq=False)
class WatchedRealm(Realm):
    """`settles`: whether its turn is just beginning, in which units are lost for other reasons."""

    seat: int = 0
    log: RealmLog = field(default_factory=RealmLog)
    settles: bool = False

    def begin_turn(self) -> int:
        self.settles = True
        income = Realm.begin_turn(self)
        self.settles = False
        return income

    def add_unit(self, level: int, cell: int) -> None:
        Realm.add_unit(self, level, cell)
        self.log.next_unit = self.unit_at[cell] + 1
        self.log.add("train", self.seat, f"Trains a unit of level {level} at {CELL_TEXT[cell]}.", cell, amount=level)

    def lose_unit(self, cell: int) -> None:
        level = self.units[self.unit_at[cell]].level
        kind, why = "debts", "there is no gold to pay it"
        if not self.settles:
            kind, why = "lost", "the opponent takes the cell"
        elif not self.land.active >> cell & 1:
            kind, why = "cut_off", "it is cut off"
        Realm.lose_unit(self, cell)
        text = f"Loses its unit of level {level} at {CELL_TEXT[cell]}: {why}."
        self.log.add(kind, self.seat, text, cell, amount=level)

    def lose_cell(self, cell: int) -> None:
        Realm.lose_cell(self, cell)
        is_headquarters = cell == self.land.headquarters
        kind, what = ("headquarters", "the headquarters") if is_headquarters else ("capture", CELL_TEXT[cell])
        self.log.add(kind, 1 - self.seat, f"Takes {what} from the opponent.", cell)

    def state(self) -> dict[str, object]:
        """Units are id, level and cell; `protected`: where only the strongest enter."""
        around = reduce(or_, (NEIGHBOURS[tower] for tower in cells_of(self.towers)), self.towers)
        protected = sum(1 << cell for cell in cells_of(around & self.land.owned) if self.protects(cell))
        return {
            "owned": cells_text(self.land.owned),
            "active": cells_text(self.land.active),
            "units": [[name, unit.level, number(unit.cell)] for name, unit in self.units.items()],
            "mines": list(map(number, cells_of(self.mines))),
            "towers": list(map(number, cells_of(self.towers))),
            "protected": cells_text(protected),
            "gold": self.gold,
            "income": self.income,
        }


class WarFrames:
    curves: Sequence[CurveKind] = CURVES
    damage: Damage | None = DAMAGE

    def __init__(self, seed: int, rules_level: int, limits: TimeLimits) -> None:
        self._log = RealmLog()
        self._sides: list[WatchedRealm] = []
        zero, one = start(seed, rules_level, self._found)
        self._built = [(0, 0), (0, 0)]
        self._threatened = [False, False]
        self.setup: Mapping[str, object] = {
            "width": SIZE,
            "height": SIZE,
            "floor": cells_text(zero.board.floor),
            "mine_spots": list(map(number, cells_of(zero.board.mine_spots))),
            "headquarters": [number(zero.land.headquarters), number(one.land.headquarters)],
            "start_gold": START_GOLD,
        }
        self.referee: Referee = war(zero, one, limits)

    def _found(
        self, board: LandMap, rules: RealmRules, ways: tuple[int, ...], land: Territory, ids: Iterator[int]
    ) -> WatchedRealm:
        realm = WatchedRealm(board, rules, ways, land, ids, seat=len(self._sides), log=self._log)
        self._sides.append(realm)
        return realm

    def state(self) -> Mapping[str, object]:
        return {"realms": [side.state() for side in self._sides], "next_unit": self._log.next_unit}

    def events(self, seat: int, line: str | None) -> list[Event]:
        self._note_buildings(seat)
        self._note_threats()
        events, self._log.events = self._log.events, []
        return [*events, *messages(seat, line, ";")]

    def _note_buildings(self, seat: int) -> None:
        """Only what is built in its own turn is new."""
        side, (mines, towers) = self._sides[seat], self._built[seat]
        for kind, built in (("mine", side.mines & ~mines), ("tower", side.towers & ~towers)):
            for cell in cells_of(built):
                self._log.add("build", seat, f"Builds a {kind} at {CELL_TEXT[cell]}.", cell)
        self._built = [(realm.mines, realm.towers) for realm in self._sides]

    def _note_threats(self) -> None:
        """The opponent can take it in its next turn."""
        for seat, (side, opponent) in enumerate(zip(self._sides, reversed(self._sides), strict=True)):
            is_threatened = opponent.reaches(side.land.headquarters) and not side.has_fallen
            if is_threatened and not self._threatened[seat]:
                self._log.add("threat", seat, "Has the opponent beside its headquarters.", side.land.headquarters)
            self._threatened[seat] = is_threatened

    def values(self) -> Sequence[tuple[float, float]]:
        zero, one = ((side.gold, side.income, side.land.active.bit_count(), side.power) for side in self._sides)
        return list(zip(zero, one, strict=True))

    def advantage(self) -> float:
        zero, one = self._sides
        return zero.power - one.power


frames = WarFrames


def unused(_setup: Mapping[str, Any], state: Mapping[str, Any], seat: int) -> list[str]:
    return ["gold"] if state["realms"][seat]["gold"] >= UNIT_PRICE[-1] else []


def number(cell: int) -> int:
    x, y = column_and_row(cell)
    return SIZE * y + x


def cells_text(cells: int) -> str:
    return set_text(cells, MAP_CELLS[::SIZE], SIZE)
