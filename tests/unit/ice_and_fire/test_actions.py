"""Moving, training and building in A Code of Ice and Fire, sentence by sentence; see positions for the map."""

from typing import Any

import pytest

from engine.games.ice_and_fire.board import cell_at
from tests.unit.ice_and_fire.positions import Place, army, do, places, position, row, settle

# Sections 1 and 5: where a unit can go

FRONT = (4, 4)


def can_train(level: int, rules_level: int = 4, **there: Any) -> bool:
    """Whether player 0 can train a unit at FRONT, beside own land, where player 1 has something."""
    zero, one = position(rules_level)
    settle(one, row(4, range(5, 11)) + [(11, y) for y in range(4, 10)])  # a connection with its headquarters
    settle(one, **there)
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(4))])
    do(f"TRAIN {level} 4 4", zero, one)
    return bool(zero.land.owned >> cell_at(*FRONT) & 1)


@pytest.mark.parametrize(
    ("rules_level", "killing"),
    [(1, {(1, 1)}), (2, {(2, 1), (3, 1), (3, 2), (3, 3)}), (4, {(2, 1), (3, 1), (3, 2), (3, 3)})],
)
def test_which_unit_kills_which(rules_level: int, killing: set[tuple[int, int]]) -> None:
    """The top level of the league kills all, every other one what is below it."""
    top = max(level for level, _ in killing)
    for level in range(1, top + 1):
        for defender in range(1, top + 1):
            assert can_train(level, rules_level, units={FRONT: defender}) == ((level, defender) in killing)


@pytest.mark.parametrize(
    ("level", "there", "possible"),
    [
        (1, {}, True),
        (1, {"land": [FRONT]}, True),
        (1, {"mines": [FRONT]}, True),
        (2, {"towers": [FRONT]}, False),
        (3, {"towers": [FRONT]}, True),
        (1, {"land": [FRONT], "towers": [(5, 4)]}, False),
        (2, {"land": [FRONT], "towers": [(5, 4)]}, False),
        (3, {"land": [FRONT], "towers": [(5, 4)]}, True),
        (2, {"mines": [FRONT], "towers": [(5, 4)]}, False),
        (1, {"towers": [(5, 4)]}, True),  # the cell is neutral
        (1, {"land": [FRONT], "towers": [(5, 5)]}, True),  # diagonal
        (2, {"units": {FRONT: 1}, "towers": [(5, 4)]}, False),
    ],
)
def test_towers_keep_lower_levels_out(level: int, there: dict[str, Any], possible: bool) -> None:
    assert can_train(level, **there) == possible


def test_a_tower_that_is_cut_off_keeps_only_its_own_cell() -> None:
    zero, one = position()
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(4))])
    settle(one, [(4, 4)], towers=[(4, 5)])
    do("TRAIN 1 4 4;TRAIN 2 4 5", zero, one)
    assert places(zero.land.owned) & {(4, 4), (4, 5)} == {(4, 4)}
    assert places(one.towers) == {(4, 5)}
    do("TRAIN 3 4 5", zero, one)
    assert one.towers == 0


def test_a_capture_that_cuts_a_tower_off_ends_its_protection_at_once() -> None:
    zero, one = position()
    settle(one, [(11, y) for y in range(4, 10)] + row(4, range(6, 11)) + [(4, 4)], towers=[(5, 4)])
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(4))])
    settle(zero, [(x, 3) for x in range(1, 7)])
    do("TRAIN 1 4 4", zero, one)
    assert places(zero.land.owned).isdisjoint({(4, 4)})
    do("TRAIN 3 6 4;TRAIN 1 4 4", zero, one)
    assert {(4, 4), (6, 4)} <= places(zero.land.owned)


@pytest.mark.parametrize("there", [{"units": {FRONT: 1}}, {"mines": [FRONT]}, {"towers": [FRONT]}])
def test_own_things_are_in_the_way(there: dict[str, Any]) -> None:
    zero, one = position()
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(4))])
    settle(zero, units={(3, 4): 3})
    settle(zero, **there)
    before = army(zero), zero.mines, zero.towers
    do("TRAIN 3 4 4;MOVE 1 4 4;BUILD MINE 4 4;BUILD TOWER 4 4;TRAIN 1 0 0", zero, one)
    assert (army(zero), zero.mines, zero.towers) == before
    assert zero.gold == 1000


@pytest.mark.parametrize(("towers", "level", "wins"), [([], 1, True), ([(11, 10)], 2, False), ([(11, 10)], 3, True)])
def test_any_unit_takes_headquarters_unless_a_tower_protects_it(towers: list[Place], level: int, wins: bool) -> None:
    zero, one = position()
    settle(one, towers=towers)
    settle(zero, units={(10, 11): level})
    do("MOVE 1 11 11", zero, one)
    assert one.has_fallen == wins


# Section 6: MOVE


@pytest.mark.parametrize(("seat", "first", "second"), [(0, (5, 5), (6, 6)), (1, (5, 7), (4, 6))])
def test_the_order_of_ways_depends_on_the_player(seat: int, first: Place, second: Place) -> None:
    """Up and right first for player 0, down and left first for player 1, where two ways are as short."""
    realms = position()
    own, other = realms[seat], realms[1 - seat]
    settle(own, units={(5, 6): 1})
    target = (8, 3) if seat == 0 else (2, 8)
    do("MOVE 1 {} {}".format(*target), own, other)
    assert army(own) == {1: (1, first)}
    do("MOVE 1 {} {}".format(*target), own, other)
    assert army(own) == {1: (1, first)}, "it has moved"
    own.tired.clear()
    do("MOVE 1 5 6", own, other)
    own.tired.clear()
    settle(own, units={first: 1})
    do("MOVE 1 {} {}".format(*target), own, other)
    assert army(own)[1] == (1, second)


