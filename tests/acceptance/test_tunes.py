"""`ladder tune`, `gauntlet run --vary` and `--param`: one source with several parameters, here and by workers."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import SURFACER, WHELK, Desk
from tests.patience import patience_s, wait_until
from tests.throwaway import written

OF_GAME = ("--game", "ocean-of-code")
RANGES = ("--param", "K=0.5..4.0", "--param", "IDLE=1..9")


@pytest.fixture
def whelk(tmp_path: Path) -> Path:
    return written(tmp_path / "whelk.py", WHELK)


def tuned(desk: Desk, whelk: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = desk.json(
        "tune", whelk, *OF_GAME, *RANGES, "--start", "K=1.8", "--seed", "3", "--pairs", "20", *words
    )
    return found


def test_a_file_is_tuned_here_and_the_result_meets_the_start(desk: Desk, whelk: Path, tmp_path: Path) -> None:
    file = tmp_path / "whelk.tune.json"
    found = tuned(desk, whelk, "--state", str(file), "--jobs", "1")
    assert (found["state"], found["bot"], found["pairs_played"], found["pairs"]) == ("finished", "whelk.py", 16, 16)
    k, idle = found["parameters"]
    assert (k["start"], k["is_read"], idle["is_read"]) == ("1.8", True, False)
    assert 2 < float(k["value"]) <= 4
    assert found["confirmed"]["counts"] == [0, 0, 0, 0, 4]
    assert found["sentence"].startswith(f"IDLE={idle['value']}, K={k['value']}: better by ")
    assert "both ends of IDLE played alike: whelk.py seems not to read it" in found["remarks"]
    assert "with K=0.5 whelk.py lost its first match by a crash or a wrong answer" in found["remarks"]
    assert found["submit"].endswith(f" {OF_GAME[0]} {OF_GAME[1]} --param K={k['value']} --param IDLE={idle['value']}")
    again = tuned(desk, whelk, "--state", str(tmp_path / "again.json"), "--jobs", "1")
    assert again["parameters"] == found["parameters"], "the same seed leads to the same values"
    assert not desk.home.exists(), "it needs no ladder"
    shown = desk.ok("tune", "show", file)
    assert found["sentence"] in shown
    assert "to submit these values: ladder submit" in shown
    narrow = desk.screen(50, "tune", "show", str(file))
    assert all(remark not in narrow and remark in " ".join(narrow.split()) for remark in found["remarks"])
    assert found["submit"] in narrow.replace("\n", ""), "only the command is to be copied as one line"
    assert "is finished" in desk.refused(3, "tune", "resume", file)
    assert "is there already" in desk.refused(3, "tune", whelk, *OF_GAME, *RANGES, "--state", file)


def test_it_goes_on_after_ctrl_c_where_it_was(desk: Desk, whelk: Path, tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    whelk.write_text(f"import time\ntime.sleep(0.4)\n{WHELK}")  # few pairs are played until the file is written again
    words = ("tune", "run", str(whelk), *OF_GAME, *RANGES, "--pairs", "2000", "--jobs", "1", "--state", str(file))
    begun = desk.begin(*words)
    wait_until(lambda: file.exists() and bool(json.loads(file.read_text())["played"]), "a pair has counted")
    begun.send_signal(signal.SIGINT)
    out, err = begun.communicate(timeout=patience_s(30))
    assert begun.returncode == 130, out + err
    assert "stopped: " in out
    assert "seems not to read it" in err, "it is said after the first pair"
    stored = json.loads(file.read_text())
    played = len(stored["played"])
    stored["tune"]["pairs"], stored["tune"]["confirming_pairs"] = played + 2, 2
    file.write_text(json.dumps(stored))
    found = desk.json("tune", "resume", file)
    assert (found["state"], found["pairs_played"]) == ("finished", played + 2)
    short = json.loads(file.read_text())
    short["played"][-1]["places"].pop()
    (tmp_path / "short.json").write_text(json.dumps(short))
    assert "not a whole file of a tune" in desk.refused(2, "tune", "show", tmp_path / "short.json")
    whelk.write_text(whelk.read_text() + "\n# another one\n")
    stored["tune"]["state"] = "running"
    file.write_text(json.dumps(stored))
    assert "has changed since the tune" in desk.refused(3, "tune", "resume", file)


def test_both_ends_meet_a_file(desk: Desk, whelk: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "other.py", SURFACER)
    words = ("--start", "K=1.8", "--seed", "3", "--pairs", "10", "--against", other, "--state", tmp_path / "a.json")
    found = desk.json("tune", whelk, *OF_GAME, *RANGES[:2], *words, "--jobs", "1")
    assert found["against"] == ["other.py"]
    assert float(found["parameters"][0]["value"]) > 1.8


def test_bad_input_gets_one_sentence(desk: Desk, whelk: Path) -> None:
    for words, why in (
        ((), "name the parameters to be tuned with --param"),
        (("--param", "K=4..1"), "the range K=4..1 is backwards: write K=1..4"),
        (("--param", "K=4..4"), "the range K=4..4 is empty"),
        (("--param", "K=3"), "--param K=3 is not a range"),
        (("--param", "K=1..4", "--start", "K=7"), "K starts with 7, which is not in 1..4"),
        (("--param", "K=1..4", "--detach"), "nothing that --detach could leave behind"),
    ):
        assert why in desk.refused(2, "tune", whelk, *OF_GAME, *words)


def test_what_is_no_file_of_a_tune_is_refused(desk: Desk, tmp_path: Path) -> None:
    assert "there is no file" in desk.refused(2, "tune", "show", tmp_path / "none.json")
    for content in ("", "[]", "{}", '{"ladder_tune": 1}', "\0"):
        (tmp_path / "bad.json").write_text(content)
        assert "file of a tune" in desk.refused(2, "tune", "show", tmp_path / "bad.json")


def test_workers_tune_a_version(arena: Desk, whelk: Path) -> None:
    arena.ok("submit", whelk, *OF_GAME, "--bot", "whelk", "--param", "K=1.8", "--param", "DEPTH=3")
    found = arena.json("tune", "run", "whelk@v1", *RANGES, "--pairs", "20", "--seed", "3")
    number = str(found["id"])
    k, idle = found["parameters"]
    assert (found["state"], found["pairs_played"], found["confirming_played"]) == ("finished", 16, 4)
    assert (k["start"], idle["start"], float(k["value"]) > 2) == ("1.8", "5", True)
    assert found["sentence"].startswith(f"IDLE={idle['value']}, K={k['value']}: better by ")
    assert found["submit"].startswith(
        "ladder submit whelk.py --game ocean-of-code --bot whelk --param DEPTH=3 --param "
    )
    assert "both ends of IDLE played alike: whelk@v1 seems not to read it" in found["remarks"]
    assert "with K=0.5 whelk@v1 lost its first match by a crash or a wrong answer" in found["remarks"]
    assert found["sentence"] in arena.ok("tune", "show", number)
    (listed,) = (one for one in arena.json("tune", "list") if one["id"] == found["id"])
    assert (listed["ranges"], listed["state"]) == (["K=0.5..4.0", "IDLE=1..9"], "finished")
    assert f"`ladder tune show {number}` shows it" in arena.refused(3, "gauntlet", "show", number)
    assert "itself" in arena.ok("gauntlet", "list")


def test_a_version_is_tuned_here(arena: Desk, whelk: Path, tmp_path: Path) -> None:
    arena.ok("submit", whelk, *OF_GAME, "--bot", "limpet", "--param", "K=1.8", "--param", "DEPTH=3")
    words = ("tune", "run", "limpet@v1", *RANGES[:2], "--pairs", "10", "--local", "--jobs", "1")
    found = arena.json(*words, "--state", tmp_path / "s.json")
    assert (found["bot"], found["id"], found["parameters"][0]["start"]) == ("limpet@v1", 0, "1.8")
    assert found["submit"].startswith("ladder submit limpet.py --game ocean-of-code --bot limpet --param DEPTH=3 ")


def test_a_tune_of_the_workers_is_stopped_and_goes_on(arena: Desk, whelk: Path) -> None:
    arena.ok("submit", whelk, *OF_GAME, "--bot", "periwinkle")
    begun = arena.json("tune", "run", "periwinkle@v1", *RANGES, "--pairs", "5000", "--detach")
    number = str(begun["tune"])
    assert begun["start"] == {"K": "2.25", "IDLE": "5"}
    assert "is stopped; `ladder tune resume" in arena.ok("tune", "stop", number)
    assert "is stopped already" in arena.refused(3, "tune", "stop", number)
    stopped = arena.json("tune", "show", number)
    assert (stopped["state"], stopped["pairs"]) == ("stopped", 4000)
    assert any("no value of K, IDLE is known" in remark for remark in stopped["remarks"])
    assert "goes on" in arena.ok("tune", "resume", number)
    arena.ok("tune", "stop", number)
    assert "there is no tune 999999" in arena.refused(2, "tune", "show", "999999")


@pytest.fixture
def skilled(tmp_path: Path) -> Path:
    return written(
        tmp_path / "skilled.py",
        f"import os\nif os.environ.get('SKILL') != 'high':\n    print('nonsense'); input()\n{SURFACER}",
    )


def test_variants_are_compared_with_each_other_in_one_table(desk: Desk, skilled: Path) -> None:
    words = ("gauntlet", "run", skilled, *OF_GAME, "--vary", "SKILL=low,high,none", "--seeds", "1..4", "--jobs", "1")
    found = desk.json(*words)
    assert (found["bot"], found["pairs"], found["state"]) == ("skilled.py", 4, "finished")
    assert found["variants"][0] == {"name": "SKILL=high", "params": {"SKILL": "high"}, "share": 1.0}
    rows = {(row["first"], row["second"]): row for row in found["compared"]}
    assert list(rows) == [("SKILL=low", "SKILL=high"), ("SKILL=low", "SKILL=none"), ("SKILL=high", "SKILL=none")]
    assert rows["SKILL=low", "SKILL=high"]["counts"] == [4, 0, 0, 0, 0]
    assert rows["SKILL=low", "SKILL=high"]["elo"]["high"] < 0
    assert rows["SKILL=high", "SKILL=none"]["elo"]["low"] > 0
    text = desk.ok(*words)
    assert "variants of skilled.py (ocean-of-code, rules of Legend), 4 pairs each" in text
    assert [line.split()[:2] for line in text.splitlines() if line.startswith("SKILL=") and "95 %" not in line] == [
        ["SKILL=low", "SKILL=high"], ["SKILL=low", "SKILL=none"], ["SKILL=high", "SKILL=none"]
    ]  # fmt: skip
    assert "SKILL=high is better than every other variant with 95 % confidence (100.0 % of all points)" in text
    assert not desk.home.exists()


def test_a_file_with_parameters_meets_the_same_file_without_them(desk: Desk, skilled: Path) -> None:
    words = ("gauntlet", "run", skilled, *OF_GAME, "--local", "--against", skilled, "--seeds", "1..5", "--jobs", "1")
    assert "cannot play against itself" in desk.refused(3, *words)
    found = desk.json(*words, "--param", "SKILL=high")
    assert (found["candidate"], found["verdict"]) == ("skilled.py (SKILL=high)", "passed")
    assert found["opponents"] == ["skilled.py"]
    assert found["faults"] == [{"version": "skilled.py", "timeouts": 0, "faults": 10}]


def test_workers_compare_variants_of_a_version_as_this_process_does(arena: Desk, skilled: Path) -> None:
    arena.ok("submit", skilled, *OF_GAME, "--bot", "krill", "--param", "SKILL=high", "--param", "TRIES=2")
    words = ("gauntlet", "run", "krill@v1", "--vary", "SKILL=low,high,none", "--seeds", "1..4")
    found = arena.json(*words)
    here = arena.json(*words, "--local", "--jobs", "1")
    assert {key: found[key] for key in here} == here | {"seed": found["seed"]}
    assert found["variants"][0] == {"name": "SKILL=high", "params": {"SKILL": "high", "TRIES": "2"}, "share": 1.0}
    assert (found["pairs_played"], found["slots"]) == (12, 12)
    number = str(found["id"])
    shown = arena.ok("gauntlet", "show", number)
    assert "variants of krill@v1 (ocean-of-code, rules of " in shown
    assert "SKILL=high is better than every other variant with 95 % confidence (100.0 % of all points)" in shown
    assert "leave --worse-only, --junit and --html out" in arena.refused(2, "gauntlet", "show", number, "--worse-only")
    matches = arena.json("match", "list", "--bot", "krill", "--where", f"gauntlet = {number}", "--limit", "50")
    seats = [seat for match in matches for seat in match["seats"] if seat["params"] != {"SKILL": "high"}]
    assert len(matches) == 24
    assert {seat["version"] for seat in seats} == {"krill@v1"}
    assert {seat["result"] for seat in seats if seat["verdict"] != "ok"} <= {"loss", "draw"}
    lost = next(str(match["id"]) for match in matches if {seat["verdict"] for seat in match["seats"]} != {"ok"})
    assert "krill@v1 (SKILL=" in arena.ok("match", "show", lost)
    again = arena.json("match", "rematch", lost)
    assert again["replayed"]["bots"] == again["stored"]["bots"]
    assert again["parting_turn"] is None
    about = arena.json("bot", "show", "krill")
    assert (about["gauntlets"], [one["number"] for one in about["versions"]]) == ([], [1])


def test_a_version_with_other_parameters_meets_itself(arena: Desk, skilled: Path) -> None:
    arena.ok("submit", skilled, *OF_GAME, "--bot", "prawn", "--param", "SKILL=high")
    words = ("gauntlet", "run", "prawn@v1", "--param", "SKILL=low", "--against", "prawn@v1", "--seeds", "1..5")
    done = arena.run(*words, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["candidate"], found["verdict"]) == (1, "prawn@v1 (SKILL=low)", "failed")
    assert (found["opponents"], found["counts"]) == (["prawn@v1"], [5, 0, 0, 0, 0])
    assert found["faults"] == [{"version": "prawn@v1 (SKILL=low)", "timeouts": 0, "faults": 10}]
    begun = arena.ok("gauntlet", "run", "prawn@v1", "--vary", "SKILL=a,b", "--pairs", "500", "--detach")
    number = begun.split()[1]
    assert f"gauntlet {number} has begun: which of SKILL=a and SKILL=b is the best prawn@v1?" in begun
    assert "SKILL=a, SKILL=b" in arena.ok("gauntlet", "list", "--bot", "prawn", COLUMNS="200")
    assert f"gauntlet {number} is stopped" in arena.ok("gauntlet", "stop", number)


def test_what_cannot_be_is_one_sentence(desk: Desk, skilled: Path) -> None:
    for words, status, sentence in (
        (("{bot}", "--vary", "SKILL=low"), 2, "write it as in DEPTH=4,6,8"),
        (
            ("{bot}", "--vary", "SKILL=a,b", "--against", "boss"),
            2,
            "leave --against, --context, --baseline, --sprt out",
        ),
        (("{bot}", "--vary", "SKILL=a,b", "--sprt", "0,5"), 2, "leave --against, --context, --baseline"),
        (("{bot}", "--vary", "SKILL=a,b", "--detach"), 2, "--local plays here and now"),
        (("{bot}", "--vary", "LD_PRELOAD=a,b"), 2, "LD_PRELOAD cannot be a bot's parameter"),
        (("kraken@v3", "--vary", "SKILL=a,b", "--local"), 4, "there is no ladder in"),
        (("kraken@v3", "--vary", "SKILL=a,b"), 4, "start them with `ladder up`"),
        (("{bot}", "--local", "--against", "{bot}", "--param", "skill=1"), 2, "capital letters, digits and _"),
        (("kraken@v3", "--param", "SKILL=1"), 4, "start them with `ladder up`"),
        (("{bot}", "--vary", "SKILL=a,b", "--worse-only"), 2, "leave --vary and --detach out"),
    ):
        filled = [word.format(bot=skilled) for word in words]
        assert sentence in desk.refused(status, "gauntlet", "run", *filled, *OF_GAME)
