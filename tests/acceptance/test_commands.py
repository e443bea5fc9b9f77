"""The commands by hand: submit, watch, board, bots, matches, play, status."""

import csv
import io
import json
import os
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import LADDER, NO_BROKER, SURFACER, Desk, Shell
from tests.catalogue import GAMES
from tests.patience import patience_s, wait_until
from tests.throwaway import written
from workers.embedded import state_file
from workers.embedded.home import LadderHome

GAME = "ocean-of-code"
BOTS = GAMES.find(GAME).bots_folder
WOOD_2 = ("--game", GAME, "--league", "wood-2")


def test_a_python_bot_and_a_cpp_bot_reach_the_board(arena: Desk, bot: Path) -> None:
    watched = arena.ok("submit", bot, "--game", GAME, "--bot", "snake", "--watch")
    assert re.search(r"snake@v1 ranks \d+ of \d+ in Wood 2", watched)
    assert re.search(r"it lost \d+ match(es)?, the latest: `ladder match view --last snake@v1 --lost`", watched)
    assert "snake@v1" in arena.ok("match", "view", "--last", "snake@v1", "--lost")
    arena.ok("submit", written(bot.with_name("squid.cpp"), (BOTS / "trivial.c").read_text()), "--game", GAME, "--watch")
    by_version = {row["version"]: row for row in arena.json("board", "--game", GAME)}
    assert by_version["snake@v1"]["matches"] >= 2
    assert by_version["squid@v1"]["language"] == "cpp"


@pytest.mark.smoke
def test_a_second_submission_is_version_two_and_replaces_the_first(arena: Desk, bot: Path) -> None:
    arena.ok("submit", bot, "--game", GAME, "--bot", "eel", "--watch")
    bot.write_text(bot.read_text() + "# a better idea\n")
    assert arena.json("submit", bot, "--game", GAME, "--bot", "eel")["version"] == "eel@v2"
    shown = wait_until(
        lambda: arena.json("bot", "show", "eel"), "both standings", 0.2, fits=lambda bot: len(bot["standings"]) == 2
    )
    assert [version["number"] for version in shown["versions"]] == [2, 1]
    assert [stay["on_board"] for stay in shown["standings"]] == [True, False]


def test_parameters_are_part_of_a_version_and_hold_in_its_trial_and_its_matches(arena: Desk, bot: Path) -> None:
    bot.write_text('import os\nassert os.environ["DEPTH"] == "6"\n' + bot.read_text())
    words = ("submit", bot, "--game", GAME, "--bot", "tuned", "--param")
    assert arena.json(*words, "DEPTH=6")["params"] == {"DEPTH": "6"}
    assert "submitted before: it is tuned@v1" in arena.refused(3, *words, "DEPTH=6")
    assert "PYTHONPATH cannot be a bot's parameter" in arena.refused(2, *words, "PYTHONPATH=/")
    arena.ok(*words, "DEPTH=7")
    shown = wait_until(
        lambda: arena.json("bot", "show", "tuned"),
        "matches of the first version, and the end of the second",
        0.2,
        fits=lambda told: told["latest_matches"] and told["versions"][0]["state"] == "rejected",
    )
    assert [version["params"] for version in shown["versions"]] == [{"DEPTH": "7"}, {"DEPTH": "6"}]
    assert "v2 plays with DEPTH=7\nv1 plays with DEPTH=6\n" in arena.ok("bot", "show", "tuned")
    assert arena.run("bot", "diff", "tuned@v1", "v2").stderr == (
        "tuned@v1 and tuned@v2 have the same source\ntheir parameters differ: tuned@v1 has DEPTH=6, tuned@v2 DEPTH=7\n"
    )
    listed = arena.json("match", "list", "--bot", "tuned")
    played = [match for match in listed if match["state"] == "finished"]
    assert played
    assert all(seat["verdict"] == "ok" for match in played for seat in match["seats"] if seat["version"] == "tuned@v1")
    again = arena.json("match", "rematch", str(played[0]["id"]))["replayed"]
    assert {"DEPTH": "6"} in again["params"]
    assert [verdict["verdict"] for verdict in again["outcome"]["verdicts"]] == ["ok", "ok"]
    (own,) = arena.json("play", GAME, "tuned@v1", "boss-wood-2")
    (other,) = arena.json("play", GAME, "tuned@v1", "boss-wood-2", "--param-a", "DEPTH=9")
    assert [row["params"][0] for row in (own, other)] == [{"DEPTH": "6"}, {"DEPTH": "9"}]
    assert [row["outcome"]["verdicts"][0]["verdict"] for row in (own, other)] == ["ok", "crashed"]


