"""A Code of Ice and Fire as an environment: its commands as numbers, its lines as arrays.

How this works. A line has as many commands as somebody likes, so a turn is several steps, and the last one ends it. An
action is a plane and a cell of it: a step of the unit that stands there in one of four directions, a unit of level 1, 2
or 3 trained there, a mine or a tower built there. That makes 1,297 actions with the end of the turn, and all that can
be done in the game can be said by them: `MOVE` towards a cell further away does no more than one of the four steps. The
ids of units are not needed then. A command that would do nothing is masked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, product
from typing import ClassVar

import numpy as np
from gymnasium import spaces

from engine.conversation import Referee
from engine.games.ice_and_fire.board import CELL_TEXT, DOWN, LEFT, MAP_CELLS, NEIGHBOURS, RIGHT, SIZE, UP, cells_of
from engine.games.ice_and_fire.realm import UNIT_PRICE, Realm, Territory, can_build, can_enter, read_line
from engine.games.ice_and_fire.referee import LAST_TURN, start, turn_lines, war
from engine.gym.environment import Array, Environment, SeatSide

CELLS = SIZE * SIZE
STEPS = {"UP": UP, "RIGHT": RIGHT, "DOWN": DOWN, "LEFT": LEFT}
PLANES = (*(f"MOVE {way}" for way in STEPS), "TRAIN 1", "TRAIN 2", "TRAIN 3", "BUILD MINE", "BUILD TOWER")
TRAIN, MINE, TOWER = PLANES.index("TRAIN 1"), PLANES.index("BUILD MINE"), PLANES.index("BUILD TOWER")
ORDERS = (*(f"{plane} {CELL_TEXT[cell]}" for plane, cell in product(PLANES, MAP_CELLS)), "end of the turn")
"""A step is named by the cell that it starts from."""
PLACE = {cell: place for place, cell in enumerate(MAP_CELLS)}
MARKS = "#.OoXx"
"""The characters of the map as they are numbered in arrays."""
NEW_IDS = 1 << 20
"""Of units on the copy: they cannot be ordered in the turn in which they are trained."""
MOST_GOLD = 32_767


def _number(low: int) -> spaces.Box:
    return spaces.Box(low, MOST_GOLD, (), np.int16)


def _planes(*shape: int, high: int) -> spaces.Box:
    return spaces.Box(0, high, (*shape, SIZE, SIZE), np.int8)


ARRAYS = {
    "turn": spaces.Box(0, LAST_TURN, (), np.int8),
    "gold": _number(0),
    "income": _number(-MOST_GOLD),
    "opponentGold": _number(0),
    "opponentIncome": _number(-MOST_GOLD),
    "map": _planes(high=len(MARKS) - 1),
    "mineSpots": _planes(high=1),
    "buildings": _planes(2, high=3),
    "units": _planes(2, high=3),
}
"""Of `buildings` and `units` the own ones, then the opponent's: 1 headquarters, 2 mine, 3 tower; the unit's level.

