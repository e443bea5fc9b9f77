"""`ladder gauntlet` as people use it: real bots, verdicts that scripts act on, automatic gauntlets, statistics."""

import json
import re
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cli.context import Context
from cli.gauntlet.output import announced_at_end, follow
from engine.errors import Unavailable
from ladder.bots import bots, versions
from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.flows.submission import accept
from ladder.gauntlets import gauntlets
from ladder.gauntlets.automatic_gauntlets import gates
from ladder.ids import GauntletId, VersionId
from ladder.settings import settings_from
from ladder.statistics.elo import estimate
from ladder.views.bots import one_player
from ladder.web.pages.bots import one_bot
from ladder.web.pages.versions import one_version
from tests.acceptance.conftest import SURFACER, WHELK, Desk, Shell
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import GAME, claimed, claimed_build, on_the_board, rows_of, submitted, within
from tests.ladder.rated import change
from tests.patience import patience_s, wait_until
from tests.throwaway import written
from tests.unit.known_sprt_values import KNOWN

ENDLESS = ("shark@v3", "--against", "shark@v2", "--sprt=-20,20", "--pairs", "500")
"""Each of its pairs ends alike, so it is never decided."""


@pytest.fixture(scope="session")
def shark(arena: Desk, open_folder: Path) -> str:
    """A bot whose second version is better than its first, and whose third only looks different from its second."""
    for source in (SURFACER, WHELK, f"{WHELK}# tidied up\n"):
        arena.ok("submit", written(open_folder / "shark.py", source), "--game", GAME)
    return "shark"


def run_json(shell: Shell, *words: str, status: int = 0) -> dict[str, Any]:
    done = shell.run("gauntlet", "run", *words, "--json")
    assert done.returncode == status, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.smoke
def test_a_stronger_version_passes_and_people_get_a_sentence_a_table_and_a_gauge(arena: Desk, shark: str) -> None:
    done = arena.run("gauntlet", "run", "shark@v2", "--against", "shark@v1", "--sprt=-50,200")
    assert done.returncode == 0
    assert "passed: shark@v2 is better than shark@v1 by" in done.stdout
    assert "worst to best" in done.stdout
    assert "LLR +" in done.stdout
    told = arena.json("gauntlet", "show", str(arena.json("gauntlet", "list", "--bot", "shark")[0]["id"]))
    assert told["verdict"] == "passed"
    assert told["llr"] >= told["bounds"][1]
    assert told["sentence"].startswith("shark@v2 is better than shark@v1 by ")
    assert told["estimate"]["low"] > 0


def test_a_weaker_version_fails_and_its_lost_pairs_can_be_looked_at(arena: Desk, shark: str, tmp_path: Path) -> None:
    told = run_json(arena, "shark@v1", "--against", "shark@v2", "--sprt", "0,300", status=1)
    assert told["verdict"] == "failed"
    worst = told["lost_pairs"][0]
    assert worst["half_points"] == 0
    for match_id in worst["match_ids"]:
        assert arena.json("match", "show", str(match_id))["seed"] == worst["seed"]

    folder = tmp_path / "pages"
    words = ("gauntlet", "show", str(told["id"]), "--html", folder)
    arena.ok(*words)
    names = {"-".join(["pair", *map(str, pair["match_ids"])]) + ".html" for pair in told["lost_pairs"]}
    assert {file.name for file in folder.iterdir()} == names | {"index.html"}
    assert set(re.findall('<a href="([^"]*)">', (folder / "index.html").read_text("utf-8"))) == names
    page = (folder / f"pair-{'-'.join(map(str, worst['match_ids']))}.html").read_text("utf-8")
    assert all(f"ladder match view {match_id}" in page for match_id in worst["match_ids"])
    assert "add --force" in arena.refused(3, *words)
    arena.ok(*words, "--force")
    assert {file.name for file in tmp_path.iterdir()} == {"pages"}


