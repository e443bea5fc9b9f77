"""Whose remaining battles are spared, since no result of them changes anything: decided from a league's board alone.

How this works. In leagues with the setting `sure`, a version that has nearly had its battles gets no more of them while
none of the results that are still possible can change whether it goes up or back, or its order with any other version
on the board (`ladder.ratings.rating_bounds`). That is looked at anew each time: where a newcomer or others' matches
bring its rank into reach again, it gets the rest. Only small boards are looked at: on others some neighbour is always
within reach, as `docs/simulation.md` shows, and looking would cost time for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ladder.choices import Promotion
from ladder.ids import VersionId
from ladder.leagues.settings import SURE_BATTLES
from ladder.promotions.rules import Place, lacking_matches, moves_at_all
from ladder.ratings.models import RatingSettings
from ladder.ratings.rating_bounds import keeps_its_rank
from ladder.ratings.standings import Standing

FEW_BATTLES = 25
"""At most this many battles are spared: of more, some results would always change something."""
SMALL_BOARD = 20
"""On boards of more versions nothing is spared."""


def spared(place: Place, board: Sequence[Standing], settings: RatingSettings) -> frozenset[VersionId]:
    """Return the ids of the versions that lack battles and need none of them."""
    if place.league.sure is None or len(board) > SMALL_BOARD or not place.league.is_for_two:
        return frozenset()
    return frozenset(row.version_id for row in board if is_spared(place, row, board, settings))


def is_spared(place: Place, row: Standing, board: Sequence[Standing], settings: RatingSettings) -> bool:
    """Say whether a version lacks battles of which no result can change anything."""
    boss = next((other for other in board if other.is_boss), None)
    lacking = lacking_matches(place.league, row)
    left = max(lacking, row.waiting, 0 if boss is None else lacking_matches(place.league, boss))
    others = [other for other in board if other.version_id != row.version_id]
    return (
        lacking > 0
        and left <= 2 * FEW_BATTLES
        and row.counted >= 2 * SURE_BATTLES
        and not row.is_boss
        and not may_go_up(place, row, boss, left)
        and not (place.league.demotion and place.below is not None)
        and keeps_its_rank(settings, row, others, left)
    )


def may_go_up(place: Place, row: Standing, boss: Standing | None, matches: int) -> bool:
    """Say whether a version that keeps its rank could earn a promotion by that many more matches."""
    if place.above is None or not moves_at_all(row) or row.eligible_at is not None:
        return False
    if place.league.promotion == Promotion.RANK_ABOVE_BOSS:
        return boss is not None and row.score > boss.score
    if place.league.promotion == Promotion.BOSS_WINS:
        return row.boss_wins + matches >= place.league.boss_wins
    return True
