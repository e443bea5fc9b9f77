"""The sea: its map from the seed, and the geometry of its cells.

How this works. A cell is one integer: the map is laid out 16 cells to a row, with a wall before the first row, after
the last one and in column 0, where the end of one row and the start of the next meet. So a step is an addition (N is
-16, E is +1), every neighbour of a map cell has a number, and nothing can wrap around. A set of cells is an integer
with one bit per cell: growing it by one step in all directions is four shifts.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import product

from engine.games.java_random import JavaRandom
from engine.immutable import immutable

SIZE = 15
TORPEDO_RANGE = 4

_ROW = SIZE + 1
OUTSIDE = 0  # the number of a wall cell, which stands for every place that is not on the map
STEPS = {"N": -_ROW, "S": _ROW, "W": -1, "E": 1}


def cell_at(x: int, y: int) -> int:
    """(0, 0) is top left; OUTSIDE if it is not on the map."""
    if 0 <= x < SIZE and 0 <= y < SIZE:
        return _ROW * (y + 1) + x + 1
    return OUTSIDE


def column_and_row(cell: int) -> tuple[int, int]:
    return cell % _ROW - 1, cell // _ROW - 1


MAP_CELLS = tuple(cell_at(x, y) for y, x in product(range(SIZE), repeat=2))
CELL_TEXT = {cell: "{} {}".format(*column_and_row(cell)) for cell in MAP_CELLS}
_SECTOR_SIZE = 5
SECTOR = {
    cell: x // _SECTOR_SIZE + 1 + 3 * (y // _SECTOR_SIZE) for cell in MAP_CELLS for x, y in [column_and_row(cell)]
}
# What an explosion does to a submarine, by the difference of their cells.
DAMAGE = {_ROW * down + right: 1 for down, right in product((-1, 0, 1), repeat=2)} | {0: 2}


def _set_of(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in set(cells))


_WHOLE_MAP = _set_of(MAP_CELLS)
_LAST_NEIGHBOUR = MAP_CELLS[-1] + _ROW + 1  # south-east of the last map cell
_WALL = ~_WHOLE_MAP & ((1 << _LAST_NEIGHBOUR + 1) - 1)

# The island of a seed point: two by two cells, the north-western one as bit 0.
_BLOCK = _set_of((0, 1, _ROW, _ROW + 1))

# The eight neighbours of a cell as a set, shifted so that the north-western one is bit 0.
_NORTH_WEST = -_ROW - 1
_CLOCKWISE = (0, 1, 2, _ROW + 2, 2 * _ROW + 2, 2 * _ROW + 1, 2 * _ROW, _ROW)
_AROUND = _set_of(_CLOCKWISE)

# Coasts that need no repair: the neighbours clockwise from north-west, 1 for land or wall, 0 for water, . for either.
_SMOOTH_PATTERNS = (
    "11.0.111",
    ".11111.0",
    ".0.0.111",
    "11.0.0.1",
    ".111.0.0",
    ".0.111.0",
    "1111.0.1",
    ".0.11111",
    "11111111",
    "11111101",
    "11110111",
    "11011111",
    "01111111",
)


def _sets_matching(pattern: str) -> Iterable[int]:
    choices = [(0, 1) if mark == "." else (int(mark),) for mark in pattern]
    for bits in product(*choices):
        yield _set_of(bit for bit, present in zip(_CLOCKWISE, bits, strict=True) if present)


_SMOOTH = frozenset(around for pattern in _SMOOTH_PATTERNS for around in _sets_matching(pattern))


@immutable
class SeaMap:
    """A map. `rows` is its text, `water` the set of water cells for single look-ups, `water_bits` the same as bits."""

    rows: tuple[str, ...]
    water: frozenset[int]
    water_bits: int


def board_of(rows: tuple[str, ...]) -> SeaMap:
    water = frozenset(cell for cell, mark in zip(MAP_CELLS, "".join(rows), strict=True) if mark == ".")
    return SeaMap(rows, water, _set_of(water))


@lru_cache(maxsize=256)  # the two matches of a pair share a seed
def draw_board(seed: int) -> SeaMap:
    water_bits = _WHOLE_MAP & ~_draw_land(seed)
    text = "".join("." if water_bits >> cell & 1 else "x" for cell in MAP_CELLS)
    return board_of(tuple(text[start : start + SIZE] for start in range(0, SIZE * SIZE, SIZE)))


def draw_map(seed: int, rules_level: int = 3) -> tuple[str, ...]:
    """15 rows, top to bottom, `x` land, `.` water; the same at any level."""
    del rules_level
    return draw_board(seed).rows


def map_facts(seed: int, rules_level: int = 3) -> dict[str, object]:
    return {"map": list(draw_map(seed, rules_level))}


def torpedo_reach(board: SeaMap, start: int) -> int:
    water = board.water_bits
    reached = 1 << start
    for _ in range(TORPEDO_RANGE):
        reached |= (reached << 1 | reached >> 1 | reached << _ROW | reached >> _ROW) & water
    return reached


def _draw_land(seed: int) -> int:
    """Islands as a set of cells: a two by two block at each of some random points, then their coasts repaired."""
    draw = JavaRandom(seed).next_int
    land = passes = 0
    # The number of passes is not drawn once: each pass has to stay below a limit of its own.
    while passes < draw(26) + 5:
        x, y = draw(SIZE), draw(SIZE)
        land |= _BLOCK << cell_at(x, y) - _ROW  # the point is its south-western cell
        passes += 1
    return _repaired(land & _WHOLE_MAP)


def _repaired(land: int) -> int:
    """Fill the surroundings of every ragged land cell, the first one in reading order first."""
    cell = _first_ragged(land, MAP_CELLS[0])
    while cell is not None:
        land |= _AROUND << cell + _NORTH_WEST & _WHOLE_MAP
        # The rule is to start again from the top, but further up than this nothing has a changed neighbour.
        cell = _first_ragged(land, max(MAP_CELLS[0], cell + 2 * _NORTH_WEST))
    return land


def _first_ragged(land: int, start: int) -> int | None:
    solid = land | _WALL
    rest = land >> start << start
    while rest:
        lowest = rest & -rest
        cell = lowest.bit_length() - 1
        if solid >> cell + _NORTH_WEST & _AROUND not in _SMOOTH:
            return cell
        rest ^= lowest
    return None
