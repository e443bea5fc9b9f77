"""`ladder gauntlet run --vary` and `--param`: one source with several parameters, here and by the ladder's workers."""

import json
from pathlib import Path

import pytest

from tests.acceptance.conftest import SURFACER, Desk
from tests.throwaway import written

OF_GAME = ("--game", "ocean-of-code")


@pytest.fixture
def tuned(tmp_path: Path) -> Path:
    return written(
        tmp_path / "tuned.py",
        f"import os\nif os.environ.get('SKILL') != 'high':\n    print('nonsense'); input()\n{SURFACER}",
    )


def test_variants_are_compared_with_each_other_in_one_table(desk: Desk, tuned: Path) -> None:
    words = ("gauntlet", "run", tuned, *OF_GAME, "--vary", "SKILL=low,high,none", "--seeds", "1..4", "--jobs", "1")
    found = desk.json(*words)
    assert (found["bot"], found["pairs"], found["state"]) == ("tuned.py", 4, "finished")
    assert found["variants"][0] == {"name": "SKILL=high", "params": {"SKILL": "high"}, "share": 1.0}
    rows = {(row["first"], row["second"]): row for row in found["compared"]}
    assert list(rows) == [("SKILL=low", "SKILL=high"), ("SKILL=low", "SKILL=none"), ("SKILL=high", "SKILL=none")]
    assert rows["SKILL=low", "SKILL=high"]["counts"] == [4, 0, 0, 0, 0]
    assert rows["SKILL=low", "SKILL=high"]["elo"]["high"] < 0
    assert rows["SKILL=high", "SKILL=none"]["elo"]["low"] > 0
    text = desk.ok(*words)
    assert "variants of tuned.py (ocean-of-code, rules of Legend), 4 pairs each" in text
    assert [line.split()[:2] for line in text.splitlines() if line.startswith("SKILL=") and "95 %" not in line] == [
        ["SKILL=low", "SKILL=high"], ["SKILL=low", "SKILL=none"], ["SKILL=high", "SKILL=none"]
    ]  # fmt: skip
    assert "SKILL=high is better than every other variant with 95 % confidence (100.0 % of all points)" in text
    assert not desk.home.exists()


def test_a_file_with_parameters_meets_the_same_file_without_them(desk: Desk, tuned: Path) -> None:
    words = ("gauntlet", "run", tuned, *OF_GAME, "--local", "--against", tuned, "--seeds", "1..5", "--jobs", "1")
    assert "cannot play against itself" in desk.refused(3, *words)
    found = desk.json(*words, "--param", "SKILL=high")
    assert (found["candidate"], found["verdict"]) == ("tuned.py (SKILL=high)", "passed")
    assert found["opponents"] == ["tuned.py"]
    assert found["faults"] == [{"version": "tuned.py", "timeouts": 0, "faults": 10}]


def test_workers_compare_variants_of_a_version_as_this_process_does(arena: Desk, tuned: Path) -> None:
    arena.ok("submit", tuned, *OF_GAME, "--bot", "krill", "--param", "SKILL=high", "--param", "TRIES=2")
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


def test_a_version_with_other_parameters_meets_itself(arena: Desk, tuned: Path) -> None:
    arena.ok("submit", tuned, *OF_GAME, "--bot", "prawn", "--param", "SKILL=high")
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


def test_what_cannot_be_is_one_sentence(desk: Desk, tuned: Path) -> None:
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
        filled = [word.format(bot=tuned) for word in words]
        assert sentence in desk.refused(status, "gauntlet", "run", *filled, *OF_GAME)