def test_a_run_can_end_with_nothing_but_what_was_lost(arena: Desk, shark: str) -> None:
    words = ("shark@v1", "--against", "shark@v2", "--seeds", "3,4", "--worse-only")
    done = arena.run("gauntlet", "run", *words, COLUMNS="200")
    assert done.returncode in {1, 6}
    *lines, total = done.stdout.splitlines()
    assert total == f"lost {len(lines)} of 2 pairs against shark@v2"
    assert all("`ladder match view " in line and " and `ladder match rematch " in line for line in lines)
    assert "leave --vary and --detach out" in arena.refused(2, "gauntlet", "run", *words, "--detach")


def test_a_version_that_is_the_same_does_not_pass(arena: Desk, shark: str) -> None:
    told = run_json(arena, "shark@v3", "--against", "shark@v2", "--sprt", "0,20", "--pairs", "6", status=6)
    assert told["verdict"] == "undecided"
    assert told["pairs_played"] == 6


def test_a_gauntlet_can_be_left_alone_looked_at_stopped_and_resumed(arena: Desk, shark: str, tmp_path: Path) -> None:
    number = str(arena.json("gauntlet", "run", *ENDLESS, "--detach")["gauntlet"])
    assert f"gauntlet {number} is stopped" in arena.ok("gauntlet", "stop", number)
    before = arena.json("gauntlet", "show", number)
    assert before["state"] == "stopped"
    assert f"gauntlet {number} goes on" in arena.ok("gauntlet", "resume", number)

    def goes_on() -> bool:
        return bool(arena.json("gauntlet", "show", number)["pairs_played"] > before["pairs_played"])

    wait_until(goes_on, "a pair more", 0.3)
    arena.ok("gauntlet", "stop", number)
    page, report = tmp_path / "page.html", tmp_path / "report.xml"
    shown = arena.ok("gauntlet", "show", number, "--html", page, "--junit", report)
    assert re.match("gauntlet .*, at most [0-9]+ pairs each\n", shown), "in a pipe a title is not cut"
    assert re.search("^stopped(: | after [1-4] pairs?: too few to tell)", shown, re.MULTILINE)
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert "<testsuite" in report.read_text()
    listed = arena.json("gauntlet", "list", "--bot", "shark")
    assert int(number) in {one["id"] for one in listed}


def test_ctrl_c_ends_the_waiting_and_not_the_gauntlet(arena: Desk, shark: str) -> None:
    waiting = arena.begin("gauntlet", "run", *ENDLESS)

    def running() -> list[dict[str, Any]]:
        listed = arena.json("gauntlet", "list")
        return [one for one in listed if one["state"] == "running" and one["pairs"] == 500]

    number = str(wait_until(running, "the gauntlet", 0.2)[0]["id"])
    time.sleep(1)
    waiting.send_signal(signal.SIGINT)
    _, told = waiting.communicate(timeout=patience_s())
    assert waiting.returncode == 130
    assert f"gauntlet {number} goes on without you" in " ".join(told.split())
    assert arena.json("gauntlet", "show", number)["state"] == "running"
    arena.ok("gauntlet", "stop", number)


def test_a_ladder_that_stays_away_ends_the_waiting_with_how_it_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    away = Context(replace(settings_from({}), database_url=f"postgresql://ladder@/ladder?host={tmp_path}"))
    with pytest.raises(Unavailable), announced_at_end(away, GauntletId(7)):
        follow(away, GauntletId(7), as_json=True)
    assert "gauntlet 7 goes on without you: `ladder gauntlet show 7 --watch` follows it" in capsys.readouterr().err


