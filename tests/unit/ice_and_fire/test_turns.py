"""How turns and games of A Code of Ice and Fire begin and end; see positions for the map."""

import pytest

from engine.conversation import NO_ANSWER, OK, Outcome
from engine.games.ice_and_fire.board import cells_of
from engine.games.ice_and_fire.referee import referee, war
from tests.unit.conversations import converse
from tests.unit.ice_and_fire.positions import LIMITS, SEED, army, do, ended, places, position, row, settle

# Section 7: the beginning of a turn


def test_income() -> None:
    """Active cells, 4 for each active mine, less upkeep of units on active cells."""
    zero, one = position()
    settle(zero, [(1, 1), (2, 2), (5, 5)], {(0, 1): 1, (0, 2): 2, (1, 2): 3, (5, 6): 3}, mines=[(1, 0), (5, 7)])
    assert zero.income == 7 + 4 - 1 - 4 - 20
    assert one.income == 2


def test_cut_off_units_die_when_their_owner_s_turn_begins() -> None:
    """Not before; their cells stay, and neither earn nor cost. They count as power until then."""
    zero, one = position(gold=0)
    settle(zero, units={(0, 1): 1, (5, 5): 2})
    settle(one, units={(10, 11): 1, (5, 6): 3})
    assert (zero.power, one.power) == (30, 40)
    asks, _ = converse(war(zero, one, LIMITS), ["WAIT"])
    assert [ask.lines[-2:] for ask in asks] == [("1 3 1 10 11", "1 4 3 5 6"), ("0 3 1 10 11", "1 1 1 0 1")]
    assert (zero.gold, one.gold) == (1, 2)
    assert (5, 5) in places(zero.land.owned)


def test_a_unit_that_is_cut_off_still_blocks() -> None:
    zero, one = position()
    settle(zero, [(0, 1), (0, 2), (0, 3), *row(4, range(4))])
    settle(one, units={(4, 4): 2})
    do("TRAIN 1 4 4;TRAIN 2 4 4", zero, one)
    assert army(zero) == {}
    one.begin_turn()
    do("TRAIN 1 4 4", zero, one)
    assert army(zero) == {2: (1, (4, 4))}


def test_debts_kill_all_units_and_the_income_shown_is_the_old_one() -> None:
    """It is right again when the opponent is asked."""
    zero, one = position(gold=16)
    settle(zero, units={(0, 1): 3, (1, 1): 1})
    asks, _ = converse(war(zero, one, LIMITS), ["WAIT"])
    assert asks[0].lines[13:17] == ("0", "-18", "16", "2")
    assert asks[0].lines[-1] == "0"
    assert asks[1].lines[13:17] == ("18", "2", "0", "3")


def test_no_gold_at_all_is_no_debt() -> None:
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
