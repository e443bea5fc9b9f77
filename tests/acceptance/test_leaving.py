"""`ladder bot retire`, `rename`, `disqualify`, `reinstate`: what leaves the boards, and how it comes back."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from cli.context import Context
from cli.submit import print_result
from ladder.database.connection import Pool
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.flows.submission import accept
from ladder.ids import MatchId
from ladder.views.progress import version_progress
from tests.acceptance.conftest import Desk
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import GAME, a_pair, claimed, claimed_build, on_the_board, submitted, within
from tests.ladder.rated import a_history, numbers, play

PLAYER = "kim"


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


def test_following_a_version_ends_when_its_bot_is_retired(
    desk: Desk, pool: Pool, capsys: pytest.CaptureFixture[str]
) -> None:
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