def test_an_impossible_command_gets_one_sentence_and_begins_nothing(desk: Shell, pool: Pool) -> None:
    for number in (1, 2):
        on_the_board(pool, "kraken", f"print({number})")
    on_the_board(pool, "orca")
    change(pool, "UPDATE versions SET state = 'rejected' WHERE id = %s", submitted(pool, "kraken", "print(3)"))
    for status, words, sentence in (
        (3, ["kraken@v2", "--against", "kraken@v2"], "kraken@v2 cannot play against itself"),
        (3, ["kraken@v3"], "kraken@v3 was rejected"),
        (2, ["kraken@v2", "--against", "last:5"], "prior:N, boss, board:topN"),
        (2, ["kraken@v2", "--sprt", "10,0"], "elo0 has to be less than elo1"),
        (2, ["kraken@v2", "--sprt", "5"], "as in -20,20"),
        (2, ["kraken@v2", "--seeds", "1,2", "--pairs", "3"], "only 2 are given"),
        (2, ["kraken@v9"], "kraken"),
        (2, ["nobody"], "nobody"),
    ):
        assert sentence in desk.refused(status, "gauntlet", "run", *words)
        assert desk.json("gauntlet", "list") == []


def test_without_a_broker_gauntlets_are_accepted_but_only_running_ones_stopped(desk: Shell, pool: Pool) -> None:
    for number in (1, 2):
        on_the_board(pool, "kraken", f"print({number})")
    begun = desk.json("gauntlet", "run", "kraken", "--detach")
    gauntlet = str(begun["gauntlet"])
    assert begun["opponents"] == ["kraken@v1"]
    desk.ok("gauntlet", "stop", gauntlet)
    assert f"gauntlet {gauntlet} is stopped already" in desk.refused(3, "gauntlet", "stop", gauntlet)
    change(pool, "UPDATE gauntlets SET state = 'finished', verdict = 'failed'")
    assert f"gauntlet {gauntlet} is finished already" in desk.refused(3, "gauntlet", "stop", gauntlet)
    for act in ("show", "stop", "resume"):
        assert "there is no gauntlet 77" in desk.refused(2, "gauntlet", act, "77")
    told = desk.ok("gauntlet", "run", "kraken", "--detach")
    assert "gauntlet 2 has begun: is kraken@v2 better than kraken@v1?" in told


PLAYER = "kim"
Ask = Callable[..., Any]


@pytest.fixture
def ask(desk: Desk) -> Ask:
    """Runs a command; returns what it printed, read if it is JSON, or its one sentence."""

    def ask(*words: str, status: int = 0) -> Any:
        done = desk.run(*words)
        assert done.returncode == status, done
        if status in {2, 3}:
            assert done.stdout == ""
            assert done.stderr.startswith("ladder: ")
            assert done.stderr.count("\n") == 1
            return done.stderr
        return json.loads(done.stdout) if "--json" in words else done.stdout

    return ask


def play_out(pool: Pool, winner: str, host: str = "attic", stronger_id: VersionId | None = None) -> None:
    """Let kraken's gauntlets go on to their ends on one machine, that version of it winning all.

    `stronger_id`: a version that wins against that one too, if there is one.
    """
    with transaction(pool) as connection:
        own = versions.versions_of(connection, bots.find_bot(connection, "kraken").id)
        row = connection.execute("INSERT INTO workers (host, pid) VALUES (%s, 1) RETURNING id", [host]).fetchone()
    assert row is not None
    winner_id = next(version.id for version in own if version.name == winner)
    queue = RememberingQueue()
    while True:
        schedule(pool, queue, Random(1), GAMES)
        waiting = rows_of(pool, "SELECT id FROM matches WHERE gauntlet_id IS NOT NULL AND state = 'queued' ORDER BY id")
        if not waiting:
            return
        for (match_id,) in waiting:
            claim = claimed(pool, match_id, row[0])
            better_id = stronger_id if stronger_id and stronger_id in claim.version_ids else winner_id
            assert within(pool, record, claim, result_of(claim, ((1, 0), (0, 1))[claim.version_ids.index(better_id)]))


