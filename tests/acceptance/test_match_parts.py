"""`ladder match show`: its parts stand below each other, with one empty line between two of them."""

from ladder.database.connection import Pool
from ladder.ids import MatchId
from ladder.matches import failures
from tests.acceptance.conftest import Desk
from tests.acceptance.test_match_times import BOTS_FAULT, QUICK, recorded
from tests.ladder.arena import a_pair, claimed, on_the_board, within


def fail(pool: Pool, match: str) -> None:
    within(pool, failures.write_down, MatchId(int(match)), "the disk was full", "sandbox")


def parts(shown: str) -> list[str]:
    return shown.removesuffix("\n").split("\n\n")


def test_all_parts_of_a_finished_match_are_one_line_apart(desk: Desk, pool: Pool) -> None:
    match = recorded(pool, [QUICK, BOTS_FAULT])
    fail(pool, match)
    found = parts(desk.ok("match", "show", match, "--turns"))
    assert [part.partition(" ")[0] for part in found[:3]] == ["match", "seat", "seat"]
    assert found[3].startswith("kraken@v1 lost 0:1; hits taken on its turns 2, 3, 4, 5, 6 (own surfacing), sunk on 7\n")
    assert [part.splitlines()[0] for part in found[4:6]] == ["attempts that failed", "overruns of wall time"]
    assert "turn seat " in found[6]
    assert len(found) == 7


def test_so_are_those_of_a_match_that_is_still_to_be_played(desk: Desk, pool: Pool) -> None:
    first, _ = a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    claimed(pool, first)
    fail(pool, str(first))
    assert parts(desk.ok("match", "show", str(first)))[-1].startswith("attempts that failed")
