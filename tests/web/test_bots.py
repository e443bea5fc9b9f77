"""The pages of bots, of versions and of two against each other, and what they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.errors import UnknownName, UsageFault
from ladder.database.connection import transaction
from ladder.names import Named
from ladder.views import timing
from ladder.views.head_to_head import head_to_head
from ladder.views.opponents import latest_opponents
from ladder.views.rating_history import rating_history
from ladder.views.timing import read_timing

if TYPE_CHECKING:
    from ladder.database.connection import Pool

GAME = "ocean-of-code"
KRAKEN = Named("kraken", None)


def test_a_short_history_has_a_point_for_every_match(small_ladder_pool: Pool) -> None:
    """They stand in the ledger's order, and each says whose rating it is."""
    with transaction(small_ladder_pool) as connection:
        found = rating_history(connection, KRAKEN, GAME)
        one = rating_history(connection, Named("kraken", 2), GAME)
    assert (found.matches, len(found.points), found.is_thinned) == (24, 24, False)
    assert [point.sequence for point in found.points] == sorted(point.sequence for point in found.points)
    assert [point for point in found.points if point.version == "kraken@v2"] == one.points


def test_a_long_history_is_thinned_evenly(small_ladder_pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each version has its share, and its first and its last match are among them."""
    monkeypatch.setattr("ladder.views.rating_history.MOST_POINTS", 8)
    with transaction(small_ladder_pool) as connection:
        found = rating_history(connection, KRAKEN, GAME)
        rows = connection.execute(
            "SELECT min(sequence), max(sequence) FROM ledger"
            " WHERE version_name(version_id) LIKE 'kraken@%%' GROUP BY version_id",
            {},
        ).fetchall()
    assert found.is_thinned
    assert len(found.points) == 8
    assert {end for row in rows for end in row} <= {point.sequence for point in found.points}


def test_opponents_are_counted_by_seat_and_by_version(small_ladder_pool: Pool) -> None:
    with transaction(small_ladder_pool) as connection:
        found = latest_opponents(connection, KRAKEN, GAME)
        wahoo = latest_opponents(connection, Named("wahoo", None), GAME)
    (row,) = found.rows
    assert (row.opponent, row.matches, found.numbers) == ("wahoo", 24, [1, 2])
    assert [record.matches for record in row.by_seat] == [12, 12]
    assert sum(record.points for record in row.by_number.values()) == row.total.points
    assert (row.total.won, row.total.lost) == (wahoo.rows[0].total.lost, wahoo.rows[0].total.won)


def test_times_are_those_of_all_turns_but_the_first(small_ladder_pool: Pool) -> None:
    """The bins hold every turn, and the slowest turns are the slowest of them."""
    with transaction(small_ladder_pool) as connection:
        found = read_timing(connection, KRAKEN, GAME)
    assert found.version == "kraken@v2"
    assert found.matches == 12
    assert sum(one.turns for one in found.bins) == found.turns > 100
    slowest = [turn.charged_us for turn in found.slowest]
    assert len(slowest) == timing.MOST_SLOWEST
    assert slowest == sorted(slowest, reverse=True)
    assert found.bins[-1].from_us <= slowest[0] < found.bins[-1].to_us


def test_two_bots_are_compared_in_all_their_matches(small_ladder_pool: Pool) -> None:
    """Each side sees the other's wins as its losses, and each pair has both its matches."""
    with transaction(small_ladder_pool) as connection:
        found = head_to_head(connection, KRAKEN, Named("wahoo", None), GAME)
        other = head_to_head(connection, Named("wahoo", 1), Named("kraken", 1), GAME)
        own = head_to_head(connection, Named("kraken", 1), Named("kraken", 2), GAME)
    assert (found.a, found.b, found.played, other.played, own.played) == ("kraken", "wahoo", 24, 12, 0)
    assert {len(pair.matches) for pair in found.pairs} == {2}
    assert sum(found.pairs_by_points) == 12
    with transaction(small_ladder_pool) as connection:
        again = head_to_head(connection, Named("kraken", 1), Named("wahoo", 1), GAME)
    assert [record.won for record in again.by_seat] == [record.lost for record in other.by_seat[::-1]]


def test_what_is_no_pair_is_refused(small_ladder_pool: Pool) -> None:
    with transaction(small_ladder_pool) as connection:
        with pytest.raises(UsageFault, match="are not two"):
            head_to_head(connection, KRAKEN, Named("kraken", 2), GAME)
        with pytest.raises(UnknownName):
            head_to_head(connection, KRAKEN, Named("kraken", 9), GAME)