@pytest.mark.smoke
def test_boards_come_as_table_json_and_csv(arena: Desk) -> None:
    boss = "boss-wood-2@v1 (boss)"
    assert "Wood 2" in wait_until(lambda: arena.ok("board", *WOOD_2), boss, 0.2, fits=lambda board: boss in board)

    def boards() -> tuple[Any, list[dict[str, str]], Any]:
        """Return it twice as JSON, and in between as CSV: matches may be recorded meanwhile."""
        rows = arena.json("board", *WOOD_2)
        lines = list(csv.DictReader(io.StringIO(arena.ok("board", *WOOD_2, "--csv"))))
        return rows, lines, arena.json("board", *WOOD_2)

    rows, lines, _ = wait_until(boards, "a board that stays", fits=lambda found: found[0] == found[2])
    assert [row["version"] for row in rows] == [line["version"] for line in lines]
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)


@pytest.mark.smoke
def test_matches_can_be_listed_and_looked_at(arena: Desk, bot: Path) -> None:
    bot.write_text("import sys\nsys.stderr.write('\\x1b]0;owned\\x9b5m')\n" + bot.read_text())
    arena.ok("submit", bot, "--game", GAME, "--bot", "ray", "--watch")
    listed = arena.json("match", "list", "--bot", "ray", "--limit", "1")
    assert len(listed) == 1
    match_id = str(listed[0]["id"])
    shown = arena.json("match", "show", match_id)
    assert shown["state"] == "finished"
    assert {"ray@v1"} < {seat["version"] for seat in shown["seats"]}
    assert len(shown["said"]) == shown["turns"]
    assert all(seat["slowest_us"] >= seat["median_us"] > 0 for seat in shown["seats"])
    words = arena.ok("match", "show", match_id, "--turns")
    assert f"seed {shown['seed']}" in words
    assert "SURFACE" in words
    assert "\u241b]0;owned\ufffd5m" in words, "a terminal does not obey what a bot wrote"


def test_requested_battles_are_played_and_unrated(arena: Desk, bot: Path) -> None:
    arena.ok("submit", bot, "--game", GAME, "--bot", "manta", "--watch")
    told = arena.ok("match", "request", "manta", "boss-wood-2", "--game", GAME, "--battles", "2", "--watch")
    assert re.search(r"manta@v1 against boss-wood-2@v1 in 4 matches: \d won, \d drawn, \d lost$", told.strip())
    (request,) = (row for row in arena.json("match", "requests", "--all") if "manta" in row["first"])
    rows = arena.json("match", "list", "--request", str(request["id"]))
    assert [row["rates"] for row in rows] == [False] * 4
    assert f"made for request {request['id']} (tess): it is unrated" in arena.ok("match", "show", str(rows[0]["id"]))
    assert "played" in arena.ok("match", "requests", "--all")
    assert arena.json("status")["requests"] == {"open": 0, "left": 0}
    arena.ok("rating", "verify", "--game", GAME)


@pytest.mark.smoke
def test_status_shows_supervisor_queue_and_workers(arena: Desk) -> None:
    cores = len(os.sched_getaffinity(0))
    status = wait_until(lambda: arena.json("status"), "workers", 0.2, fits=lambda told: len(told["workers"]) == cores)
    assert status["supervisor"]
    assert status["matches"]["void"] == 0
    assert set(status["queue"]) == {"control", "build", "first", "play"}
    assert "worker" in arena.ok("status")


