"""One player's side, as its referee knows it, and the commands: how a line is read, and what each one does.

A realm is the mutable part of a game. It lives and dies inside one referee.

How commands work. A line is read as a whole before anything of it is carried out: if one piece is not a command, the
player has lost. Every command becomes an `Action`. Whether it is possible is seen when its turn comes; if it is not, it
does nothing. That holds for its target and its unit too: nothing that happens earlier in a line could change them, as a
unit that was trained in it cannot move.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from engine.games.ice_and_fire.board import DOWN, LEFT, NEIGHBOURS, RIGHT, UP, LandMap, cell_at, flooded
from engine.immutable import immutable
from engine.text import BLANKS


class Territory:
    """Owned cells and active cells of one player as sets. The active ones are kept up to date cell by cell. The
    headquarters' own cell is lost only once, at the end of a match; what is active after that means nothing.
    """

    __slots__ = ("active", "headquarters", "owned")

    def __init__(self, headquarters: int, owned: int) -> None:
        self.headquarters = headquarters
        self.owned = owned
        self.active = flooded(1 << headquarters, owned)

    def gain(self, cell: int) -> None:
        self.owned |= 1 << cell
        around = NEIGHBOURS[cell]
        if around & self.active:
            self.active |= 1 << cell
            if around & self.owned & ~self.active:  # it joins what was cut off
                self.active = flooded(self.active, self.owned)

    def lose(self, cell: int) -> None:
        lost = 1 << cell
        self.owned &= ~lost
        if self.active & lost:
            self.active &= ~lost
            around = NEIGHBOURS[cell] & self.active
            if around & around - 1:  # two or more neighbours may have had no other connection
                self.active = flooded(1 << self.headquarters, self.active)


START_GOLD = 20
UNIT_PRICE = (0, 10, 20, 30)  # by level, as the next one
UPKEEP = (0, 1, 4, 20)
BUILDING_PRICE = 15
MINE_INCOME = 4
TOWER_PROOF = 3  # units of this level go where towers stand or protect

# The neighbours of a cell in the order in which a moving unit of seat 0 or 1 tries them.
WAYS = (UP, RIGHT, DOWN, LEFT), (DOWN, LEFT, UP, RIGHT)


@immutable
class RealmRules:
    """What a league has. `top_level`: of units; a unit of this level beats every other."""

    top_level: int
    mines: bool
    towers: bool


_HIGHEST = RealmRules(top_level=3, mines=True, towers=True)
_LOWER = {
    1: RealmRules(top_level=1, mines=False, towers=False),
    2: RealmRules(top_level=3, mines=False, towers=False),
    3: RealmRules(top_level=3, mines=True, towers=False),
}


def rules_of(rules_level: int) -> RealmRules:
    """1 Wood 3, 2 Wood 2, 3 Wood 1, every other number all higher leagues."""
    return _LOWER.get(rules_level, _HIGHEST)


@dataclass(slots=True, eq=False)
class Unit:
    level: int
    cell: int


@dataclass(slots=True, eq=False)
class Realm:
    """Gold, land, units and buildings of one player. `units`: by id, ascending, as ids are handed out by `ids`, which
    both players share. `unit_at`: ids by cell. `occupied`: the set of cells with a unit or a building, the headquarters
    among them. `tired`: the ids of the units that cannot move any more in this turn.
    """

    board: LandMap
    rules: RealmRules
    ways: tuple[int, ...]
    land: Territory
    ids: Iterator[int]
    gold: int = START_GOLD
    units: dict[int, Unit] = field(default_factory=dict)
    unit_at: dict[int, int] = field(default_factory=dict)
    tired: set[int] = field(default_factory=set)
    mines: int = 0
    towers: int = 0
    occupied: int = field(init=False)

    def __post_init__(self) -> None:
        self.occupied = 1 << self.land.headquarters

    @property
    def income(self) -> int:
        """What its land earns, less what its units cost; what is cut off neither earns nor costs."""
        active = self.land.active
        earned = active.bit_count() + MINE_INCOME * (self.mines & active).bit_count()
        return earned - sum(UPKEEP[unit.level] for unit in self.units.values() if active >> unit.cell & 1)

    @property
    def power(self) -> int:
        return self.gold + sum(UNIT_PRICE[unit.level] for unit in self.units.values())

    @property
    def has_fallen(self) -> bool:
        return not self.land.owned >> self.land.headquarters & 1

    def begin_turn(self) -> int:
        """Lose the units that are cut off, collect the income, and all units if it leaves debts. Returns the income."""
        self.tired.clear()
        for unit in [unit for unit in self.units.values() if not self.land.active >> unit.cell & 1]:
            self.lose_unit(unit.cell)
        income = self.income
        self.gold += income
        if self.gold < 0:
            self.gold = 0
            for cell in list(self.unit_at):
                self.lose_unit(cell)
        return income

    def reaches(self, cell: int) -> bool:
        """Whether a cell is active or next to an active one: units can be trained there."""
        return bool(self.land.active & (1 << cell | NEIGHBOURS[cell]))

    def can_be_entered(self, cell: int) -> bool:
        return not self.occupied >> cell & 1

    def can_defend(self, cell: int, level: int) -> bool:
        if level < TOWER_PROOF and self.protects(cell):
            return True
        defender = self.unit_at.get(cell)
        return defender is not None and level != self.rules.top_level and level <= self.units[defender].level

    def protects(self, cell: int) -> bool:
        """Whether a tower stands on an own cell, or beside it and the cell is active: then the tower is, too."""
        return bool(self.towers >> cell & 1 or (self.land.active >> cell & 1 and self.towers & NEIGHBOURS[cell]))

    def add_unit(self, level: int, cell: int) -> None:
        name = next(self.ids)
        self.units[name] = Unit(level, cell)
        self.unit_at[cell] = name
        self.occupied |= 1 << cell
        self.tired.add(name)
        self.land.gain(cell)

    def move_unit(self, name: int, cell: int) -> None:
        unit = self.units[name]
        del self.unit_at[unit.cell]
        self.occupied ^= 1 << unit.cell | 1 << cell
        unit.cell = cell
        self.unit_at[cell] = name
        self.tired.add(name)
        self.land.gain(cell)

    def lose_unit(self, cell: int) -> None:
        del self.units[self.unit_at.pop(cell)]
        self.occupied &= ~(1 << cell)

    def lose_cell(self, cell: int) -> None:
        """The building of the headquarters stays."""
        if cell in self.unit_at:
            self.lose_unit(cell)
        gone = ~(1 << cell)
        self.mines &= gone
        self.towers &= gone
        self.occupied &= gone
        self.land.lose(cell)


Action: TypeAlias = Callable[[Realm, Realm], None]
"""Carries out a command, if it is possible, given the own realm and the other one."""

_LARGEST = 2147483647


class Unrecognised(Exception):
    """A bot wrote something that is not a command: no error of ours, but a verdict to be. Holds the piece."""


def read_line(line: str) -> list[Action]:
    """Without those that never do anything. Raises Unrecognised."""
    pieces = line.split(";")
    if len(pieces) > 1:
        while pieces and not pieces[-1]:
            pieces.pop()
    actions = [read_command(piece.strip(BLANKS)) for piece in pieces]
    return [action for action in actions if action is not None]


def read_command(piece: str) -> Action | None:
    match piece.split(" "):
        case ["MOVE", *numbers] if len(numbers) == 3:
            unit, x, y = _numbers(numbers, piece)
            return partial(move, unit, cell_at(x, y))
        case ["TRAIN", *numbers] if len(numbers) == 3:
            level, x, y = _numbers(numbers, piece)
            return partial(train, level, cell_at(x, y))
        case ["BUILD", "MINE" | "TOWER" as kind, *numbers] if len(numbers) == 2:
            x, y = _numbers(numbers, piece)
            return partial(build_mine if kind == "MINE" else build_tower, cell_at(x, y))
        case ["WAIT"] | ["MSG", _, *_]:
            return None
    raise Unrecognised(piece)


def _numbers(words: list[str], piece: str) -> list[int]:
    """Read ASCII digits, leading zeros allowed, as numbers that fit Java's int. Raises Unrecognised."""
    numbers = []
    for word in words:
        if not (word.isascii() and word.isdigit()):
            raise Unrecognised(piece)
        # Python refuses to read very long numbers, so the zeros have to go first.
        number = int(word) if len(word) < 10 else int(word.lstrip("0")[:11] or "0")
        if number > _LARGEST:
            raise Unrecognised(piece)
        numbers.append(number)
    return numbers


