"""`ladder gauntlet run --vary` and `--param`: one source with several parameters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.conftest import SURFACER, Desk

OF_GAME = ("--game", "ocean-of-code")


@pytest.fixture
def tuned(tmp_path: Path) -> Path:
    """A bot that loses with its first line unless SKILL is high."""
    path = tmp_path / "tuned.py"
    path.write_text(f"import os\nif os.environ.get('SKILL') != 'high':\n    print('nonsense'); input()\n{SURFACER}")
    return path


def test_variants_are_compared_with_each_other_in_one_table(desk: Desk, tuned: Path) -> None:
    words = ("gauntlet", "run", tuned, *OF_GAME, "--vary", "SKILL=low,high,none", "--seeds", "1..5")
    found = json.loads(desk.ok(*words, "--json"))
    assert (found["bot"], found["pairs"], found["state"]) == ("tuned.py", 5, "finished")
    assert found["variants"][0] == {"name": "SKILL=high", "params": {"SKILL": "high"}, "share": 1.0}
    rows = {(row["first"], row["second"]): row for row in found["compared"]}
    assert list(rows) == [("SKILL=low", "SKILL=high"), ("SKILL=low", "SKILL=none"), ("SKILL=high", "SKILL=none")]
    assert rows["SKILL=low", "SKILL=high"]["counts"] == [5, 0, 0, 0, 0]
    assert rows["SKILL=low", "SKILL=high"]["elo"]["high"] < 0
    assert rows["SKILL=high", "SKILL=none"]["elo"]["low"] > 0
    text = desk.ok(*words)
    assert "variants of tuned.py (ocean-of-code, rules of Legend), 5 pairs each" in text
    assert [line.split()[1:4:2] for line in text.splitlines() if line.startswith("│")] == [
        ["SKILL=low", "SKILL=high"], ["SKILL=low", "SKILL=none"], ["SKILL=high", "SKILL=none"]
    ]  # fmt: skip
    assert "SKILL=high is better than every other variant with 95 % confidence (100.0 % of all points)" in text
    assert not desk.home.exists()


def test_a_file_with_parameters_meets_the_same_file_without_them(desk: Desk, tuned: Path) -> None:
    words = ("gauntlet", "run", tuned, *OF_GAME, "--local", "--against", tuned, "--seeds", "1..5")
    assert "cannot play against itself" in desk.refused(3, *words)
    found = json.loads(desk.ok(*words, "--param", "SKILL=high", "--json"))
    assert (found["candidate"], found["verdict"]) == ("tuned.py (SKILL=high)", "passed")
    assert found["opponents"] == ["tuned.py"]
    assert found["faults"] == [{"version": "tuned.py", "timeouts": 0, "faults": 10}]


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("{bot}", "--vary", "SKILL=low"), 2, "write it as in DEPTH=4,6,8"),
        (
            ("{bot}", "--vary", "SKILL=a,b", "--against", "boss"),
            2,
            "leave --against, --context, --baseline, --sprt out",
        ),
        (("{bot}", "--vary", "SKILL=a,b", "--sprt", "0,5"), 2, "leave --against, --context, --baseline"),
        (("{bot}", "--vary", "SKILL=a,b", "--detach"), 2, "--local plays here and now"),
        (("{bot}", "--vary", "LD_PRELOAD=a,b"), 2, "LD_PRELOAD cannot be a bot's parameter"),
        (("kraken@v3", "--vary", "SKILL=a,b"), 4, "there is no ladder in"),
        (("{bot}", "--local", "--against", "{bot}", "--param", "skill=1"), 2, "capital letters, digits and _"),
        (("kraken@v3", "--param", "SKILL=1"), 2, "add --local to give others"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_is_one_sentence(
    desk: Desk, tuned: Path, words: tuple[str, ...], status: int, sentence: str
) -> None:
    filled = [word.format(bot=tuned) for word in words]
    assert sentence in desk.refused(status, "gauntlet", "run", *filled, *OF_GAME)