def test_there_is_no_way_around_a_blocked_cell() -> None:
    zero, one = position()
    settle(zero, units={(5, 6): 1}, towers=[(6, 6)])
    do("MOVE 1 8 6;MOVE 1 6 6;MOVE 1 5 6;MOVE 1 5 5", zero, one)
    assert army(zero) == {1: (1, (5, 5))}


def test_void_cells_are_walked_around() -> None:
    zero, one = position()
    settle(zero, units={(2, 0): 1})
    do("MOVE 1 11 0;MOVE 1 4 1", zero, one)
    assert army(zero) == {1: (1, (2, 1))}, "11 0 is void and ignored"


def test_a_unit_that_was_trained_in_the_line_does_not_move() -> None:
    zero, one = position()
    do("TRAIN 1 0 1;MOVE 1 0 2", zero, one)
    assert army(zero) == {1: (1, (0, 1))}


@pytest.mark.parametrize("there", [{"units": {FRONT: 1}}, {"mines": [FRONT]}, {"towers": [FRONT]}, {"land": [FRONT]}])
def test_a_move_takes_the_cell_and_what_stands_on_it(there: dict[str, Any]) -> None:
    """Unit, mine or tower; the cell never becomes neutral again, and the unit may go back inside its own land."""
    zero, one = position()
    settle(zero, units={(4, 5): 3})
    settle(one, **there)
    do("MOVE 1 4 4", zero, one)
    assert army(zero) == {1: (3, FRONT)}
    assert (army(one), one.mines, one.towers) == ({}, 0, 0)
    assert FRONT in places(zero.land.owned) - places(one.land.owned)
    zero.tired.clear()
    do("MOVE 1 4 5", zero, one)
    assert {FRONT, (4, 5)} <= places(zero.land.owned)
    assert army(zero) == {1: (3, (4, 5))}


# Section 6: TRAIN and BUILD


def test_training_goes_on_from_the_frontier_that_the_last_one_opened() -> None:
    """In one line, over neutral and enemy land; ids count on for both players."""
    zero, one = position(gold=30)
    do("TRAIN 1 0 3;TRAIN 1 0 1;TRAIN 1 0 2;TRAIN 1 0 3;TRAIN 1 0 4", zero, one)
    assert army(zero) == {1: (1, (0, 1)), 2: (1, (0, 2)), 3: (1, (0, 3))}
    assert zero.gold == 0
    do("TRAIN 2 10 11", one, zero)
    assert army(one) == {4: (2, (10, 11))}
    assert one.gold == 10


@pytest.mark.parametrize(("level", "price"), [(1, 10), (2, 20), (3, 30)])
def test_prices_of_units(level: int, price: int) -> None:
    """One coin less is not enough."""
    for gold, trained in [(price - 1, 0), (price, 1)]:
        zero, one = position(gold=gold)
        do(f"TRAIN {level} 0 1", zero, one)
        assert (len(zero.units), zero.gold) == (trained, gold - price * trained)


def test_units_are_trained_on_active_land_and_beside_it() -> None:
    zero, one = position()
    settle(zero, [(0, 1), (5, 5)])
    do("TRAIN 1 5 5;TRAIN 1 5 6;TRAIN 1 0 1;TRAIN 1 0 2", zero, one)
    assert army(zero) == {1: (1, (0, 1)), 2: (1, (0, 2))}


def test_land_that_is_joined_again_is_active_at_once() -> None:
    """So training can go on from there."""
    zero, one = position()
    settle(zero, [(0, 2), (0, 3)])
    do("TRAIN 1 0 1;TRAIN 1 0 4", zero, one)
    assert army(zero) == {1: (1, (0, 1)), 2: (1, (0, 4))}


@pytest.mark.parametrize(
    ("rules_level", "command", "possible"),
    [
        *((level, "BUILD MINE 1 0", level >= 3) for level in range(1, 6)),
        *((level, "BUILD TOWER 0 1", level >= 4) for level in range(1, 6)),
        (4, "BUILD MINE 0 1", False),  # no mine spot
        (4, "BUILD TOWER 1 0", False),  # a mine spot
        (4, "BUILD TOWER 1 1", False),  # neutral
        (4, "BUILD TOWER 0 0", False),  # the headquarters
        (4, "BUILD TOWER 5 5", False),  # cut off
        (4, "BUILD MINE 5 7", False),
        (4, "BUILD TOWER 11 10", False),  # the enemy's
    ],
)
def test_buildings(rules_level: int, command: str, possible: bool) -> None:
    """Leagues, places and the flat price of 15."""
    for gold in (14, 15):
        zero, one = position(rules_level, gold=gold)
        settle(zero, [(1, 0), (0, 1), (5, 5), (5, 7)])
        do(command, zero, one)
        built = possible and gold == 15
        assert (zero.mines | zero.towers).bit_count() == built
        assert zero.gold == (0 if built else gold)


def test_several_buildings_in_one_turn() -> None:
    zero, one = position(gold=50)
    settle(zero, [(1, 0), (0, 1), (0, 2), (0, 3)])
    do("BUILD TOWER 0 1;BUILD MINE 1 0;BUILD TOWER 0 1;BUILD TOWER 0 2;BUILD TOWER 0 3", zero, one)
    assert places(zero.mines) == {(1, 0)}
    assert places(zero.towers) == {(0, 1), (0, 2)}
    assert zero.gold == 5
