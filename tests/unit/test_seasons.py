"""Which season is on, who plays a series, and what a final board says."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused, UnknownName
from ladder.seasons import check_number, closed, final_board, running, series
from ladder.settled_board import SettledLine
from ladder.storage.leagues import League
from ladder.storage.seasons import Season
from ladder.storage.standings import Standing

GAME = "ocean-of-code"
MAY = datetime(2027, 5, 1, tzinfo=UTC)
JUNE = datetime(2027, 6, 1, tzinfo=UTC)
FIRST = Season(1, GAME, 1, None, closed_at=MAY)
SECOND = Season(2, GAME, 2, MAY, closed_at=JUNE)
IN_SERIES = Season(3, GAME, 3, JUNE, series_battles=5, series_top=10)


@given(size=st.integers(2, 15), battles=st.integers(1, 40))
def test_in_a_series_each_has_its_battles_and_all_meet_equally_often(size: int, battles: int) -> None:
    versions = [100 + number for number in range(size)]
    found = series(versions, battles)
    had: Counter[int] = Counter()
    for pair, count in found.items():
        had.update(dict.fromkeys(pair, count))
    assert {had[version_id] - battles for version_id in versions} <= {0, 1}
    times = [found.get(pair, 0) for pair in combinations(versions, 2)]
    assert sum(times) == sum(found.values()), "each pair once, the better one first"
    assert max(times) - min(times) <= 1


@pytest.mark.parametrize("versions", [[], [7]])
def test_who_has_nobody_to_play_has_no_series(versions: list[int]) -> None:
    assert series(versions, 3) == {}


def test_a_season_begins_when_the_one_before_is_closed() -> None:
    assert running(GAME, []) == Season(None, GAME, 1, None)
    assert running(GAME, [FIRST, SECOND]) == Season(None, GAME, 3, JUNE)
    assert running(GAME, [FIRST, SECOND, IN_SERIES]) == IN_SERIES
    assert [season.state for season in (running(GAME, []), IN_SERIES, FIRST)] == ["open", "series", "closed"]


def test_only_closed_seasons_have_final_boards() -> None:
    begun = [FIRST, SECOND, IN_SERIES]
    assert closed(GAME, 2, begun) == SECOND
    for number, seasons in ((3, begun), (3, begun[:2])):
        with pytest.raises(Refused, match="season 3 of ocean-of-code is not closed yet"):
            closed(GAME, number, seasons)
    with pytest.raises(UnknownName, match="known: 1, 2, 3"):
        closed(GAME, 4, begun)


def test_ending_another_season_than_was_meant_is_refused() -> None:
    check_number(IN_SERIES, None)
    check_number(IN_SERIES, 3)
    with pytest.raises(Refused, match="season 2 of ocean-of-code is closed already; the one that is on is season 3"):
        check_number(IN_SERIES, 2)
    with pytest.raises(Refused, match="season 4 of ocean-of-code has not begun"):
        check_number(IN_SERIES, 4)


def a_standing(version_id: int, bot: str, score: float) -> Standing:
    return Standing(
        version_id=version_id,
        bot=bot,
        number=1,
        player="kim",
        language="python",
        is_boss=False,
        mu=25.0,
        sigma=2.0,
        score=score,
        matches=4,
        wins=2,
        draws=1,
        losses=1,
        timeouts=1,
        faults=0,
        waiting=3,
        kept=False,
        eligible_at=None,
        boss_wins=0,
        owed_from=0,
        demoted_at=None,
    )


def test_a_final_board_holds_the_fit_beside_the_live_board_and_those_without_a_match() -> None:
    league = League(5, GAME, "gold", "Gold", 5, 4, 10, 60, "rank_above_boss", 10, demotion=False, is_open=True)
    board = [a_standing(8, "orca", 20.0), a_standing(7, "eel", 19.0), a_standing(9, "crab", 0.0)]
    settled = [
        SettledLine(1, 1, 1, 2, "eel@v1", 30.0, 9.0, 4, 2, 19.0, 25.0, 2.0),
        SettledLine(1, 2, 1, 2, "orca@v1", -30.0, 9.0, 4, 1, 20.0, 25.0, 2.0),
    ]
    rows = final_board(league, board, settled)
    assert [(row.version, row.live_rank, row.rank, row.strength) for row in rows] == [
        ("orca@v1", 1, 2, -30.0),
        ("eel@v1", 2, 1, 30.0),
        ("crab@v1", 3, None, None),
    ]
    assert (rows[0].rank_low, rows[0].rank_high, rows[0].wins, rows[0].timeouts) == (1, 2, 2, 1)