Rows are y, columns x.
"""


def arrays_of(lines: Sequence[str], spots: Sequence[str] = ()) -> dict[str, Array]:
    """Those of one turn's lines, without the mine spots, which come before the first turn's."""
    arrays: dict[str, Array] = {name: np.zeros(space.shape, space.dtype) for name, space in ARRAYS.items()}
    if not lines:
        return arrays
    for name, line in zip(("gold", "income", "opponentGold", "opponentIncome"), lines, strict=False):
        arrays[name] = np.array(min(int(line), MOST_GOLD), np.int16)
    marks = "".join(lines[4 : 4 + SIZE])
    arrays["map"] = np.fromiter(map(MARKS.index, marks), np.int8, CELLS).reshape(SIZE, SIZE)
    buildings, units = _numbers(lines[4 + SIZE :])
    for owner, kind, x, y in buildings:
        arrays["buildings"][owner, y, x] = kind + 1
    for owner, _, level, x, y in units:
        arrays["units"][owner, y, x] = level
    for x, y in (map(int, spot.split(" ")) for spot in spots):
        arrays["mineSpots"][y, x] = 1
    return arrays


def _numbers(lines: Sequence[str]) -> Iterator[list[list[int]]]:
    for _ in range(2):
        length = int(lines[0])
        yield [list(map(int, line.split(" "))) for line in lines[1 : 1 + length]]
        lines = lines[1 + length :]


class Crown(SeatSide):
    """One seat. `own`, `other`: the realms as the orders of this turn leave them, copies of the referee's."""

    def __init__(self, realms: Sequence[Realm]) -> None:
        """`realms`: the own one first."""
        self._realms = realms
        self._turn = 0
        self._spots: Sequence[str] = ()
        self._lines: Sequence[str] = ()

    @property
    def is_complete(self) -> bool:
        return self.other.has_fallen

    def hear(self, lines: Sequence[str]) -> None:
        if not self._turn:
            spots = int(lines[0])
            self._spots, lines = lines[1 : 1 + spots], lines[1 + spots :]
        self._turn += 1
        self._lines = lines
        self.own, self.other = map(_copy, self._realms)

    def give(self, action: int) -> str:
        plane, place = divmod(action, CELLS)
        cell = MAP_CELLS[place]
        order = f"{PLANES[plane]} {CELL_TEXT[cell]}"
        if plane < TRAIN:
            target = CELL_TEXT[cell + tuple(STEPS.values())[plane]]
            order = f"MOVE {self.own.unit_at[cell]} {target}"
        for carry_out in read_line(order):
            carry_out(self.own, self.other)
        if not self.is_complete:
            self._lines = turn_lines(self.own, self.other, int(self._lines[1]))
        return order

    def mask(self) -> Array:
        mask = np.zeros((len(PLANES), CELLS), np.int8)
        if not self._turn or self.is_complete:
            return np.append(mask, np.int8(0))
        for plane, cell in (*self._moves(), *self._trainings(), *self._buildings()):
            mask[plane, PLACE[cell]] = 1
        return np.append(mask, np.int8(1))

    def observe(self) -> dict[str, Array]:
        return arrays_of(self._lines, self._spots) | {"turn": np.array(self._turn, np.int8)}

    def _moves(self) -> Iterator[tuple[int, int]]:
        own, floor = self.own, self.own.board.floor
        for name, unit in own.units.items():
            for plane, step in enumerate(STEPS.values() if name not in own.tired else ()):
                target = unit.cell + step
                if floor >> target & 1 and can_enter(target, unit.level, own, self.other):
                    yield plane, unit.cell

    def _trainings(self) -> Iterator[tuple[int, int]]:
        own = self.own
        levels = [level for level in range(1, own.rules.top_level + 1) if own.gold >= UNIT_PRICE[level]]
        active = own.land.active
        cells = [cell for cell in cells_of(own.board.floor) if levels and active & (1 << cell | NEIGHBOURS[cell])]
        for cell, level in product(cells, levels):
            if can_enter(cell, level, own, self.other):
                yield TRAIN + level - 1, cell

    def _buildings(self) -> Iterator[tuple[int, int]]:
        own, spots = self.own, self.own.board.mine_spots
        if own.rules.mines:
            yield from ((MINE, cell) for cell in cells_of(spots) if can_build(cell, own))
        if own.rules.towers:
            yield from ((TOWER, cell) for cell in cells_of(own.land.active & ~spots) if can_build(cell, own))


def _copy(realm: Realm) -> Realm:
    land = Territory(realm.land.headquarters, realm.land.owned)
    units = {name: replace(unit) for name, unit in realm.units.items()}
    cells, tired = dict(realm.unit_at), set(realm.tired)
    copy = replace(realm, land=land, ids=count(NEW_IDS), units=units, unit_at=cells, tired=tired)
    copy.occupied = realm.occupied
    return copy


class IceAndFire(Environment):
    """Both realms. An action is a number of ORDERS."""

    game_name: ClassVar[str] = "ice-and-fire"
    separator: ClassVar[str] = ";"
    idle: ClassVar[str] = "WAIT"
    orders: ClassVar[Sequence[str]] = ORDERS
    arrays = ARRAYS

    def begin(self, seed: int) -> tuple[Referee, tuple[SeatSide, SeatSide]]:
        zero, one = start(seed, self.league.rules_level)
        return war(zero, one, self.game.limits), (Crown((zero, one)), Crown((one, zero)))