def test_automatic_gauntlets_are_shown_for_a_bot_its_league_and_all(ask: Ask, pool: Pool) -> None:
    on_the_board(pool, "kraken")
    on_the_board(pool, "orca")
    assert "no gauntlet is played by itself" in ask("gauntlet", "auto")
    assert ask("gauntlet", "auto", "--json") == []
    assert "nothing is played by itself for kraken" in ask("gauntlet", "auto", "kraken")
    assert ask("gauntlet", "auto", "kraken", "--json") is None

    made = ask("gauntlet", "auto", "kraken", "--against", "prior:5,boss", "--sprt", "-5,0", "--gate", "--json")
    assert (made["bot"], made["opponents"], made["elo0"], made["elo1"]) == ("kraken", ["prior:5", "boss"], -5, 0)
    assert (made["pairs"], made["gates"], made["asked_by"]) == (5000, True, "kim")
    sentence = "each new version of kraken (ocean-of-code) plays prior:5, boss: SPRT -5 to 0 Elo"
    assert sentence in ask("gauntlet", "auto", "kraken")
    assert "it comes onto the board when it has passed" in ask("gauntlet", "auto", "kraken")

    league = ("--league", "wood-2", "--game", GAME)
    assert "every bot in Wood 2" in ask("gauntlet", "auto", *league, "--pairs", "30")
    assert ask("gauntlet", "auto", *league, "--json")["pairs"] == 30
    assert ask("gauntlet", "auto", *league, "--json")["opponents"] == ["predecessor"], "the usual one"
    assert "plays predecessor: 30 pairs each; for information prior:3, boss" in ask("gauntlet", "auto", *league)
    alone = ask("gauntlet", "auto", *league, "--pairs", "30", "--context", "none", "--json")
    assert (alone["opponents"], alone["context"]) == (["predecessor"], [])
    assert ask("gauntlet", "auto", "orca", "--json")["league"] == "Wood 2", "a bot without its own has its league's"
    assert [row["bot"] for row in ask("gauntlet", "auto", "--json")] == [None, "kraken"]
    assert len(ask("gauntlet", "auto", "--game", "ice-and-fire", "--json")) == 0

    assert "automatic gauntlets for kraken are off; running ones continue" in ask("gauntlet", "auto", "kraken", "--off")
    assert ask("gauntlet", "auto", *league, "--off", "--json") == {"for": "Wood 2", "game": GAME, "off": True}
    assert ask("gauntlet", "auto", "--json") == []


def test_the_version_that_is_replaced_decides_not_the_boss(ask: Ask, pool: Pool, bosses: None) -> None:
    on_the_board(pool, "kraken", "a")
    on_the_board(pool, "kraken", "b")
    begun = ask("gauntlet", "run", "kraken@v2", "--pairs", "20", "--detach")
    assert "is kraken@v2 better than kraken@v1? It also meets boss-wood-2@v1 for information." in begun
    with transaction(pool) as connection:
        (boss,) = versions.versions_of(connection, bots.find_bot(connection, "boss-wood-2", GAME).id)
    play_out(pool, "kraken@v2", stronger_id=boss.id)
    found = ask("gauntlet", "show", "1", "--json")
    assert (found["verdict"], found["deciding"], found["context"]) == ("passed", ["kraken@v1"], ["boss-wood-2@v1"])
    rows = [(row["opponent"], row["decides"], row["pairs"], row["score"]) for row in found["against"]]
    assert rows == [("kraken@v1", True, 20, 1.0), ("boss-wood-2@v1", False, 4, 0.0)]
    shown = ask("gauntlet", "show", "1")
    assert "passed: kraken@v2 is better than kraken@v1 by" in shown
    assert "(20 pairs and 4 for information, " in shown
    alone = ask("gauntlet", "run", "kraken@v2", "--pairs", "20", "--context", "none", "--detach", "--json")
    assert alone["opponents"] == ["kraken@v1"]
    others = ask("gauntlet", "run", "kraken@v2", "--context", "board:top3", "--detach", "--json")
    assert (others["opponents"], others["deciding"]) == (["kraken@v1", "boss-wood-2@v1"], ["kraken@v1"])


