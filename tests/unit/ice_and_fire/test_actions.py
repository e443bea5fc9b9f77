"""Moving, training and building in A Code of Ice and Fire, and how turns and games begin and end; see positions."""

from typing import Any

import pytest

from engine.conversation import NO_ANSWER, OK, Outcome
from engine.games.ice_and_fire.board import cell_at, cells_of
from engine.games.ice_and_fire.referee import referee, war
from tests.unit.conversations import converse
from tests.unit.ice_and_fire.positions import LIMITS, SEED, Place, army, do, ended, places, position, row, settle

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


def test_a_tower_that_is_cut_off_keeps_only_its_own_cell_from_that_moment_on() -> None:
    zero, one = position()
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(4))])
    settle(one, [(4, 4)], towers=[(4, 5)])
    do("TRAIN 1 4 4;TRAIN 2 4 5", zero, one)
    assert places(zero.land.owned) & {(4, 4), (4, 5)} == {(4, 4)}
    assert places(one.towers) == {(4, 5)}
    do("TRAIN 3 4 5", zero, one)
    assert one.towers == 0
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


def test_void_cells_are_walked_around_and_blocked_ones_are_not() -> None:
    zero, one = position()
    settle(zero, units={(2, 0): 1})
    do("MOVE 1 11 0;MOVE 1 4 1", zero, one)
    assert army(zero) == {1: (1, (2, 1))}, "11 0 is void and ignored"
    zero, one = position()
    settle(zero, units={(5, 6): 1}, towers=[(6, 6)])
    do("MOVE 1 8 6;MOVE 1 6 6;MOVE 1 5 6;MOVE 1 5 5", zero, one)
    assert army(zero) == {1: (1, (5, 5))}


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


def test_units_are_trained_on_active_land_and_beside_it_also_where_it_was_just_joined() -> None:
    zero, one = position()
    settle(zero, [(0, 1), (5, 5)])
    do("TRAIN 1 5 5;TRAIN 1 5 6;TRAIN 1 0 1;TRAIN 1 0 2", zero, one)
    assert army(zero) == {1: (1, (0, 1)), 2: (1, (0, 2))}
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


# Section 7: the beginning of a turn


def test_income() -> None:
    """Active cells, 4 for each active mine, less upkeep of units on active cells."""
    zero, one = position()
    settle(zero, [(1, 1), (2, 2), (5, 5)], {(0, 1): 1, (0, 2): 2, (1, 2): 3, (5, 6): 3}, mines=[(1, 0), (5, 7)])
    assert zero.income == 7 + 4 - 1 - 4 - 20
    assert one.income == 2


def test_cut_off_units_die_when_their_owner_s_turn_begins_and_block_until_then() -> None:
    """Not before; their cells stay, and neither earn nor cost. They count as power until then."""
    zero, one = position(gold=0)
    settle(zero, units={(0, 1): 1, (5, 5): 2})
    settle(one, units={(10, 11): 1, (5, 6): 3})
    assert (zero.power, one.power) == (30, 40)
    asks, _ = converse(war(zero, one, LIMITS), ["WAIT"])
    assert [ask.lines[-2:] for ask in asks] == [("1 3 1 10 11", "1 4 3 5 6"), ("0 3 1 10 11", "1 1 1 0 1")]
    assert (zero.gold, one.gold) == (1, 2)
    assert (5, 5) in places(zero.land.owned)
    zero, one = position()
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(4))])
    settle(one, units={(4, 4): 2})
    do("TRAIN 1 4 4;TRAIN 2 4 4", zero, one)
    assert army(zero) == {}
    one.begin_turn()
    do("TRAIN 1 4 4", zero, one)
    assert army(zero) == {2: (1, (4, 4))}


