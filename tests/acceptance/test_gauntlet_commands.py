"""`ladder gauntlet` as people use it: real bots, the real queue, verdicts that scripts act on."""

import json
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from ladder.database.connection import Pool
from tests.acceptance.conftest import LADDER, SURFACER, WHELK, Desk, Shell
from tests.ladder.arena import on_the_board, submitted
from tests.ladder.rated import change
from tests.patience import patience_s, wait_until
from tests.throwaway import written

GAME = "ocean-of-code"
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
    number = arena.json("gauntlet", "list", "--bot", "shark")[0]["id"]
    told = arena.json("gauntlet", "show", str(number))
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
        match = arena.json("match", "show", str(match_id))
        assert match["seed"] == worst["seed"]

    folder = tmp_path / "pages"
    words = ("gauntlet", "show", str(told["id"]), "--html", folder)
    arena.ok(*words)
    names = {"-".join(["pair", *map(str, pair["match_ids"])]) + ".html" for pair in told["lost_pairs"]}
    assert {file.name for file in folder.iterdir()} == names | {"index.html"}
    index = (folder / "index.html").read_text("utf-8")
    assert set(re.findall('<a href="([^"]*)">', index)) == names
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
    begun = arena.json("gauntlet", "run", *ENDLESS, "--detach")
    number = str(begun["gauntlet"])
    assert f"gauntlet {number} is stopped" in arena.ok("gauntlet", "stop", number)
    before = arena.json("gauntlet", "show", number)
    assert before["state"] == "stopped"
    assert f"gauntlet {number} goes on" in arena.ok("gauntlet", "resume", number)

    def goes_on() -> bool:
        now = arena.json("gauntlet", "show", number)
        return bool(now["pairs_played"] > before["pairs_played"])

    wait_until(goes_on, "a pair more", 0.3)
    arena.ok("gauntlet", "stop", number)
    page, report = tmp_path / "page.html", tmp_path / "report.xml"
    shown = arena.ok("gauntlet", "show", number, "--html", page, "--junit", report)
    assert re.search("^stopped(: | after [1-4] pairs?: too few to tell)", shown, re.MULTILINE)
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert "<testsuite" in report.read_text()
    listed = arena.json("gauntlet", "list", "--bot", "shark")
    assert int(number) in {one["id"] for one in listed}


def test_ctrl_c_ends_the_waiting_and_not_the_gauntlet(arena: Desk, shark: str) -> None:
    waiting = subprocess.Popen(
        [LADDER, "gauntlet", "run", *ENDLESS],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=arena.full_environment(),
    )

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


def test_an_impossible_command_gets_one_sentence_and_begins_nothing(desk: Shell, pool: Pool) -> None:
    for number in (1, 2):
        on_the_board(pool, "kraken", f"print({number})", "tess")
    on_the_board(pool, "orca")
    bad = submitted(pool, "kraken", "print(3)", "tess")
    change(pool, "UPDATE versions SET state = 'rejected' WHERE id = %s", bad)
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


def test_a_gauntlet_is_accepted_while_the_broker_is_away_and_not_stopped_where_it_is_over_or_unknown(
    desk: Shell, pool: Pool
) -> None:
    for number in (1, 2):
        on_the_board(pool, "kraken", f"print({number})", "tess")
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