REFUSED = [
    (2, ("auto", "nessie"), "unknown bot 'nessie'"),
    (2, ("auto", ""), "unknown bot ''"),
    (2, ("auto", "kraken", "--player", ""), "--player is empty"),
    (2, ("auto", "kraken", "--gate", "--player", ""), "--player is empty"),
    (2, ("auto", "kraken", "--off", "--player", ""), "--player is empty"),
    (
        2,
        ("auto", "kraken", "--against", "last:3"),
        "BOT@vN (a version), BOT (its present version), predecessor, prior:N, boss",
    ),
    (2, ("auto", "kraken", "--sprt", "5,5"), "elo0 has to be less than elo1"),
    (2, ("auto", "kraken", "--pairs", "0"), "--pairs"),
    (2, ("auto", "kraken", "--league", "wood-2"), "name a bot or a --league, not both"),
    (2, ("auto", "--league", "wood-2"), "say with --game"),
    (2, ("auto", "--league", "tin", "--game", GAME), "unknown league"),
    (2, ("auto", "--league", "wood-2", "--game", "chess"), "unknown game 'chess'"),
    (2, ("auto", "--game", "chess"), "unknown game 'chess'"),
    (2, ("auto", "--gate"), "say for whom"),
    (2, ("auto", "--off"), "say for whom"),
    (2, ("auto", "kraken", "--off", "--gate"), "--off takes back what stands"),
    (3, ("auto", "kraken", "--off"), "kraken has no automatic gauntlet of its own"),
    (3, ("auto", "kraken", "--gate", "--player", "ben"), "the bot kraken belongs to kim"),
    (3, ("auto", "kraken", "--off", "--player", "ben"), "the bot kraken belongs to kim"),
    (3, ("auto", "kraken", "--against", "kraken@v2"), "kraken@v2 was rejected"),
    (2, ("purge", "77", "--host", "attic"), "there is no gauntlet 77"),
    (2, ("purge", "77"), "--host"),
    (2, ("purge", "x", "--host", "attic"), "'x' is not a gauntlet number"),
    (2, ("purge", "77", "--host", "attic", "--why", " "), "--why is empty"),
]
"""Exit status, command, and words of its one sentence."""


def test_a_gate_takes_the_usual_test_and_says_what_an_equal_version_will_take(ask: Ask, pool: Pool) -> None:
    on_the_board(pool, "kraken")
    usual = ask("gauntlet", "auto", "kraken", "--gate")
    assert "SPRT -20 to 20 Elo" in usual
    assert re.search(r"equally good takes about 3[0-9]0 pairs, of at most 5,000$", usual.strip())
    told = ask("gauntlet", "auto", "kraken", "--sprt=-5,0", "--gate")
    assert "about 13,000 pairs, but at most 5,000 are played, so it would mostly stay undecided; --sprt=-20,20" in told
    assert "equally good" not in ask("gauntlet", "auto", "kraken", "--pairs", "30", "--gate")


