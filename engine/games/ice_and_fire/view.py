"""What the players are sent. Only owners are given from the reader's side: 0 is the reader, 1 the opponent."""

from __future__ import annotations

from collections.abc import Iterator

from engine.games.ice_and_fire.board import BY_COLUMN, CELL_TEXT, MAP_CELLS, SIZE, Board, cells_of, digits_of, text_of
from engine.games.ice_and_fire.realm import Realm

_COLUMN_FIRST = {cell: place for place, cell in enumerate(BY_COLUMN)}
_MARKS = str.maketrans("012345", "#.oOxX")
_ROW_STARTS = MAP_CELLS[::SIZE]
_MINE, _TOWER = 1, 2  # 0 is the headquarters


def mine_spot_lines(board: Board) -> tuple[str, ...]:
    """Return what a player is sent once, before its first turn."""
    spots = [CELL_TEXT[cell] for cell in cells_of(board.mine_spots)]
    return str(len(spots)), *spots


def turn_lines(own: Realm, other: Realm, income: int) -> tuple[str, ...]:
    """Return what a player is sent on every turn. `income`: the one that it was paid."""
    buildings = [*_building_lines(0, own), *_building_lines(1, other)]
    units = [*_unit_lines(0, own), *_unit_lines(1, other)]
    return (
        *(str(own.gold), str(income), str(other.gold), str(other.income)),
        *map_rows(own, other),
        *(str(len(buildings)), *buildings),
        *(str(len(units)), *units),
    )


def map_rows(own: Realm, other: Realm) -> tuple[str, ...]:
    """Return who owns what, top to bottom: `#` void, `.` neutral, `O` own and active, `o` own, `X` and `x` enemy."""
    digits = own.board.floor_digits
    digits += digits_of(own.land.owned) + digits_of(own.land.active)
    digits += 3 * digits_of(other.land.owned) + digits_of(other.land.active)
    text = text_of(digits).translate(_MARKS)
    return tuple(text[start : start + SIZE] for start in _ROW_STARTS)


def _building_lines(owner: int, realm: Realm) -> Iterator[str]:
    yield f"{owner} 0 {CELL_TEXT[realm.land.headquarters]}"
    for kind, cells in ((_MINE, realm.mines), (_TOWER, realm.towers)):
        for cell in sorted(cells_of(cells), key=_COLUMN_FIRST.__getitem__):
            yield f"{owner} {kind} {CELL_TEXT[cell]}"


def _unit_lines(owner: int, realm: Realm) -> Iterator[str]:
    for name, unit in realm.units.items():
        yield f"{owner} {name} {unit.level} {CELL_TEXT[unit.cell]}"
