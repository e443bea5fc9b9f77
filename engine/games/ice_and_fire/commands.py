"""The commands: how a line is read, what each one does, and when it does nothing.

How this works. A line is read as a whole before anything of it is carried out: if one piece is no command, the player
has lost. Every command becomes an `Action`. Whether it is possible is seen when its turn comes; if it is not, it does
nothing. That holds for its target and its unit too: nothing that happens earlier in a line could change them, as a unit
that was trained in it cannot move.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from engine.games.ice_and_fire.board import cell_at
from engine.games.ice_and_fire.realm import BUILDING_PRICE, UNIT_PRICE, Realm
from engine.text import BLANKS

Action: TypeAlias = Callable[[Realm, Realm], None]
"""Carries out a command, if it is possible, given the own realm and the other one."""

_LARGEST = 2147483647


class Unrecognised(Exception):
    """A bot wrote something that is no command: no error of ours, but on its way to be a verdict. Holds the piece."""


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


def move(name: int, target: int, own: Realm, other: Realm) -> None:
    """`MOVE id x y`: one step on a shortest way to the target, the first one that is possible."""
    unit = own.units.get(name)
    if unit is None or name in own.tired or not own.board.floor >> target & 1:
        return
    nearer = own.board.nearer(unit.cell, target)
    for way in own.ways:
        cell = unit.cell + way
        if nearer >> cell & 1 and can_enter(cell, unit.level, own, other):
            _take(cell, other)
            own.move_unit(name, cell)
            return


def train(level: int, cell: int, own: Realm, other: Realm) -> None:
    if not 1 <= level <= own.rules.top_level or not own.board.floor >> cell & 1:
        return
    price = UNIT_PRICE[level]
    if own.gold >= price and own.reaches(cell) and can_enter(cell, level, own, other):
        _take(cell, other)
        own.gold -= price
        own.add_unit(level, cell)


def build_mine(cell: int, own: Realm, _other: Realm) -> None:
    """`BUILD MINE x y`: on a mine spot."""
    if own.rules.mines and own.board.mine_spots >> cell & 1 and can_build(cell, own):
        own.gold -= BUILDING_PRICE
        own.mines |= 1 << cell
        own.occupied |= 1 << cell


def build_tower(cell: int, own: Realm, _other: Realm) -> None:
    """`BUILD TOWER x y`: anywhere but on a mine spot."""
    if own.rules.towers and not own.board.mine_spots >> cell & 1 and can_build(cell, own):
        own.gold -= BUILDING_PRICE
        own.towers |= 1 << cell
        own.occupied |= 1 << cell


def can_build(cell: int, own: Realm) -> bool:
    return own.gold >= BUILDING_PRICE and own.land.active >> cell & 1 == 1 and own.can_be_entered(cell)


def can_enter(cell: int, level: int, own: Realm, other: Realm) -> bool:
    if other.land.owned >> cell & 1:
        return not other.can_defend(cell, level)
    return own.can_be_entered(cell)


def _take(cell: int, other: Realm) -> None:
    if other.land.owned >> cell & 1:
        other.lose_cell(cell)