def test_up_again_changes_nothing(arena: Desk) -> None:
    before = arena.json("status")["supervisor"]
    assert "the pages" not in arena.run("up").stderr, "it was started without them"
    assert arena.json("status")["supervisor"] == before


@pytest.mark.smoke
def test_play_needs_no_services_and_the_same_seed_gives_the_same_match(desk: Desk, bot: Path) -> None:
    words = ("play", GAME, BOTS / "trivial.c", bot, "--seed", "-42", "--league", "bronze", "--json")
    first, second = (json.loads(desk.ok(*words)) for _ in range(2))
    assert [turn["line"] for turn in first[0]["turns"]] == [turn["line"] for turn in second[0]["turns"]]
    assert first[0]["outcome"] == second[0]["outcome"]


def test_play_swaps_the_seats_on_each_seed_and_sums_up(desk: Desk, nonsense: Path) -> None:
    words = ("play", GAME, BOTS / "trivial.c", nonsense, "--seed", "7", "--matches", "4", "--jobs", "1")
    rows = desk.json(*words)
    assert [row["spec"]["seed"] for row in rows] == [7, 7, 8, 8]
    assert [row["bots"][0] for row in rows] == ["trivial.c", "nonsense.py"] * 2
    assert "trivial.c against nonsense.py: 4 won, 0 drawn, 0 lost" in desk.ok(*words)


def test_play_in_one_process_and_in_two_gives_the_same_results(desk: Desk, bot: Path) -> None:
    words = ("play", GAME, BOTS / "trivial.c", bot, "--seed", "3", "--matches", "4", "--json")
    alone, together = (json.loads(desk.ok(*words, "--jobs", jobs)) for jobs in ("1", "2"))
    assert [row["outcome"] for row in alone] == [row["outcome"] for row in together]


@pytest.mark.smoke
def test_play_shows_what_a_bot_wrote_to_stderr_and_why_it_lost(desk: Desk, tmp_path: Path) -> None:
    path = written(
        tmp_path / "shouter.py", "import sys\nprint('thinking \\x1b[2Jhard', file=sys.stderr)\nprint('MOVE N')\n"
    )
    words = desk.ok("play", GAME, path, BOTS / "trivial.c", "--seed", "1", "--stderr", "a")
    assert "thinking \u241b[2Jhard" in words, "a terminal does not obey it"
    assert "illegal" in words


def test_play_prints_every_turns_times_and_the_tier_as_json(desk: Desk, bot: Path) -> None:
    words = ("play", GAME, BOTS / "trivial.c", bot, "--seed", "3", "--json")
    (row,) = json.loads(desk.ok(*words, "--sandbox", "bubblewrap"))
    assert row["sandbox"] == "bubblewrap"
    assert [turn["limit_ms"] for turn in row["turns"][:3]] == [1000, 1000, 50]
    assert all(turn["wall_us"] > 0 and turn["charged_us"] >= 0 for turn in row["turns"])
    assert {"cpu_us", "wait_us", "late_us"} <= set(row["turns"][0])


def test_play_says_plainly_where_nothing_contained_the_bots(desk: Desk, shell: Shell, nonsense: Path) -> None:
    words = ("play", GAME, nonsense, BOTS / "trivial.c", "--seed", "3")
    assert "sandbox NONE: nothing contained these bots" in desk.ok(*words, "--sandbox", "none")
    assert "sandbox NONE" in shell.ok(*words, LADDER_SANDBOX="none")
    assert "sandbox" not in desk.ok(*words)


SLEEPER = "import time" + SURFACER.replace('    print("SURFACE"', '    time.sleep(0.055)\n    print("SURFACE"')


