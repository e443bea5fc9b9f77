"""The map generator and the geometry of A Code of Ice and Fire."""

from collections import deque
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.ice_and_fire.board import (
    CELL_TEXT,
    DOWN,
    LEFT,
    MAP_CELLS,
    NEIGHBOURS,
    OUTSIDE,
    RIGHT,
    UP,
    LandMap,
    cell_at,
    cells_of,
    column_and_row,
    digits_of,
    draw_board,
    flooded,
    mirrored,
    set_of,
    text_of,
)
from engine.games.ice_and_fire.referee import draw_map, map_facts
from tests.unit.conversations import SIGNED_64_BIT

SETS = st.sets(st.sampled_from(MAP_CELLS))
PLACES = [(x, y) for y in range(12) for x in range(12)]
STEPS = {UP: (0, -1), RIGHT: (1, 0), DOWN: (0, 1), LEFT: (-1, 0)}

SEED_5 = """
    O..#########
    .....#######
    ..........##
    ...........#
    ............
    ............
    ............
    ............
    #...........
    ##..........
    #######....X
    #########..X
""".split()  # noqa: SIM905 - a map
SPOTS_OF_SEED_5 = "1 0 / 6 2 / 7 3 / 4 4 / 6 4 / 1 5 / 10 6 / 5 7 / 7 7 / 4 8 / 5 9 / 10 11"


def test_the_map_of_the_rules_text() -> None:
    """Seed 5 in the highest leagues."""
    spots = [[int(number) for number in spot.split()] for spot in SPOTS_OF_SEED_5.split(" / ")]
    assert map_facts(5, 4) == {"map": SEED_5, "mine_spots": spots}


def test_mines_come_in_wood_1_and_change_nothing_else() -> None:
    assert map_facts(5, 1) == map_facts(5, 2) == {"map": SEED_5}
    assert map_facts(5, 3) == map_facts(5, 4) == map_facts(5, 7)


def test_a_map_for_people_shows_mine_spots() -> None:
    """As dollar signs, where there are any."""
    assert draw_map(5, 2) == tuple(SEED_5)
    assert draw_map(5, 3)[:3] == ("O$.#########", ".....#######", "......$...##")
    assert "".join(draw_map(5, 4)).count("$") == 12


@given(SIGNED_64_BIT)
def test_maps_are_symmetric_and_connected(seed: int) -> None:
    board = draw_board(seed, with_mines=True)
    assert mirrored(board.floor) == board.floor
    assert mirrored(board.mine_spots) == board.mine_spots
    start = MAP_CELLS[0]
    assert board.floor >> start & 1
    assert walking_distances(board.floor, start).keys() == set(cells_of(board.floor))


@given(SIGNED_64_BIT)
def test_corners_are_open_and_mine_spots_few(seed: int) -> None:
    """Three by three cells in both corners; an even number of spots, 6 or up to 15 %, none beside a headquarters."""
    board = draw_board(seed, with_mines=True)
    corner = {(x, y) for x, y in PLACES if max(x, y) < 3 or min(x, y) > 8}
    assert all(board.floor >> cell_at(x, y) & 1 for x, y in corner)
    spots = {column_and_row(cell) for cell in cells_of(board.mine_spots)}
    assert board.mine_spots & ~board.floor == 0
    assert {(1, 0), (10, 11)} <= spots
    assert not spots & {(0, 0), (11, 11), (0, 1), (11, 10)}
    assert len(spots) % 2 == 0
    assert 6 <= len(spots) <= max(6, 0.15 * board.floor.bit_count() + 1)


@given(SIGNED_64_BIT)
def test_a_seed_gives_the_same_map_again(seed: int) -> None:
    facts = map_facts(seed, 4)
    draw_board.cache_clear()
    assert map_facts(seed, 4) == facts
    assert map_facts(seed + (1 << 48), 4) == facts


def test_cells_and_coordinates_belong_together() -> None:
    """Every place has a cell of its own, its text and its way back; what is not on the map is OUTSIDE."""
    assert [column_and_row(cell_at(x, y)) for x, y in PLACES] == PLACES
    assert [CELL_TEXT[cell_at(x, y)] for x, y in PLACES] == [f"{x} {y}" for x, y in PLACES]
    assert tuple(cell_at(x, y) for x, y in PLACES) == MAP_CELLS
    assert OUTSIDE not in MAP_CELLS
    for x, y in [(12, 0), (0, 12), (12, 11), (11, 12), (1 << 31, 0), (0, (1 << 31) - 1)]:
        assert cell_at(x, y) == OUTSIDE


def test_a_step_leads_to_the_neighbour_or_off_the_map() -> None:
    for x, y in PLACES:
        beside = {cell_at(x + right, y + down) for right, down in STEPS.values()} - {OUTSIDE}
        assert set(cells_of(NEIGHBOURS[cell_at(x, y)])) == beside
        for step, (right, down) in STEPS.items():
            target = cell_at(x, y) + step
            assert (target if target in CELL_TEXT else OUTSIDE) == cell_at(x + right, y + down)


@given(SETS)
def test_sets_in_all_their_forms(cells: set[int]) -> None:
    """As bits, as digits, as text, and turned."""
    bits = set_of(cells)
    assert list(cells_of(bits)) == sorted(cells)
    text = text_of(digits_of(bits))
    assert {place for place, digit in enumerate(text) if digit == "1"} == cells
    turned = {(11 - x, 11 - y) for x, y in map(column_and_row, cells)}
    assert set(map(column_and_row, cells_of(mirrored(bits)))) == turned


def walking_distances(ground: int, start: int) -> dict[int, int]:
    """How many steps over the ground every cell is away, by a search over single cells."""
    distances = {start: 0}
    waiting = deque([start])
    while waiting:
        cell = waiting.popleft()
        for step in STEPS:
            if ground >> cell + step & 1 and cell + step not in distances:
                distances[cell + step] = distances[cell] + 1
                waiting.append(cell + step)
    return distances


@given(SETS, st.sampled_from(MAP_CELLS))
def test_a_flood_stops_at_the_ground_s_end(ground: set[int], start: int) -> None:
    ground_bits = set_of(ground | {start})
    assert set(cells_of(flooded(1 << start, ground_bits))) == walking_distances(ground_bits, start).keys()


@cache
def plain_board(seed: int) -> LandMap:
    return LandMap(draw_board(seed, with_mines=False).floor, 0)


@pytest.mark.parametrize("seed", [5, 1069, 25026])
def test_nearer_cells_are_those_with_a_shorter_way(seed: int) -> None:
    board = plain_board(seed)
    floor = list(cells_of(board.floor))
    for target in floor[::7]:
        distances = walking_distances(board.floor, target)
        for cell in sorted(floor, key=lambda cell: cell * 71 % 183):
            nearer = {other for other in floor if distances[other] < distances[cell]}
            assert set(cells_of(board.nearer(cell, target))) == nearer