def move(name: int, target: int, realm: Realm, other: Realm) -> None:
    """`MOVE id x y`: one step on a shortest way to the target, the first one that is possible."""
    unit = realm.units.get(name)
    if unit is None or name in realm.tired or not realm.board.floor >> target & 1:
        return
    nearer = realm.board.nearer(unit.cell, target)
    for way in realm.ways:
        cell = unit.cell + way
        if nearer >> cell & 1 and can_enter(cell, unit.level, realm, other):
            _take(cell, other)
            realm.move_unit(name, cell)
            return


def train(level: int, cell: int, realm: Realm, other: Realm) -> None:
    if not 1 <= level <= realm.rules.top_level or not realm.board.floor >> cell & 1:
        return
    price = UNIT_PRICE[level]
    if realm.gold >= price and realm.reaches(cell) and can_enter(cell, level, realm, other):
        _take(cell, other)
        realm.gold -= price
        realm.add_unit(level, cell)


def build_mine(cell: int, realm: Realm, _other: Realm) -> None:
    """`BUILD MINE x y`: on a mine spot."""
    if realm.rules.mines and realm.board.mine_spots >> cell & 1 and can_build(cell, realm):
        realm.gold -= BUILDING_PRICE
        realm.mines |= 1 << cell
        realm.occupied |= 1 << cell


def build_tower(cell: int, realm: Realm, _other: Realm) -> None:
    """`BUILD TOWER x y`: anywhere but on a mine spot."""
    if realm.rules.towers and not realm.board.mine_spots >> cell & 1 and can_build(cell, realm):
        realm.gold -= BUILDING_PRICE
        realm.towers |= 1 << cell
        realm.occupied |= 1 << cell


def can_build(cell: int, realm: Realm) -> bool:
    return realm.gold >= BUILDING_PRICE and realm.land.active >> cell & 1 == 1 and realm.can_be_entered(cell)


def can_enter(cell: int, level: int, realm: Realm, other: Realm) -> bool:
    if other.land.owned >> cell & 1:
        return not other.can_defend(cell, level)
    return realm.can_be_entered(cell)


def _take(cell: int, other: Realm) -> None:
    if other.land.owned >> cell & 1:
        other.lose_cell(cell)
