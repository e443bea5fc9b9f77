"""The map generator and the geometry of Ocean of Code."""

import re
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.ocean_of_code.board import (
    CELL_TEXT,
    DAMAGE,
    MAP_CELLS,
    OUTSIDE,
    SECTOR,
    STEPS,
    cell_at,
    column_and_row,
    draw_board,
    draw_map,
    map_facts,
    torpedo_reach,
)
from tests.unit.conversations import SIGNED_64_BIT

PLACES = [(x, y) for y in range(15) for x in range(15)]
FOUR_WAYS = [(0, -1), (0, 1), (-1, 0), (1, 0)]

SAMPLES = """
    ...............  xxx............  ..........xx...
    ..xx...........  xxx............  ...xx....xxx...
    ..xx...........  xxx............  ...xx....xxx..x
    .............xx  xx........xxx..  ..............x
    .......xx....xx  ..........xxx..  ...............
    .......xx......  ...............  ...............
    ...............  ....xx.........  .xx............
    .....xxx.......  ....xx.........  .xx..........xx
    .....xxx.......  .xx.xx.........  ...xxxx......xx
    .....xxx.......  .xx............  ...xxxxx.......
    ...............  ...............  ...xxxxx.......
    ...............  ...............  ...............
    ...............  xxx......xx.xx.  ........xx.....
    ...............  xxx......xx.xx.  ........xx.....
    ...............  xxx......xx....  ...............
"""


@pytest.mark.parametrize(("column", "seed"), [(0, 0), (1, 1337), (2, -1)])
def test_the_maps_of_the_rules_text(column: int, seed: int) -> None:
    assert draw_map(seed) == tuple(line.split()[column] for line in SAMPLES.split("\n")[1:-1])


def test_a_golden_map_record_holds_the_rows() -> None:
    assert map_facts(1337) == {"map": list(draw_map(1337))}


# The masks of step 3 as they stand in the rules text, for an implementation that knows only strings.
MASKS = """
    11.0.111  .11111.0  .0.0.111  11.0.0.1  .111.0.0  .0.111.0  1111.0.1  .0.11111
    11111111  11111101  11110111  11011111  01111111
""".split()  # noqa: SIM905 - as in the text
CLOCKWISE = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)]


def is_land(rows: tuple[str, ...], x: int, y: int) -> bool:
    return not (0 <= x < 15 and 0 <= y < 15) or rows[y][x] == "x"


@given(SIGNED_64_BIT)
def test_every_coast_of_a_finished_map_fits_a_mask(seed: int) -> None:
    """The generator ends for any seed, and a complete scan of its map finds nothing to repair."""
    rows = draw_map(seed)
    assert [len(row) for row in rows] == [15] * 15
    for x, y in PLACES:
        if rows[y][x] == "x":
            around = "".join("1" if is_land(rows, x + right, y + down) else "0" for right, down in CLOCKWISE)
            assert any(re.fullmatch(mask, around) for mask in MASKS), (x, y, around)
        else:
            assert rows[y][x] == "."


@given(SIGNED_64_BIT)
def test_a_seed_gives_the_same_map_again(seed: int) -> None:
    rows = draw_map(seed)
    draw_board.cache_clear()
    assert draw_map(seed) == rows
    assert draw_map(seed + (1 << 48)) == rows


def seas(rows: tuple[str, ...]) -> list[int]:
    left = {(x, y) for x, y in PLACES if rows[y][x] == "."}
    sizes = []
    while left:
        found = [left.pop()]
        for x, y in found:
            near = {(x + right, y + down) for right, down in FOUR_WAYS} & left
            left -= near
            found += near
        sizes.append(len(found))
    return sizes


def test_waters_need_not_be_connected() -> None:
    """Nothing is repaired but coasts: seed 23 has a one-cell pond, others have several seas."""
    assert draw_map(23)[0].endswith("x.")
    assert 1 in seas(draw_map(23))
    assert 20 < sum(len(seas(draw_map(seed))) > 1 for seed in range(500)) < 50


def test_maps_have_as_much_land_as_was_counted() -> None:
    assert round(mean("".join(draw_map(seed)).count("x") for seed in range(500))) == 38


def test_cells_and_coordinates_belong_together() -> None:
    """Every place has a cell of its own, its text and its way back; what is not on the map is OUTSIDE."""
    assert [column_and_row(cell_at(x, y)) for x, y in PLACES] == PLACES
    assert [CELL_TEXT[cell_at(x, y)] for x, y in PLACES] == [f"{x} {y}" for x, y in PLACES]
    assert tuple(cell_at(x, y) for x, y in PLACES) == MAP_CELLS
    assert OUTSIDE not in MAP_CELLS
    for x, y in [(-1, 0), (0, -1), (15, 0), (0, 15), (15, 14), (-1, 15), (1 << 31, 0), (0, -(1 << 31))]:
        assert cell_at(x, y) == OUTSIDE


def test_a_step_leads_to_the_neighbour_or_off_the_map() -> None:
    for direction, (right, down) in zip("NSWE", FOUR_WAYS, strict=True):
        for x, y in PLACES:
            target = cell_at(x, y) + STEPS[direction]
            assert target >= 0
            assert (target if target in CELL_TEXT else OUTSIDE) == cell_at(x + right, y + down)


def test_sectors_are_numbered_like_text() -> None:
    for x, y in PLACES:
        assert SECTOR[cell_at(x, y)] == [[1, 2, 3], [4, 5, 6], [7, 8, 9]][y // 5][x // 5]


def test_explosions_hurt_by_distance_in_both_directions() -> None:
    for x, y in PLACES:
        for other_x, other_y in PLACES:
            distance = max(abs(x - other_x), abs(y - other_y))
            expected = {0: 2, 1: 1}.get(distance, 0)
            assert DAMAGE.get(cell_at(x, y) - cell_at(other_x, other_y), 0) == expected


def swim(rows: tuple[str, ...], start: tuple[int, int], steps: int) -> set[tuple[int, int]]:
    reached = {start}
    for _ in range(steps):
        near = {(x + right, y + down) for x, y in reached for right, down in FOUR_WAYS}
        reached |= {(x, y) for x, y in near if not is_land(rows, x, y)}
    return reached


@given(SIGNED_64_BIT, st.integers(0, 224))
def test_a_torpedo_swims_four_cells_around_land(seed: int, index: int) -> None:
    """Its reach is what stepping from cell to cell gives, from any water cell of any map."""
    board = draw_board(seed)
    waters = sorted(board.water)
    start = waters[index % len(waters)]
    expected = {cell_at(x, y) for x, y in swim(board.rows, column_and_row(start), 4)}
    reach = torpedo_reach(board, start)
    assert {cell for cell in range(reach.bit_length()) if reach >> cell & 1} == expected
