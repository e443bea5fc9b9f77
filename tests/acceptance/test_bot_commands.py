"""`ladder bot`: shown, moved, renamed, retired, disqualified; sources back and compared, and notes."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cli.context import Context
from cli.submit import print_result
from ladder.database.connection import Pool
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.flows.submission import accept, reject
from ladder.ids import MatchId, VersionId
from ladder.leagues import leagues
from ladder.views.progress import version_progress
from tests.acceptance.conftest import Desk
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue, result_of
from tests.ladder import arena
from tests.ladder.arena import GAME, a_pair, accept_bosses, claimed, claimed_build, on_the_board, submitted, within
from tests.ladder.rated import a_history, change, numbers, play
from tests.throwaway import written


def test_a_version_is_shown_by_itself_with_its_rating_record_and_matches_and_a_bot_with_all_its_versions(
    desk: Desk, pool: Pool
) -> None:
    orca = on_the_board(pool, "orca")
    versions: list[VersionId] = []
    for number in range(1, 7):
        versions.append(on_the_board(pool, "kraken", f"print({number})"))
        if number in {2, 3}:
            play(pool, a_pair(pool, versions[-1], orca)[0])
    row = desk.json("bot", "show", "kraken@v3")
    assert row["name"] == "kraken"
    assert [version["number"] for version in row["versions"]] == [3]
    assert [(stay["version_id"], stay["matches"]) for stay in row["standings"]] == [(versions[2], 1)]
    (match,) = row["latest_matches"]
    assert {seat["version"] for seat in match["seats"]} == {"kraken@v3", "orca@v1"}
    shown = desk.ok("bot", "show", "kraken@v3")
    assert "v3" in shown
    assert "kraken@v3" in shown
    assert "v2" not in shown
    row = desk.json("bot", "show", "kraken")
    assert [version["number"] for version in row["versions"]] == [6, 5, 4, 3, 2, 1]
    assert len(row["latest_matches"]) == 2
    assert "unknown version of kraken 'v9'; known: v1 to v6" in desk.refused(2, "bot", "show", "kraken@v9")
    assert "unknown version of orca 'v2'; known: v1" in desk.refused(2, "bot", "show", "orca@v2")
    assert "unknown bot 'nessie'" in desk.refused(2, "bot", "show", "nessie@v1")
    assert "names no version" in desk.refused(2, "bot", "show", "kraken@3")


def test_it_says_why_a_version_plays_on_against_the_boss(desk: Desk, pool: Pool, bosses: None) -> None:
    kraken = on_the_board(pool, "kraken")
    change(pool, "UPDATE leagues SET battles = 3")
    change(pool, "UPDATE standings SET matches = 6, draws = 6, mu = 25, sigma = 1.5, score = 20.5")
    change(pool, "UPDATE standings SET mu = 26, sigma = 2, score = 20 WHERE version_id = %s", kraken)
    shown = " ".join(desk.ok("bot", "show", "kraken@v1").split())
    assert (
        "kraken@v1 is 2nd of 2 in Wood 2; its battles are over; 0.5 points below boss-wood-2, plays on while machines "
        "are idle"
    ) in shown
    assert (
        "kraken@v1 ranks below boss-wood-2@v1, but has a 66 % chance of being the stronger one: it plays on against "
        "that boss until it ranks above it, or has a 95 % chance of being the weaker one, up to 12 battles (it has 3)"
    ) in shown
    change(pool, "UPDATE standings SET matches = 24, draws = 24")
    shown = " ".join(desk.ok("bot", "show", "kraken").split())
    assert "it has had all its battles, 12; more of them would settle that (`battles` in the file of" in shown
    (order,) = desk.json("bot", "show", "kraken")["open_orders"]
    assert (order["boss"], order["plays_on"], order["battles"]) == ("boss-wood-2@v1", False, 12)
    change(pool, "UPDATE standings SET mu = 15, score = 9 WHERE version_id = %s", kraken)
    assert desk.json("bot", "show", "kraken")["open_orders"] == []


def test_it_says_what_a_version_lacks_to_go_up_and_how_long_that_takes(desk: Desk, pool: Pool, bosses: None) -> None:
    kraken = on_the_board(pool, "kraken")
    change(pool, "UPDATE leagues SET battles = 10")
    board = desk.json("board", "--game", GAME, "--league", "wood-2")
    (boss,) = [row["version_id"] for row in board if row["is_boss"]]
    for match_id in [match_id for _ in range(7) for match_id in a_pair(pool, kraken, boss)]:
        play(pool, match_id)
    a_pair(pool, kraken, boss)
    shown = " ".join(desk.ok("bot", "show", "kraken").split())
    assert re.search(
        r"kraken@v1 is (1st|2nd) of 2 in Wood 2; "
        r"goes up when above boss-wood-2 with 10 battles \(3 to go, about \d+ s\)",
        shown,
    )
    (outlook,) = desk.json("bot", "show", "kraken")["outlooks"]
    assert (outlook["lacking_matches"], outlook["boss"], outlook["goes_up_to"]) == (6, "boss-wood-2", "Wood 1")
    assert "+1: 1 battle still to play" in desk.ok("board", "--game", GAME, "--league", "wood-2")


PLAYER = "kim"


def in_legend(pool: Pool) -> None:
    accept_bosses(pool)
    within(pool, leagues.set_battles, GAME, 1)
    arena.play_all(pool, stronger=on_the_board(pool, "kraken"))


def states(desk: Desk) -> dict[int, tuple[bool, bool]]:
    shown = desk.json("bot", "show", "kraken")
    numbers = {version["id"]: version["number"] for version in shown["versions"]}
    return {numbers[stay["version_id"]]: (stay["on_board"], stay["is_rival"]) for stay in shown["standings"]}


def test_a_version_can_be_kept_and_put_back(desk: Desk, pool: Pool, bot: Path) -> None:
    on_the_board(pool, "kraken", "a")
    shown = desk.json("submit", bot, "--game", GAME, "--bot", "kraken", "--rival")
    assert shown["leaves_rival"] is True
    assert within(pool, accept, claimed_build(pool, shown["id"]))
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
    within(pool, reject, claimed_build(pool, submitted(pool, source="b")), "no compiler")
    submitted(pool, source="c")
    before = desk.ok("bot", "show", "kraken", "--json")
    for words, status, sentence in REFUSED:
        told = desk.refused(status, "bot", *words)
        assert sentence in told
        assert told.count("\n") == 1
    assert desk.ok("bot", "show", "kraken", "--json") == before


def test_a_bot_whose_only_version_was_rejected_plays_nowhere(desk: Desk, pool: Pool) -> None:
    within(pool, reject, claimed_build(pool, submitted(pool, "badbot")), "no compiler")
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


OLD = "depth = 6\nprint(depth)\r\n# ö"
NEW = "depth = 8\nprint(depth)\r\n# ö"


@pytest.fixture
def two_versions(pool: Pool) -> None:
    """Two versions of kraken, the second one on the board."""
    on_the_board(pool, "kraken", OLD)
    on_the_board(pool, "kraken", NEW)


@pytest.mark.usefixtures("two_versions")
def test_a_versions_source_comes_back_byte_for_byte(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "back.py"
    desk.ok("bot", "source", "kraken@v1", "-o", file)
    assert file.read_bytes() == OLD.encode()
    assert desk.ok("bot", "source", "kraken@v1") == OLD
    assert desk.ok("bot", "source", "Kraken") == NEW, "of a bot, what plays for it"
    shown = desk.json("bot", "source", "kraken")
    assert (shown["version"], shown["language"], shown["text"]) == ("kraken@v2", "python", NEW)
    file.write_text("my work")
    assert "exists already" in desk.refused(3, "bot", "source", "kraken", "-o", file)
    assert file.read_text() == "my work"
    desk.ok("bot", "source", "kraken", "-o", file, "--force")
    assert file.read_bytes() == NEW.encode()
    assert "cannot write" in desk.refused(2, "bot", "source", "kraken", "-o", tmp_path / "no" / "folder")
    assert "known: v1, v2" in desk.refused(2, "bot", "source", "kraken@v3")


@pytest.mark.usefixtures("two_versions")
def test_a_diff_shows_the_lines_that_differ(desk: Desk, pool: Pool) -> None:
    wanted = ["--- kraken@v1", "+++ kraken@v2", "@@ -1,3 +1,3 @@", "-depth = 6", "+depth = 8", " print(depth)", " # ö"]
    assert desk.ok("bot", "diff", "kraken@v1", "v2").splitlines() == wanted
    assert desk.ok("bot", "diff", "kraken@v1", "kraken").splitlines() == wanted
    compared = desk.json("bot", "diff", "kraken@v1", "v2")
    assert compared == {"first": "kraken@v1", "second": "kraken@v2", "same": False, "lines": wanted, "params": [{}, {}]}
    on_the_board(pool, "orca", OLD)
    assert "have the same source" in desk.run("bot", "diff", "kraken@v1", "orca@v1").stderr
    on_the_board(pool, "eel", OLD.replace("\r", ""))
    assert "only in how their lines end" in desk.run("bot", "diff", "kraken@v1", "eel").stderr
    assert "unknown bot" in desk.refused(2, "bot", "diff", "kraken@v1", "v0")


def test_a_note_stands_in_every_list_of_versions(desk: Desk, pool: Pool, bot: Path) -> None:
    words = ("submit", bot, "--game", GAME, "--bot", "kraken", "--json")
    version = json.loads(desk.ok(*words, "--note", "new  eval\n[bold]"))
    assert version["note"] == "new eval [bold]"
    assert within(pool, accept, claimed_build(pool, version["id"]))
    assert "v1: new eval [bold]" in desk.ok("bot", "show", "kraken").splitlines()
    assert "new eval [bold]" in desk.ok("bot", "list", "--game", GAME)
    for listing in (("bot", "list"), ("board",)):
        (row,) = [row for row in desk.json(*listing) if "kraken" in (row.get("name"), row.get("bot"))]
        assert row["note"] == "new eval [bold]"
    assert [row["note"] for row in desk.json("bot", "show", "kraken")["versions"]] == ["new eval [bold]"]
    bot.write_text("print(1)")
    assert "at most 200 characters" in desk.refused(2, *words_with_note(bot, "x" * 201))
    assert "kraken@v2" in desk.ok(*words_with_note(bot, "x" * 200))


def words_with_note(bot: Path, note: str) -> tuple[str | Path, ...]:
    return ("submit", bot, "--game", GAME, "--bot", "kraken", "--note", note)


@pytest.mark.usefixtures("two_versions")
def test_an_old_source_is_answered_with_the_command_that_puts_it_back(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "kraken.py"
    file.write_bytes(OLD.encode())
    told = desk.refused(3, "submit", file, "--game", GAME)
    assert "it is kraken@v1, and `ladder bot activate kraken@v1` puts it on the board" in told
    desk.ok("bot", "activate", "kraken@v1")
    assert "it is kraken@v1, which plays for it now" in desk.refused(3, "submit", file, "--game", GAME)


def listed(desk: Desk, *words: str) -> dict[str, Any]:
    return {row.get("bot") or row["name"]: row for row in desk.json(*words)}


def holds(desk: Desk) -> bool:
    return "every number is reproduced" in desk.ok("rating", "verify")


def state_of(desk: Desk, match_id: MatchId) -> str:
    return str(desk.json("match", "show", str(match_id))["state"])


def test_a_retired_bot_plays_no_more_keeps_its_history_and_comes_back(desk: Desk, pool: Pool) -> None:
    history = a_history(pool)
    waits = a_pair(pool, history.versions["kraken"], history.versions["eel"])
    desk.ok("gauntlet", "run", "kraken@v1", "--against", "eel", "--pairs", "1", "--detach")
    board, shown = listed(desk, "board"), desk.json("bot", "show", "kraken")
    told = desk.ok("bot", "retire", "kraken")
    assert "kraken is retired: it left the board of Wood 2, 2 queued matches of it will not be played" in told
    assert "`ladder bot activate kraken@v1` brings it back" in told
    assert "kraken" not in listed(desk, "board")
    assert "kraken" not in listed(desk, "bot", "list")
    assert listed(desk, "bot", "list", "--all")["kraken"]["retired_at"]
    assert "1 retired bot not shown: --all" in desk.run("bot", "list").stderr
    assert {state_of(desk, match_id) for match_id in waits} == {"void"}
    assert desk.json("gauntlet", "show", "1")["state"] == "stopped"
    assert "it is retired since" in desk.ok("bot", "show", "kraken")
    assert desk.json("bot", "show", "kraken")["latest_matches"] == shown["latest_matches"]
    for _ in range(3):
        for match_id in schedule(pool, RememberingQueue(), Random(1), GAMES):
            assert "kraken@v1" not in desk.ok("match", "show", str(match_id))
    assert holds(desk)
    assert "kraken is retired already" in desk.refused(3, "bot", "retire", "kraken")
    desk.ok("bot", "activate", "kraken@v1")
    back = listed(desk, "board")["kraken"]
    assert {key: back[key] for key in ("mu", "sigma", "score", "matches")} == {
        key: board["kraken"][key] for key in ("mu", "sigma", "score", "matches")
    }
    assert listed(desk, "bot", "list")["kraken"]["retired_at"] is None
    assert holds(desk)
    assert listed_deeds(desk)[:1] == [("bot retire", "kraken of kim (ocean-of-code)")]


def listed_deeds(desk: Desk) -> list[tuple[str, str]]:
    return [(row["deed"], row["about"]) for row in desk.json("deeds")]


def test_following_ends_when_the_bot_is_retired(desk: Desk, pool: Pool, capsys: pytest.CaptureFixture[str]) -> None:
    version_id = on_the_board(pool, "kraken")
    desk.ok("bot", "retire", "kraken")
    now = within(pool, version_progress, version_id)
    assert now.is_settled
    assert print_result(Context(), now) == 0
    assert "kraken@v1 is not on the board any more; `ladder bot show kraken` says" in capsys.readouterr().out


def test_submitting_brings_a_retired_bot_back_but_not_what_was_built_meanwhile(desk: Desk, pool: Pool) -> None:
    on_the_board(pool, "kraken", "1")
    late = claimed_build(pool, submitted(pool, "kraken", "2"))
    desk.ok("bot", "retire", "kraken")
    assert within(pool, accept, late)
    assert "kraken" not in listed(desk, "board")
    on_the_board(pool, "kraken", "3")
    assert listed(desk, "board")["kraken"]["number"] == 3


def test_an_old_name_leads_to_the_bot_and_cannot_be_taken(desk: Desk, pool: Pool, bot: Path) -> None:
    a_history(pool)
    assert "kraken is called Leviathan now; kraken still leads to it" in desk.ok("bot", "rename", "kraken", "Leviathan")
    shown = desk.json("bot", "show", "Kraken")
    assert (shown["name"], shown["former_names"]) == ("Leviathan", ["kraken"])
    assert desk.json("bot", "show", "kraken@v1")["versions"][0]["bot"] == "Leviathan"
    assert "it was called kraken before" in desk.ok("bot", "show", "leviathan")
    assert "Leviathan" in listed(desk, "board")
    same = desk.ok("match", "list", "--bot", "leviathan", "--json")
    assert desk.ok("match", "list", "--bot", "kraken", "--json") == same
    assert "Leviathan" in desk.ok("bot", "why", "kraken")
    where = ("rating", "recompute", "--json", "--where")
    assert desk.ok(*where, "opponent = kraken@v1") == desk.ok(*where, "opponent = leviathan@v1")
    desk.ok("match", "request", "kraken", "orca", "--battles", "1")
    desk.ok("gauntlet", "run", "kraken@v1", "--against", "orca", "--pairs", "1", "--detach")
    assert desk.ok("gauntlet", "list", "--bot", "kraken") == desk.ok("gauntlet", "list", "--bot", "leviathan")
    taken = ("submit", bot, "--game", GAME, "--bot", "kraken")
    assert "belongs to kim" in desk.refused(3, *taken, "--player", "ann")
    assert "Leviathan@v2" in desk.ok(*taken)
    assert "leads to Leviathan, which belongs to kim" in desk.refused(3, "bot", "rename", "orca", "kraken")
    assert "the name Leviathan belongs to kim" in desk.refused(3, "bot", "rename", "orca", "Leviathan")
    assert "1 to 39 of A-Z" in desk.refused(2, "bot", "rename", "kraken", "no name")
    assert "only its player" in desk.refused(3, "bot", "rename", "kraken", "mine", "--player", "ann")
    desk.ok("bot", "rename", "leviathan", "kraken")
    shown = desk.json("bot", "show", "leviathan")
    assert (shown["name"], shown["former_names"]) == ("kraken", ["Leviathan"])
    assert ("bot rename", "kraken of kim (ocean-of-code) is called Leviathan") in listed_deeds(desk)
    assert holds(desk)


def test_a_disqualified_bots_matches_count_no_more_until_it_is_reinstated(desk: Desk, pool: Pool) -> None:
    history = a_history(pool, battles=12, names=("kraken", "orca", "eel", "squid"))
    on_the_board(pool, "kraken", "a rival", leaves_rival=True)
    before, board = numbers(pool), desk.ok("board", "--json")
    told = desk.ok("bot", "disqualify", "kraken", "--why", "a copy of wahoo", "--player", "olga")
    assert "`ladder bot reinstate kraken` undoes that" in told
    assert holds(desk)
    assert "kraken" not in listed(desk, "board")
    assert listed(desk, "bot", "list")["kraken"]["disqualified_why"] == "a copy of wahoo"
    assert "disqualified" in desk.ok("bot", "list")
    assert "olga disqualified it on" in desk.ok("bot", "show", "kraken")
    for played in listed(desk, "board").values():
        others = [row for row in desk.json("match", "list", "--bot", played["bot"]) if row["rates"]]
        assert played["matches"] == len(others)
        assert not [seat for row in others for seat in row["seats"] if seat["version"].startswith("kraken@")]
    for words in (("activate", "kraken@v1"), ("retire", "kraken"), ("disqualify", "kraken", "--why", "again")):
        assert "disqualified" in desk.refused(3, "bot", *words)
    deed, about = listed_deeds(desk)[0]
    assert (deed, about) == ("bot disqualify", "kraken of kim (ocean-of-code): a copy of wahoo")
    desk.ok("bot", "reinstate", "kraken")
    assert numbers(pool) == before
    assert desk.ok("board", "--json") == board
    assert holds(desk)
    assert history.versions


def test_what_is_played_between_goes_on_from_there_and_two_can_be_disqualified(desk: Desk, pool: Pool) -> None:
    history = a_history(pool, battles=12, names=("kraken", "orca", "eel", "squid"))
    both = a_pair(pool, history.versions["kraken"], history.versions["orca"])
    for match_id in both:
        play(pool, match_id)
    before = listed(desk, "board")
    desk.ok("bot", "disqualify", "kraken", "--why", "x")
    desk.ok("bot", "disqualify", "orca", "--why", "y")
    for match_id in a_pair(pool, history.versions["eel"], history.versions["squid"]):
        play(pool, match_id)
    desk.ok("match", "void", str(both[0]), "--why", "z")
    desk.ok("bot", "reinstate", "kraken")
    assert "it no longer counts" in desk.ok("match", "show", str(both[1]))
    assert holds(desk)
    desk.ok("bot", "reinstate", "orca")
    assert holds(desk)
    after = listed(desk, "board")
    gained = {bot: after[bot]["matches"] - before[bot]["matches"] for bot in before if bot in history.versions}
    assert gained == {"kraken": -1, "orca": -1, "eel": 2, "squid": 2}


def test_a_match_that_is_being_played_when_its_bot_is_disqualified_is_not_recorded(desk: Desk, pool: Pool) -> None:
    history = a_history(pool)
    running, waits = a_pair(pool, history.versions["kraken"], history.versions["eel"])
    claim = claimed(pool, running)
    told = desk.json("bot", "disqualify", "kraken", "--why", "x")
    assert (told["is_disqualified"], told["void"]) == (True, 2)
    assert not within(pool, record, claim, result_of(claim, (1, 0)))
    assert {state_of(desk, running), state_of(desk, waits)} == {"void"}
    assert holds(desk)


def test_bosses_stay_and_nothing_unknown_leaves(desk: Desk, pool: Pool, bosses: None) -> None:
    on_the_board(pool, "kraken")
    boss = ("bot", "disqualify", "boss-wood-1", "--why", "x", "--game", GAME)
    assert "is the boss of Wood 1: let another bot guard it first" in desk.refused(3, *boss)
    assert "only its player" in desk.refused(3, "bot", "retire", "kraken", "--player", "ann")
    assert "kraken is not disqualified" in desk.refused(3, "bot", "reinstate", "kraken")
    assert "--why is empty" in desk.refused(2, "bot", "disqualify", "kraken", "--why", " ")
    for words in (("retire", "x"), ("rename", "x", "y"), ("disqualify", "x", "--why", "y"), ("reinstate", "x")):
        assert "unknown bot 'x'" in desk.refused(2, "bot", *words)