def test_debts_but_not_a_lack_of_gold_kill_all_units_and_the_income_shown_is_the_old_one() -> None:
    """It is right again when the opponent is asked."""
    zero, one = position(gold=16)
    settle(zero, units={(0, 1): 3, (1, 1): 1})
    asks, _ = converse(war(zero, one, LIMITS), ["WAIT"])
    assert asks[0].lines[13:17] == ("0", "-18", "16", "2")
    assert asks[0].lines[-1] == "0"
    assert asks[1].lines[13:17] == ("18", "2", "0", "3")
    zero, one = position(gold=18)
    settle(zero, units={(0, 1): 3})
    settle(one, units={(10, 11): 3, (10, 10): 3})
    asks, _ = converse(war(zero, one, LIMITS), ["WAIT"])
    assert asks[0].lines[13:15] == ("0", "-18")
    assert len(zero.units) == 1
    assert asks[1].lines[13:15] == ("0", "-36")
    assert len(one.units) == 0


def test_all_units_may_move_again_on_the_next_turn() -> None:
    zero, one = position()
    answers = ["TRAIN 1 0 1", "WAIT", "MOVE 1 0 2", "WAIT", "MOVE 1 0 3;MOVE 1 0 4"]
    converse(war(zero, one, LIMITS), answers)
    assert army(zero) == {1: (1, (0, 3))}


# Section 8: the end


def test_waiting_to_the_end() -> None:
    """100 turns each; the second player's second cell wins."""
    asks, outcome = converse(referee(SEED, 4, LIMITS), ["WAIT"] * 201)
    assert len(asks) == 200
    assert outcome == Outcome((120, 220), "turns", (OK, OK))


def test_equal_power_at_the_end_is_a_draw() -> None:
    zero, one = position(gold=0)
    settle(zero, units={(0, 1): 1})
    answers = ["WAIT", "WAIT"] * 99 + ["WAIT"]
    conversation = war(zero, one, LIMITS)
    converse(conversation, answers)
    zero.gold, one.gold = 5, 5
    settle(one, units={(5, 5): 1})  # it has no connection
    with pytest.raises(StopIteration) as stop:
        conversation.send("WAIT")
    assert stop.value.value == Outcome((15, 15), "turns", (OK, OK))
    assert stop.value.value.winner is None


@pytest.mark.parametrize("seat", [0, 1])
def test_a_taken_headquarters_ends_the_game_at_once(seat: int) -> None:
    realms = position(gold=100)
    own, other = realms[seat], realms[1 - seat]
    x, y, beside = (11, 11, (10, 11)) if seat == 0 else (0, 0, (0, 1))
    settle(own, units={beside: 1})
    road = ["WAIT"] * seat
    own.land.gain(own.land.headquarters)
    # The unit stands alone, so that it has to be joined with its headquarters to survive.
    for cell in cells_of(own.board.floor):
        if cell != other.land.headquarters:
            other.land.owned &= ~(1 << cell)
            own.land.gain(cell)
    outcome = ended(war(*realms, LIMITS), *road, f"MOVE 1 {x} {y};TRAIN 1 5 5")
    income = own.board.floor.bit_count() - 1 - 1
    expected = [-1, -1]
    expected[seat] = 100 + income + 10
    assert outcome == Outcome((expected[0], expected[1]), "hq", (OK, OK))


def test_a_chain_of_trainings_reaches_the_headquarters_in_one_line() -> None:
    zero, one = position()
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(12)), *((11, y) for y in range(5, 8))])
    outcome = ended(war(zero, one, LIMITS), "TRAIN 1 11 8;TRAIN 1 11 9;TRAIN 1 11 10;TRAIN 1 11 11;TRAIN 1 0 1")
    assert outcome.reason == "hq"
    assert outcome.scores == (1000 + 19, -1)


@pytest.mark.parametrize("seat", [0, 1])
def test_no_answer_loses(seat: int) -> None:
    """The other player gets its power."""
    outcome = ended(referee(SEED, 4, LIMITS), *["WAIT"] * seat, None)
    expected = ((-1, 20), (NO_ANSWER, OK)) if seat == 0 else ((21, -1), (OK, NO_ANSWER))
    assert outcome == Outcome(expected[0], "timeout", expected[1])
