"""The land: its map from the seed, and the geometry of its cells.

How this works. A cell is one integer: the map is laid out 13 cells to a row, with a wall before the first row, after
the last one and in column 0, where the end of one row and the start of the next meet. So a step is an addition (up is
-13, right is +1), every neighbour of a map cell has a number, and nothing can wrap around. A set of cells is an integer
with one bit per cell: growing it by one step in all directions is four shifts. Where cells have to be counted or drawn
as text, a set becomes an integer with one hexadecimal digit per cell: such integers can be added cell by cell.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, product

from engine.games.java_random import JavaRandom

SIZE = 12

_ROW = SIZE + 1
OUTSIDE = 0  # the number of a wall cell, which stands for every place that is not on the map
UP, DOWN, LEFT, RIGHT = -_ROW, _ROW, -1, 1


def cell_at(x: int, y: int) -> int:
    """(0, 0) is top left; OUTSIDE if it is not on the map."""
    if 0 <= x < SIZE and 0 <= y < SIZE:
        return _ROW * (y + 1) + x + 1
    return OUTSIDE


def column_and_row(cell: int) -> tuple[int, int]:
    return cell % _ROW - 1, cell // _ROW - 1


def set_of(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in set(cells))


def cells_of(cells: int) -> Iterator[int]:
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


MAP_CELLS = tuple(cell_at(x, y) for y, x in product(range(SIZE), repeat=2))
BY_COLUMN = tuple(cell_at(x, y) for x, y in product(range(SIZE), repeat=2))
CELL_TEXT = {cell: "{} {}".format(*column_and_row(cell)) for cell in MAP_CELLS}
CORNERS = MAP_CELLS[0], MAP_CELLS[-1]  # the headquarters of seat 0 and seat 1
SECOND_CELL = cell_at(SIZE - 1, SIZE - 2)  # belongs to seat 1 from the start

_ALL_CELLS = MAP_CELLS[-1] + DOWN + RIGHT + 1  # walls included
_WHOLE_MAP = set_of(MAP_CELLS)
_WALL = ~_WHOLE_MAP & (1 << _ALL_CELLS) - 1
NEIGHBOURS = {cell: set_of(cell + step for step in (UP, DOWN, LEFT, RIGHT)) & _WHOLE_MAP for cell in MAP_CELLS}

_FLOOR_ABOVE = 7549747  # of 24 random bits: 0.45 as a 32-bit float
_START = set_of(map(cell_at, (0, 1, 0, 1), (0, 0, 1, 1)))
_CORNER = set_of(cell_at(x, y) for x, y in product(range(3), repeat=2))
_FIRST_MINE_SPOT = cell_at(1, 0)
_NO_MINE_SPOTS = set_of((*CORNERS, SECOND_CELL, cell_at(0, 1)))
# The half of the map that decides about the other one: above the diagonal, and the upper half of the diagonal.
_DECIDING = set_of(cell for cell in MAP_CELLS for x, y in [column_and_row(cell)] if y < x or (y == x and x < SIZE // 2))
_BLOCK = tuple(4 * (_ROW * down + right) for down, right in product(range(3), repeat=2))  # as shifts of digits
_CROWDED = str.maketrans("0123456789", "0000001111")  # at least 6 cells of 9


def digits_of(cells: int) -> int:
    """Return a set as an integer with one hexadecimal digit per cell, 1 or 0."""
    return int(f"{cells:b}", 16)


def text_of(digits: int) -> str:
    """Return the text of an integer with one hexadecimal digit per cell, so that the index of a cell is its number."""
    return f"{digits:0{_ALL_CELLS}x}"[::-1]


def grown(cells: int) -> int:
    """Return a set with all neighbours of its cells, walls included."""
    return cells | cells << 1 | cells >> 1 | cells << _ROW | cells >> _ROW


def flooded(start: int, ground: int) -> int:
    reached = start
    while True:
        more = grown(reached) & ground
        if more == reached:
            return reached
        reached = more


def mirrored(cells: int) -> int:
    return int(f"{cells:0{_ALL_CELLS}b}"[::-1], 2)


class LandMap:
    """A map: what never changes in a match. `floor`: the set of all cells that are not void; it hangs together.
    `floor_digits`: the same as digits. `mine_spots`: a set, empty in the leagues without mines.
    """

    __slots__ = ("_within", "floor", "floor_digits", "mine_spots")

    def __init__(self, floor: int, mine_spots: int) -> None:
        self.floor = floor
        self.floor_digits = digits_of(floor)
        self.mine_spots = mine_spots
        # For a target, the sets of cells at most 0, 1, 2, ... steps from it, as far as somebody has asked.
        self._within: dict[int, list[int]] = {}

    def nearer(self, cell: int, target: int) -> int:
        """Return the set of cells that have a shorter way over the floor to `target` than `cell` has."""
        rings = self._within.setdefault(target, [1 << target])
        wanted = 1 << cell
        inside = 0
        for ring in rings:
            if ring & wanted:
                return inside
            inside = ring
        while True:
            ring = grown(inside) & self.floor
            rings.append(ring)
            if ring & wanted:
                return inside
            inside = ring


@lru_cache(maxsize=32)  # the two matches of a pair share a seed; a map grows as ways are asked for
def draw_board(seed: int, with_mines: bool) -> LandMap:
    random = JavaRandom(seed)
    floor = _connected(_symmetric(_caves(random)), random)
    return LandMap(floor, _draw_mine_spots(floor, random) if with_mines else 0)


def _caves(random: JavaRandom) -> int:
    """Noise, smoothed three times, and then its negative."""
    floor = set_of(cell for cell in BY_COLUMN if random.next_bits(24) > _FLOOR_ABOVE) | _START
    for _ in range(3):
        digits = digits_of(floor | _WALL)
        floor_around = sum(digits << shift for shift in _BLOCK) >> _BLOCK[4]
        crowded = text_of(floor_around)[:_ALL_CELLS].translate(_CROWDED)
        floor = int(crowded[::-1], 2) & _WHOLE_MAP
    return _WHOLE_MAP & ~floor


def _symmetric(floor: int) -> int:
    half = floor & _DECIDING | _CORNER
    return half | mirrored(half)


def _connected(floor: int, random: JavaRandom) -> int:
    parts = _parts(floor)
    if len(parts) == 1:
        return floor
    points = [column_and_row(part[random.next_int(len(part))]) for part in parts]
    for (x1, y1), (x2, y2) in combinations(points, 2):
        corridor = {cell_at(x, y2) for x in range(min(x1, x2), max(x1, x2) + 1)}
        corridor |= {cell_at(x1, y) for y in range(min(y1, y2), max(y1, y2) + 1)}
        floor |= set_of(corridor) | mirrored(set_of(corridor))
    return floor


def _parts(floor: int) -> list[list[int]]:
    parts = []
    left = {cell for cell in BY_COLUMN if floor >> cell & 1}
    for start in BY_COLUMN:
        part = []
        waiting = [start]
        while waiting:
            cell = waiting.pop()
            if cell in left:
                left.remove(cell)
                part.append(cell)
                waiting += (cell + DOWN, cell + UP, cell + RIGHT, cell + LEFT)  # the last one is the next
        if part:
            parts.append(part)
    return parts


def _draw_mine_spots(floor: int, random: JavaRandom) -> int:
    """An even number of cells, at least 6 and up to 15 % of the floor; always with (1, 0), the first one."""
    first = 1 << _FIRST_MINE_SPOT
    spots = first | mirrored(first)
    most = max(6, 3 * floor.bit_count() // 20)
    pairs = (random.next_int(most - 5) + 6) // 2
    for _ in range(pairs - 1):
        free = floor & ~spots & ~_NO_MINE_SPOTS
        spot = 0
        while not spot & free:
            x, y = random.next_int(SIZE), random.next_int(SIZE)
            spot = 1 << cell_at(x, y)
        spots |= spot | mirrored(spot)
    return spots
