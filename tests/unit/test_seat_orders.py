"""Who sits where in the matches of a battle."""

import pytest

from engine.conversation import SeatOrders, seat_orders


@pytest.mark.parametrize("which", SeatOrders)
def test_two_players_have_both_orders(which: SeatOrders) -> None:
    assert seat_orders(2, which) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("players", range(2, 9))
def test_by_rotations_each_player_has_each_seat_once(players: int) -> None:
    orders = seat_orders(players)
    assert len(orders) == players
    for seat in range(players):
        assert {order[seat] for order in orders} == set(range(players))
    assert all(set(order) == set(range(players)) for order in orders)


def test_all_orders_of_four_are_24_and_one_is_one() -> None:
    assert len(set(seat_orders(4, SeatOrders.ALL))) == 24
    assert seat_orders(4, SeatOrders.ONE) == [(0, 1, 2, 3)]
