"""`ladder submit --rival`, `ladder bot activate`, `ladder bot rewind`, and what they say where that cannot be."""

from pathlib import Path

from ladder.database.connection import Pool
from ladder.flows.submission import accept, reject
from ladder.leagues import leagues
from tests.acceptance.conftest import Desk
from tests.ladder.arena import GAME, accept_bosses, claimed_build, on_the_board, play_all, submitted, within
from tests.throwaway import written

PLAYER = "kim"


def in_legend(pool: Pool) -> None:
    accept_bosses(pool)
    within(pool, leagues.set_battles, GAME, 1)
    play_all(pool, stronger=on_the_board(pool, "kraken"))


def states(desk: Desk) -> dict[int, tuple[bool, bool]]:
    shown = desk.json("bot", "show", "kraken")
    numbers = {version["id"]: version["number"] for version in shown["versions"]}
    return {numbers[stay["version_id"]]: (stay["on_board"], stay["is_rival"]) for stay in shown["standings"]}


def test_a_version_can_be_kept_and_put_back(desk: Desk, pool: Pool, bot: Path) -> None:
    on_the_board(pool, "kraken", "a")
    shown = desk.json("submit", bot, "--game", GAME, "--bot", "kraken", "--rival")
    assert shown["leaves_rival"] is True
    claimed = claimed_build(pool, shown["id"])
    assert within(pool, accept, claimed)
    assert states(desk) == {1: (True, True), 2: (True, False)}
    assert "on the board, as a rival" in desk.ok("bot", "show", "kraken")
    assert "kraken@v1 is on the board of Wood 2 again" in desk.ok("bot", "activate", "kraken@v1")
    assert states(desk) == {1: (True, False), 2: (False, False)}
    assert "kraken@v1 is on the board of Wood 2 already" in desk.ok("bot", "activate", "Kraken@v1")
    now = desk.json("bot", "activate", "kraken@v2")
    assert now == {"version": "kraken@v2", "league": "Wood 2", "was_active": False}


def test_a_bot_goes_back_on_its_players_wish(desk: Desk, pool: Pool) -> None:
    in_legend(pool)
    assert "kraken@v1 went back from Legend to Gold" in desk.ok("bot", "rewind", "kraken")
    assert "on the board, again" in desk.ok("bot", "show", "kraken")
    back = desk.json("bot", "rewind", "kraken", "--to", "Wood 1")
    assert back == {"version": "kraken@v1", "from_league": "Gold", "to_league": "Wood 1"}
    assert "in Wood 1" in desk.ok("bot", "show", "kraken")


def test_a_version_that_waits_for_a_league_to_open_is_shown_eligible(desk: Desk, pool: Pool, tmp_path: Path) -> None:
    file = written(tmp_path / "leagues.toml", f'game = "{GAME}"\n[leagues.wood-1]\nopens_at = 2999-01-01T00:00:00Z\n')
    assert 'wood-1: opens_at "" -> 2999-01-01T00:00:00+00:00' in desk.ok("league", "apply", file)
    assert "nothing to do" in desk.ok("league", "apply", file)
    in_legend(pool)
    assert "on the board, eligible" in desk.ok("bot", "show", "kraken")
    assert "in Wood 2" in desk.ok("bot", "show", "kraken")
    on_the_board(pool, "kraken", "the next version")
    on_boards = [line for line in desk.ok("bot", "show", "kraken").splitlines() if "on the board" in line]
    assert len(on_boards) == 1
    assert "v2" in on_boards[0]
    assert "eligible" in on_boards[0], "the new version has what the one before has earned"


REFUSED = [
    (("activate", "kraken"), 2, "'kraken' names no version: it should look like kraken@v3"),
    (("activate", "kraken@v2"), 3, "kraken@v2 was rejected, so it cannot play"),
    (("activate", "kraken@v1", "--player", "ben"), 3, "the bot kraken belongs to kim"),
    (("rewind", "kraken"), 3, "kraken plays in Wood 2, which is the lowest league already"),
    (("rewind", "kraken", "--player", "ben"), 3, "the bot kraken belongs to kim"),
    (("rewind", "boss-gold"), 2, "say which with --game"),
    (("rewind", "boss-gold", "--game", GAME, "--player", "house"), 3, "the bots of house come with Ladder"),
    (("activate", "boss-gold@v1", "--game", GAME, "--player", "House"), 3, "the bots of house come with Ladder"),
]
"""Commands, their exit status and words of the sentence."""


def test_an_impossible_command_gets_one_sentence_and_changes_nothing(desk: Desk, pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    claim = claimed_build(pool, submitted(pool, source="b"))
    within(pool, reject, claim, "no compiler")
    submitted(pool, source="c")
    before = desk.ok("bot", "show", "kraken", "--json")
    for words, status, sentence in REFUSED:
        told = desk.refused(status, "bot", *words)
        assert sentence in told
        assert told.count("\n") == 1
    assert desk.ok("bot", "show", "kraken", "--json") == before


def test_a_bot_whose_only_version_was_rejected_plays_nowhere(desk: Desk, pool: Pool) -> None:
    claim = claimed_build(pool, submitted(pool, "badbot"))
    within(pool, reject, claim, "no compiler")
    assert desk.refused(3, "bot", "rewind", "badbot") == "ladder: badbot has no version on a board\n"


def test_a_bot_cannot_be_put_in_place_of_a_boss(desk: Desk, pool: Pool, bot: Path, bosses: None) -> None:
    words = ("submit", bot, "--game", GAME, "--bot", "boss-gold")
    assert "the bots of house come with Ladder" in desk.refused(3, *words, "--player", "house")
    assert "the bots of house come with Ladder" in desk.refused(3, *words, LADDER_PLAYER="HOUSE")
    assert "the name boss-gold belongs to house" in desk.refused(3, *words)
    assert len(desk.json("bot", "show", "boss-gold", "--game", GAME)["versions"]) == 1


def test_a_bot_in_a_higher_league_goes_only_down(desk: Desk, pool: Pool) -> None:
    in_legend(pool)
    assert "only to a lower league" in desk.refused(3, "bot", "rewind", "kraken", "--to", "legend")


def test_without_services_nothing_can_be_moved(desk: Desk) -> None:
    assert "`ladder up`" in desk.refused(4, "bot", "rewind", "kraken")
    assert "`ladder up`" in desk.refused(4, "bot", "activate", "kraken@v1")
