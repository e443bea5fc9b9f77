"""How a bot did in each seat, and against each opponent."""

import json
from collections.abc import Callable

import pytest

from ladder.database.connection import Pool, transaction
from ladder.fleet.workers import fleet_of
from ladder.flows.recording import record
from ladder.gauntlets.execution import advance, begin
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import VersionId
from ladder.matches.claims import MatchClaim
from ladder.ratings.explanation import meetings_of
from tests.acceptance.conftest import Desk
from tests.conftest import Made, once
from tests.fakes import result_of
from tests.ladder.arena import ByName, a_pair, claimed, league_named, on_the_board, within
from tests.ladder.rated import play

SENTENCE = (
    "kraken@v2 takes 100 % of the points as player 0 and 0 % as player 1: more than chance. If the game favours "
    "no seat, look for a bug as player 1"
)


def wins_as_player_0(pool: Pool) -> ByName:
    """Let two versions of kraken play, which wins as player 0 alone, and two opponents."""
    found = {"kraken@v1": on_the_board(pool, "kraken", "a"), "wahoo@v1": on_the_board(pool, "wahoo", "w")}
    found["eel@v1"] = on_the_board(pool, "eel", "e")
    first = a_pair(pool, found["kraken@v1"], found["wahoo@v1"])
    for match_id in first:
        play(pool, match_id, (0, 0))
    found["kraken@v2"] = on_the_board(pool, "kraken", "b")
    for _ in range(12):
        for match_id in a_pair(pool, found["kraken@v2"], found["wahoo@v1"]):
            play(pool, match_id, (1, 0))
    for match_id in a_pair(pool, found["kraken@v2"], found["eel@v1"]):
        play(pool, match_id, (1, 0))
    return found


made = once(wins_as_player_0)


@pytest.fixture
def versions(made: Made[ByName], database_url: str) -> ByName:
    return made.found


def test_bot_versus_shows_each_opponent_by_seat_and_expected(desk: Desk, pool: Pool, versions: ByName) -> None:
    rows = json.loads(desk.ok("bot", "versus", "kraken", "--json"))
    wahoo, eel = rows
    assert (wahoo["opponent"], wahoo["matches"], wahoo["pairs"], wahoo["points"]) == ("wahoo", 26, 13, 13)
    assert [(one["won"], one["drawn"], one["lost"]) for one in wahoo["by_seat"]] == [(12, 1, 0), (0, 1, 12)]
    assert (eel["opponent"], eel["points"], eel["latest_match"]) == ("eel", 1, 28)
    league_id = league_named(pool, "wood-2").id
    met = [*within(pool, meetings_of, versions["kraken@v2"], league_id)]
    assert eel["expected"] == pytest.approx(sum(one.expected for one in met if one.opponent == "eel@v1"))
    shown = desk.ok("bot", "versus", "kraken")
    (line,) = [line for line in shown.splitlines() if line.startswith("wahoo ")]
    assert line.split() == ["wahoo", "12-1-0", "0-1-12", "13", "13", f"{wahoo['expected']:.1f}", "26"]
    assert "`ladder match list --bot kraken --against wahoo` lists matches, `ladder match view 26` shows one" in shown


def test_with_an_opponent_it_shows_each_version_against_each(desk: Desk, versions: ByName) -> None:
    rows = json.loads(desk.ok("bot", "versus", "kraken", "wahoo", "--json"))
    assert [(row["version"], row["opponent"], row["matches"]) for row in rows] == [
        ("kraken@v2", "wahoo@v1", 24),
        ("kraken@v1", "wahoo@v1", 2),
    ]
    assert "kraken@v1" in desk.ok("bot", "versus", "kraken", "wahoo")
    (one,) = json.loads(desk.ok("bot", "versus", "kraken@v1", "--json"))
    assert (one["opponent"], one["matches"], one["version"]) == ("wahoo", 2, "")
    assert "eel has no rated match against kraken@v9" not in desk.ok("bot", "versus", "eel")
    assert "unknown bot 'nessie'" in desk.refused(2, "bot", "versus", "kraken", "nessie")
    assert "wahoo has no rated match against eel yet" in desk.run("bot", "versus", "wahoo", "eel").stderr


