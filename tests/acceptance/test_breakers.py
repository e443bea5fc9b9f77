"""A version after whose answers the referee breaks again and again: the status, the bot and the pages name it."""

import pytest

from ladder.database.connection import Pool
from ladder.games.referee_faults import FLAGGED
from ladder.ids import MatchId, VersionId
from ladder.matches import claims
from ladder.matches.failures import Blame
from tests.acceptance.conftest import Desk
from tests.ladder.arena import a_pair, claimed, on_the_board, rows_of, within
from tests.ladder.rated import change, checked, numbers, play
from tests.web.serving import serving

FLAG = f"void, as the referee broke after its answer; {FLAGGED} of them among its latest 100: flagged"
WARNING = f"breaker@v1 may have found how to break the referee: of its latest 100 matches {FLAGGED} are void"


@pytest.fixture
def breaker(pool: Pool) -> VersionId:
    """A version that broke the referee in two matches, and played one to its end."""
    version_id, other = on_the_board(pool, "breaker"), on_the_board(pool, "honest")
    first, second = a_pair(pool, version_id, other)
    third, _ = a_pair(pool, other, version_id)
    for match_id in (first, third):
        break_after_answer(pool, match_id, version_id)
    play(pool, second, (0, 1))
    return version_id


def break_after_answer(pool: Pool, match_id: MatchId, version_id: VersionId) -> None:
    for _ in range(3):
        claim = claimed(pool, match_id)
        seat = claim.version_ids.index(version_id)
        within(pool, claims.give_back, claim, "it broke", answered_seat=seat, blame=Blame.CERTAIN)


def waiting(pool: Pool) -> MatchId:
    ((match_id,),) = rows_of(pool, "SELECT id FROM matches WHERE state = 'queued'")
    return MatchId(match_id)


def test_at_the_third_void_match_after_its_answers_a_version_is_named_everywhere(
    desk: Desk, pool: Pool, breaker: VersionId, broker_url: str
) -> None:
    rated = numbers(pool)
    assert "may have found how to break" not in desk.ok("status")
    assert "breaker@v1: 2 matches void, as the referee broke after its answer" in shown(desk, "bot", "show", "breaker")
    with serving(pool) as site:
        assert "break the referee" not in site.get("/operations").text
        break_after_answer(pool, waiting(pool), breaker)
        assert WARNING in site.get("/operations").text
    advice = "as the referee broke after its answer; `ladder match show` of those has what it answered"
    assert f"{WARNING}, {advice}" in shown(desk, "status")
    assert desk.json("status")["breakers"] == [{"version": "breaker@v1", "void": 3, "lately": 3}]
    assert f"breaker@v1: 3 matches {FLAG}" in shown(desk, "bot", "show", "breaker")
    assert "flagged" not in desk.ok("bot", "show", "honest")
    assert numbers(pool) == rated, "it is not a loss of either"
    assert checked(pool).is_clean
    change(pool, "UPDATE standings SET on_board = false WHERE version_id = %s", breaker)
    assert "may have found how to break" not in desk.ok("status"), "what has left the board breaks no more"


def shown(desk: Desk, *words: str) -> str:
    return " ".join(desk.ok(*words).split())
