"""Gauntlets of several players on a real database: each player gets as many pairs as any other."""

from collections import Counter, deque

import pytest

from ladder.database.connection import Pool, transaction
from ladder.gauntlets.execution import PAIRS_AHEAD, begin
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import MatchId
from tests.conftest import once
from tests.ladder.arena import on_the_board, rows_of
from tests.ladder.test_gauntlets import play, stepped

made = once(lambda pool: [on_the_board(pool, name) for name in ("kraken", "orca")])
pytestmark = pytest.mark.usefixtures("made")


def begun(pool: Pool, player: str, gauntlets: int, pairs: int = 200) -> None:
    with transaction(pool) as connection:
        for seed in range(gauntlets):
            request = GauntletRequest("kraken@v1", player, ("orca",), pairs=pairs, seed=seed)
            begin(connection, spec_of(connection, request))


def players_of(pool: Pool, match_ids: list[MatchId]) -> list[str]:
    """Return who asked for each of these pairs, in their order; each has two matches."""
    rows = rows_of(
        pool,
        """
        SELECT lower(asked_by) FROM matches JOIN gauntlets ON gauntlets.id = gauntlet_id
        WHERE matches.id = ANY(%s) ORDER BY matches.id
        """,
        match_ids,
    )
    return [row[0] for row in rows][::2]


def played(pool: Pool, queue: deque[MatchId], pairs: int) -> tuple[list[MatchId], list[MatchId]]:
    """Play this many pairs, the first that was made first, with a look after each two of them.

    Returns the matches that were made meanwhile, and those that were played.
    """
    made: list[MatchId] = []
    done: list[MatchId] = []
    while len(done) < 2 * pairs:
        new = stepped(pool)
        made += new
        queue += new
        for match_id in [queue.popleft() for _ in range(4)]:
            play(pool, match_id, None)
            done.append(match_id)
    return made, done


def share(pool: Pool, match_ids: list[MatchId], player: str) -> float:
    counts = Counter(players_of(pool, match_ids))
    return counts[player] / counts.total()


def test_a_player_with_ten_gets_as_many_pairs_as_one_with_one(pool: Pool) -> None:
    begun(pool, "flood", 9)
    begun(pool, "Flood", 1)  # the same player, as everywhere
    begun(pool, "kim", 1)
    first = stepped(pool)
    assert players_of(pool, first) == ["flood", "kim"] * PAIRS_AHEAD
    made, done = played(pool, deque(first), 44)
    assert 0.45 <= share(pool, first + made, "kim") <= 0.55
    assert 0.45 <= share(pool, done, "kim") <= 0.55
    rows = rows_of(pool, "SELECT count(*) FROM matches GROUP BY gauntlet_id ORDER BY gauntlet_id")
    of_ten = [row[0] for row in rows[:10]]
    assert len(of_ten) == 10, "the gauntlets of one player take turns too"
    assert max(of_ten) - min(of_ten) <= 2, "by pairs"


def test_one_who_comes_later_gets_as_many_from_then_on(pool: Pool) -> None:
    begun(pool, "flood", 3)
    queue = deque(stepped(pool))
    ahead = len(queue) // 2
    begun(pool, "kim", 1)
    _, done = played(pool, queue, ahead + 20)
    since = Counter(players_of(pool, done[2 * ahead :]))
    assert abs(since["flood"] - since["kim"]) <= PAIRS_AHEAD, "no more than those that wait at once"


def test_a_player_alone_notices_nothing(pool: Pool) -> None:
    """Every gauntlet has its pairs ahead, one gauntlet's after the other's; and again once nobody else waits."""
    begun(pool, "kim", 3)
    begun(pool, "mia", 1, pairs=1)
    first = stepped(pool)
    assert Counter(players_of(pool, first)) == {"kim": PAIRS_AHEAD, "mia": 1}
    for match_id in first:
        play(pool, match_id, None)
    rows = rows_of(pool, "SELECT gauntlet_id, slot FROM matches WHERE id = ANY(%s) ORDER BY id", stepped(pool))
    assert len(rows) == 2 * 3 * PAIRS_AHEAD
    assert rows == sorted(rows)