def test_bot_show_says_that_a_version_does_better_in_one_seat(desk: Desk, versions: ByName) -> None:
    shown = " ".join(desk.ok("bot", "show", "kraken").split())
    assert "kraken@v2 as player 0 13 won, 0 drawn, 0 lost; as player 1 0 won, 0 drawn, 13 lost" in shown
    assert SENTENCE in shown
    former = json.loads(desk.ok("bot", "show", "kraken@v1", "--json"))["seats"]
    assert (former["version"], former["sentence"]) == ("kraken@v1", "")
    assert [one["drawn"] for one in former["by_seat"]] == [1, 1]


def played_out(pool: Pool, request: GauntletRequest, scores: Callable[[MatchClaim], tuple[int, int]]) -> str:
    """Play a gauntlet to its end and return its number. `scores`: of a match, by seat."""
    with transaction(pool) as connection:
        gauntlet = begin(connection, spec_of(connection, request))
    while True:
        with transaction(pool) as connection:
            made = advance(connection, fleet_of(connection))
        if not made:
            return str(gauntlet.id)
        for match_id in made:
            claim = claimed(pool, match_id)
            assert within(pool, record, claim, result_of(claim, scores(claim)))


def test_a_gauntlet_shows_where_points_by_seat_differ(desk: Desk, pool: Pool, versions: ByName) -> None:
    number = played_out(pool, GauntletRequest("kraken@v2", "kim", ("wahoo",), pairs=12), lambda _: (1, 0))
    found = json.loads(desk.ok("gauntlet", "show", number, "--json"))
    assert found["seats_sentence"] == SENTENCE
    (row,) = found["against"]
    assert [(one["seat"], one["won"], one["lost"]) for one in row["by_seat"]] == [(0, 12, 0), (1, 0, 12)]
    shown = desk.ok("gauntlet", "show", number, COLUMNS="140")
    assert "100 %" in shown
    assert SENTENCE in " ".join(shown.split())


def test_worse_only_lists_what_the_baseline_did_not_lose(desk: Desk, pool: Pool, versions: ByName) -> None:
    """On the seeds 5 and 6 the candidate wins as player 0 alone, and its baseline wins all on seed 6."""
    new, old = versions["kraken@v2"], versions["kraken@v1"]

    def scores(claim: MatchClaim) -> tuple[int, int]:
        seat = claim.version_ids.index(VersionId(old)) if old in claim.version_ids else 0
        wins = (1, 0) if seat == 0 or claim.seed == 5 else (0, 1)
        return wins if new in claim.version_ids or claim.seed == 6 else (1, 0)

    request = GauntletRequest("kraken@v2", "kim", ("wahoo",), baseline="kraken@v1", pairs=2, seeds=(5, 6))
    number = played_out(pool, request, scores)
    (worse,) = json.loads(desk.ok("gauntlet", "show", number, "--json"))["worse"]
    assert (worse["opponent"], worse["seed"], worse["seat"]) == ("wahoo@v1", 6, 1)
    line, total = desk.ok("gauntlet", "show", number, "--worse-only", COLUMNS="200").splitlines()
    match = worse["match_id"]
    again = f"played again by `ladder match rematch {match}`"
    assert line == f"lost to wahoo@v1 on seed 6 as player 1: `ladder match view {match}`, {again}"
    assert total == "kraken@v2 lost 1 match that kraken@v1 did not lose"
    assert total in desk.ok("gauntlet", "show", number)
    seats = json.loads(desk.ok("match", "show", str(match), "--json"))["seats"]
    assert [(seat["version"], seat["result"]) for seat in seats] == [("wahoo@v1", "win"), ("kraken@v2", "loss")]


def test_worse_only_lists_pairs_lost_to_who_decides(desk: Desk, pool: Pool, versions: ByName) -> None:
    old = versions["kraken@v1"]
    request = GauntletRequest("kraken@v2", "kim", pairs=7)
    number = played_out(pool, request, lambda claim: (1, 0) if claim.version_ids[0] == old else (0, 1))
    *lines, total = desk.ok("gauntlet", "show", number, "--worse-only", COLUMNS="200").splitlines()
    assert len(lines) == 7
    assert all(line.startswith("lost against kraken@v1 on seed ") for line in lines)
    assert all("`ladder match view " in line and " and `ladder match rematch " in line for line in lines)
    assert total == "lost 7 of 7 pairs against kraken@v1"