def test_impossible_input_gets_one_sentence_and_changes_nothing(ask: Ask, pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    change(pool, "UPDATE versions SET state = 'rejected' WHERE id = %s", submitted(pool, source="b"))
    for status, words, sentence in REFUSED:
        assert sentence in ask("gauntlet", *words, status=status)
    assert ask("gauntlet", "auto", "--json") == []


def test_submit_watch_waits_for_the_gate_and_prints_how_it_ended(ask: Ask, desk: Desk, pool: Pool, bot: Path) -> None:
    on_the_board(pool, "kraken", "a")
    ask("gauntlet", "auto", "kraken", "--pairs", "5", "--gate")
    watching = desk.begin("submit", bot, "--game", GAME, "--bot", "kraken", "--watch")
    assert watching.stdout is not None
    assert "submitted kraken@v2" in watching.stdout.readline()
    with transaction(pool) as connection:
        (newest, *_) = versions.versions_of(connection, bots.find_bot(connection, "kraken").id)
    assert within(pool, accept, claimed_build(pool, newest.id))
    shown = ask("bot", "show", "kraken", "--json")["gauntlets"]
    assert [(row["version"], row["state"], row["holds_back"]) for row in shown] == [("kraken@v2", "running", True)]
    assert "it comes onto the board when it has passed" in ask("bot", "show", "kraken")
    assert re.search(r"v2\s.* waits for gauntlet 1\b", ask("bot", "show", "kraken"))
    with transaction(pool) as connection:
        assert gates(connection, [newest.id]) == {newest.id: "waits for gauntlet 1"}
        shown = one_bot(connection, "kraken", GAME)
        assert [line.gate for line in (*shown["present"], *shown["past"])] == ["waits for gauntlet 1", ""]
        assert one_version(connection, "kraken", 2, GAME)["gate"] == "waits for gauntlet 1"
        assert one_player(connection, "kim").bots[0].versions[0].gate == "waits for gauntlet 1"

    play_out(pool, winner="kraken@v1")
    out, _ = watching.communicate(timeout=patience_s())
    assert watching.returncode == 1
    assert "failed: kraken@v2 is worse than kraken@v1 by" in out
    assert "it is not on the board; to override: `ladder bot activate kraken@v2`" in out
    assert "kraken@v1 plays on" in out

    shown = ask("bot", "show", "kraken", "--json")
    (result,) = shown["gauntlets"]
    assert (result["verdict"], result["gates"], result["holds_back"]) == ("failed", True, True)
    assert result["sentence"].startswith("kraken@v2 is worse than kraken@v1 by")
    assert result["sentence"] in ask("bot", "show", "kraken")
    assert re.search(r"v2\s.* kept off by gauntlet 1\b", ask("bot", "show", "kraken"))

    assert ask("bot", "activate", "kraken@v2") == "kraken@v2 is on the board of Wood 2\n"
    assert ask("bot", "show", "kraken", "--json")["gauntlets"][0]["holds_back"] is False
    assert "stays off" not in ask("bot", "show", "kraken")


def test_what_a_machine_played_is_taken_back_and_played_again(ask: Ask, pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    ask("gauntlet", "auto", "kraken", "--pairs", "5")
    on_the_board(pool, "kraken", "b")
    play_out(pool, winner="kraken@v2")
    (gauntlet,) = ask("gauntlet", "list", "--json")
    id_ = str(gauntlet["id"])
    assert gauntlet["verdict"] == "passed"
    assert "lab has played no pair" in ask("gauntlet", "purge", id_, "--host", "lab", status=3)

    told = ask("gauntlet", "purge", id_, "--host", "attic", "--why", "its  fan\nstopped")
    assert told == f"5 pairs that attic played of gauntlet {id_} no longer count; it goes on\n"
    with transaction(pool) as connection:
        reasons = connection.execute("SELECT DISTINCT reason, void_by FROM matches WHERE state = 'void'").fetchall()
        assert reasons == [("its fan stopped", "kim")]
        assert gauntlets.find(connection, gauntlet["id"]).state == "running"

    play_out(pool, winner="kraken@v1", host="lab")
    assert ask("gauntlet", "list", "--json")[0]["verdict"] == "failed"
    done = ask("gauntlet", "purge", id_, "--host", "lab", "--json")
    assert done == {"gauntlet": gauntlet["id"], "host": "lab", "pairs": 5, "state": "running", "stays_on_board": None}


def test_a_version_that_was_let_in_stays_on_the_board_when_its_gauntlet_is_purged(ask: Ask, pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    ask("gauntlet", "auto", "kraken", "--pairs", "5", "--gate")
    on_the_board(pool, "kraken", "b")
    play_out(pool, winner="kraken@v2")
    (gauntlet,) = ask("gauntlet", "list", "--json")
    told = ask("gauntlet", "purge", str(gauntlet["id"]), "--host", "attic")
    assert "no longer count; it goes on\nkraken@v2 stays on the board, whatever the new verdict" in told
    play_out(pool, winner="kraken@v1", host="lab")
    assert ask("gauntlet", "list", "--json")[0]["verdict"] == "failed"
    assert [row["version"] for row in ask("board", "--game", GAME, "--json")] == ["kraken@v2"]
    assert ask("gauntlet", "purge", str(gauntlet["id"]), "--host", "lab", "--json")["stays_on_board"] == "kraken@v2"
    assert "kraken@v1 is on the board" in ask("bot", "activate", "kraken@v1")


def test_a_gauntlet_is_written_for_ci_systems_and_as_a_page(ask: Ask, pool: Pool, tmp_path: Path) -> None:
    on_the_board(pool, "kraken", "a")
    ask("gauntlet", "auto", "kraken", "--pairs", "5")
    on_the_board(pool, "kraken", "b")
    play_out(pool, winner="kraken@v1")
    (gauntlet,) = ask("gauntlet", "list", "--json")
    junit, page = tmp_path / "gauntlet.xml", tmp_path / "gauntlet.html"
    ask("gauntlet", "show", str(gauntlet["id"]), "--junit", str(junit), "--html", str(page))
    assert 'failures="2"' in junit.read_text("utf-8")
    assert "kraken@v2 is worse than kraken@v1" in page.read_text("utf-8")


def test_known_values_come_out_as_json(desk: Desk) -> None:
    known = KNOWN[1]
    words = ("--elo0", "0", "--elo1", "10", "--model", "logistic", "--json")
    found = json.loads(desk.ok("gauntlet", "stats", *map(str, known.counts), *words))
    assert found["llr"] == pytest.approx(known.llr, abs=1e-6)
    fixed = estimate(known.counts)
    assert (found["elo"], found["los"], found["ci"]) == (fixed.elo, fixed.los, [fixed.low, fixed.high])
    assert found["elo_95_half_width"] == fixed.half_width
    stopped = (found["sprt"]["elo"], *found["sprt"]["ci"], found["sprt"]["LOS"])
    assert stopped == pytest.approx(known.stopped, abs=1e-6)
    assert found["bounds"] == pytest.approx([-2.9444389791664403, 2.9444389791664403])
    assert found["state"] == "undecided"
    assert found["pair_ratio"] == pytest.approx(49 / 28)


def test_three_counts_are_matches_and_bounds_can_be_negative_and_normalised(desk: Desk) -> None:
    words = ("gauntlet", "stats", "120", "30", "160", "--elo0", "-5", "--elo1", "0", "--model", "normalised")
    found = desk.json(*words, "--alpha", "0.01", "--beta", "0.1")
    assert (found["elo0"], found["elo1"], found["elo_model"]) == (-5, 0, "normalized")
    assert (found["alpha"], found["beta"]) == (0.01, 0.1)
    assert "matches           310: 160 won, 30 even, 120 lost" in desk.ok(*words)


def test_a_few_lines_say_what_the_counts_mean(desk: Desk) -> None:
    text = desk.ok("gauntlet", "stats", "2", "20", "100", "80", "30")
    assert "232: 110 won, 100 even, 22 lost" in text
    assert "95 %" in text
    assert "passed" in text
    assert len(text.splitlines()) <= 5
    assert "nan" not in desk.ok("gauntlet", "stats", "0", "0", "0", "0", "12")


def test_one_interval_is_printed_and_it_goes_with_what_is_asked(desk: Desk) -> None:
    fixed, stopped = (desk.ok("gauntlet", "stats", *"00004", *more) for more in ((), ("--elo0", "0", "--elo1", "10")))
    for text in (fixed, stopped):
        assert text.count("(95 %)") == text.count("LOS") == 1
        assert "LOS 99.0%" in text
    assert "LOS 88.5%" in desk.ok("gauntlet", "stats", *"00402")


def test_input_that_makes_no_sense_gets_one_sentence(desk: Desk) -> None:
    for words, sentence in (
        (("1", "2"), "2 counts make no result"),
        (("0", "0", "0", "0", "0"), "nothing was played"),
        (("1", "2", "x"), "whole number"),
        (("1", "2", "3", "--elo0", "10", "--elo1", "5"), "elo0 has to be less than elo1, but they are 10 and 5"),
        (("1", "2", "3", "--model", "bayes"), "unknown model 'bayes'; known: logistic, normalized"),
    ):
        said = desk.refused(2, "gauntlet", "stats", *words)
        assert sentence in said
        assert said.count("\n") == 1
