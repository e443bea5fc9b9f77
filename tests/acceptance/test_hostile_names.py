"""Names of files, and words of bots, with escape sequences, new lines and marks of direction: no output obeys them."""

import shutil
import unicodedata
from pathlib import Path

import pytest

from tests.acceptance.conftest import Desk
from tests.catalogue import GAMES
from tests.throwaway import written

GAME = "ocean-of-code"
GAUNTLET = ("gauntlet", "run", "--game", GAME, "--against", "{good}", "--pairs", "1", "--local", "--jobs", "1")
BOTS = GAMES.find(GAME).bots_folder
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b\nFORGED\r\t\u202e\u200f\u2028"
STEERING = ("Cc", "Cf", "Zl", "Zp")
"""Kinds of characters that steer: controls, formats, separators of lines."""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Files with hostile names: a bot that plays, one that does not compile, one not there; and two with hostile words.

    One of these crashes with such words, the other answers with them.
    """
    texts = {
        "bot": (BOTS / "drifter_v1.py").read_text("utf-8"),
        "broken": "print('\x1b[2J'\n",
        "crash": f"import sys\nsys.exit({HOSTILE!r})\n",
        "illegal": f"while True:\n    input()\n    print({HOSTILE!r}, flush=True)\n",
    }
    paths = {name: tmp_path / f"{name}{HOSTILE}.py" for name in (*texts, "missing")}
    for name, text in texts.items():
        paths[name].write_text(text, "utf-8")
    shutil.copy(BOTS / "drifter_v1.py", tmp_path / "good.py")
    odd = written(tmp_path / f"odd.{HOSTILE}", "x")
    return {**{name: str(path) for name, path in paths.items()}, "good": str(tmp_path / "good.py"), "odd": str(odd)}


def test_what_a_command_says_steers_no_terminal(desk: Desk, files: dict[str, str]) -> None:
    """`status`: None where it depends on whether services run."""
    for words, status in (
        (("play", GAME, "{bot}", "{good}"), 0),
        (("play", GAME, "{crash}", "{good}"), 0),
        (("play", GAME, "{crash}", "{good}", "--stderr", "a"), 0),
        (("play", GAME, "{illegal}", "{good}"), 0),
        (("play", GAME, "{crash}", "{good}", "--matches", "2", "--jobs", "1", "--worse-only"), 0),
        (("play", GAME, "{broken}", "{good}"), 3),
        (("play", GAME, "{missing}", "{good}"), 2),
        (("play", GAME, "{odd}", "{good}"), 2),
        (("play", "{bot}", "{good}", "{good}"), 2),
        ((*GAUNTLET, "{bot}"), None),
        ((*GAUNTLET, "{crash}"), None),
        ((*GAUNTLET, "{crash}", "--json"), None),
        ((*GAUNTLET, "{crash}", "--worse-only"), None),
        ((*GAUNTLET, "{illegal}"), None),
        ((*GAUNTLET, "{missing}"), 2),
        ((*GAUNTLET, "{broken}"), 3),
        (("submit", "{missing}", "--game", GAME), None),
        (("submit", "{bot}", "--game", "{bot}"), None),
        (("league", "apply", "{missing}"), None),
        (("league", "apply", "{broken}"), None),
        (("{bot}",), 2),
        (("board", "--{bot}"), 2),
        (("bot", "show", "{bot}"), None),
    ):
        done = desk.run(*(word.format(**files) for word in words))
        said = done.stdout + done.stderr
        assert status is None or done.returncode == status, said
        assert said, words
        assert "Traceback" not in said
        steering = [letter for letter in said if unicodedata.category(letter) in STEERING and letter != "\n"]
        assert (steering, "\nFORGED" in said) == ([], False), words
