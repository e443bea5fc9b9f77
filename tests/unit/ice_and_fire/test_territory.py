"""What is active is kept up to date cell by cell, and is the same as when it is looked for anew."""

from hypothesis import given
from hypothesis import strategies as st

from engine.games.ice_and_fire.board import MAP_CELLS, NEIGHBOURS, cell_at, cells_of, set_of
from engine.games.ice_and_fire.realm import Territory

HEADQUARTERS = cell_at(5, 5)
# A small part of the map, so that cells come and go beside each other.
GROUND = [cell_at(x, y) for x in range(3, 8) for y in range(3, 8)]
CHANGES = st.lists(st.tuples(st.booleans(), st.sampled_from([cell for cell in GROUND if cell != HEADQUARTERS])))


def connected(owned: set[int], start: int) -> set[int]:
    reached = [start]
    for cell in reached:
        reached += [near for near in cells_of(NEIGHBOURS[cell]) if near in owned and near not in reached]
    return set(reached)


@given(st.sets(st.sampled_from(GROUND)), CHANGES)
def test_active_cells_are_those_joined_with_the_headquarters(start: set[int], changes: list[tuple[bool, int]]) -> None:
    owned = start | {HEADQUARTERS}
    territory = Territory(HEADQUARTERS, set_of(owned))
    for gains, cell in changes:
        if gains:
            territory.gain(cell)
            owned.add(cell)
        elif cell in owned:
            territory.lose(cell)
            owned.remove(cell)
        assert set(cells_of(territory.owned)) == owned
        assert set(cells_of(territory.active)) == connected(owned, HEADQUARTERS)


def test_a_lost_cell_cuts_off_all_behind_it() -> None:
    row = [cell_at(x, 4) for x in range(12)]
    territory = Territory(row[0], set_of(row))
    territory.lose(row[3])
    assert territory.active == set_of(row[:3])
    territory.lose(row[8])
    assert territory.active == set_of(row[:3])
    territory.gain(row[3])
    assert territory.active == set_of(row[:8])
    assert territory.owned == set_of(row) - (1 << row[8])


def test_a_headquarters_alone_is_active() -> None:
    """Whatever else is owned."""
    territory = Territory(MAP_CELLS[0], set_of((MAP_CELLS[0], MAP_CELLS[-1])))
    assert territory.active == 1 << MAP_CELLS[0]