def overruns_of_the_sleeper(row: Any) -> list[int]:
    """Return what its turns over the limit took, in microseconds."""
    later = [turn["wall_us"] for turn in row["turns"] if turn["seat"] == 0 and turn["limit_ms"] == 50]
    return [wall_us for wall_us in later if wall_us > 50_000]


def test_play_judges_an_overrun_by_the_policy_that_was_asked_for(desk: Desk, tmp_path: Path) -> None:
    path = written(tmp_path / "sleeper.py", SLEEPER)
    words = ("play", GAME, path, BOTS / "trivial.c", "--seed", "3", "--clock", "wall", "--json")
    (strict,) = json.loads(desk.ok(*words, "--policy", "strict"))
    assert strict["outcome"]["verdicts"][0]["verdict"] == "timeout"
    assert len(overruns_of_the_sleeper(strict)) == 1
    (codingame,) = json.loads(desk.ok(*words, "--policy", "codingame"))
    assert codingame["outcome"]["verdicts"][0]["verdict"] == "timeout"
    overruns_us = overruns_of_the_sleeper(codingame)
    assert len(overruns_us) == 3 or overruns_us[-1] > 100_000, "the third, or one beyond the grace"


def test_play_lets_early_lines_wait_or_lose_as_asked(desk: Desk, tmp_path: Path) -> None:
    path = written(
        tmp_path / "hasty.py", "print('0 0')\nprint('SURFACE\\n' * 20, flush=True)\ninput()\nwhile True: input()\n"
    )
    words = ("play", GAME, path, BOTS / "trivial.c", "--seed", "3", "--json")
    (patient,) = json.loads(desk.ok(*words))
    assert patient["early_lines"][0] > 1
    (strict,) = json.loads(desk.ok(*words, "--early-line-loses"))
    assert strict["outcome"]["verdicts"][0] == {"verdict": "illegal", "message": "spoke before it was asked"}


def test_help_shows_the_usage_with_an_example(desk: Desk) -> None:
    """Of all commands, of a group, and of one."""
    for words in ((), ("gauntlet",), ("gauntlet", "run")):
        text = " ".join(desk.ok(*words, "--help").split())
        assert f"Usage: {' '.join(['ladder', *words])} " in text
        assert re.search(rf"Example: (\w+=\S+ )*{' '.join(['ladder', *words])}", text)


@pytest.mark.smoke
def test_watching_the_board_ends_cleanly_with_ctrl_c(arena: Desk) -> None:
    screen, its_end = os.openpty()
    watching = subprocess.Popen(
        [LADDER, "board", "--watch"], stdout=its_end, stderr=subprocess.PIPE, env=arena.full_environment()
    )
    os.close(its_end)
    assert os.read(screen, 1), "it has begun to show the board"
    watching.send_signal(signal.SIGINT)
    with suppress(OSError):  # which is how a terminal tells that nobody writes any more
        while os.read(screen, 4096):
            pass
    os.close(screen)
    _, stderr = watching.communicate(timeout=patience_s())
    assert watching.returncode == 130
    assert stderr == b"ladder: interrupted\n"


def test_a_worker_without_a_database_says_so_at_once(desk: Desk, tmp_path: Path) -> None:
    nowhere = {"LADDER_DATABASE_URL": f"postgresql://ladder@/ladder?host={tmp_path}", "LADDER_BROKER_URL": "redis://x"}
    assert "does not answer" in desk.refused(4, "worker", **nowhere)
    assert "does not answer" in desk.refused(4, "scheduler", **nowhere)


def test_a_worker_without_a_broker_says_so_at_once(arena: Desk) -> None:
    running = state_file.running(LadderHome.at(arena.home))
    assert running is not None
    nowhere = {"LADDER_DATABASE_URL": running.database_url, **NO_BROKER}
    for command in ("worker", "scheduler"):
        said = arena.refused(4, command, **nowhere)
        assert said.startswith("ladder: the broker does not answer")
        assert said.endswith("; is LADDER_BROKER_URL right?\n")
