"""`ladder dev`: at each save a bot is built, asked in its cases, and plays."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.acceptance.conftest import LADDER, SURFACER, Desk
from tests.patience import patience_s, wait_until
from tests.throwaway import written

GAME = "ocean-of-code"
TALKS = 'import sys\nprint("hello from here", file=sys.stderr)\n'


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return written(tmp_path / "kraken.py", TALKS + SURFACER)


def test_once_it_shows_results_cases_losses_and_stderr_and_its_status_says_whether_all_holds(
    desk: Desk, bot: Path
) -> None:
    words = ("dev", bot, "--game", GAME, "--against", "boss-wood-2", "--seeds", "7", "--jobs", "1", "--once")
    text = desk.ok(*words)
    assert text.startswith(f"{bot}, saved ")
    for part in ("boss-wood-2", "longest turn: ", "lost: ladder match view local:", "hello from here"):
        assert part in text
    desk.ok("case", "add", "play:1", "--turn", "4", "--expect", "not SURFACE")
    failed = desk.run(*words)
    assert (failed.returncode, "0 of 1 case answered as expected" in failed.stdout) == (1, True)
    bot.write_text("def f(:\n")
    broken = desk.run(*words)
    assert broken.returncode == 1
    assert "SyntaxError" in broken.stdout
    for more, sentence in (
        (("--seeds", "1..500"), "each save plays at most 100"),
        (("--seeds", "x"), "--seeds x is neither a range"),
        (("--league", "tin"), "unknown league of ocean-of-code 'tin'"),
    ):
        assert sentence in desk.refused(2, "dev", bot, "--game", GAME, "--once", *more)
    assert "is not a file, nor one of the bosses" in desk.refused(
        4, "dev", bot, "--game", GAME, "--against", "boss-tin"
    )
    assert "name the bot's source" in desk.refused(2, "dev", "--game", GAME)
    assert "name the game with --game" in desk.refused(2, "dev", bot)


def test_a_save_plays_again_and_ctrl_c_leaves_nothing(desk: Desk, bot: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen.txt"
    environment = {**os.environ, "LADDER_HOME": str(desk.home)}
    command: list[str | Path] = [LADDER, "dev", bot, "--game", GAME, "--against", "boss-wood-2", "--seeds", "7"]
    with seen.open("w") as file:
        going = subprocess.Popen(command, stdout=file, env=environment, start_new_session=True)
    try:
        wait_until(seen.read_text, "longest turn", 0.2, fits=lambda text: "longest turn: " in text)
        bot.write_text(SURFACER.replace("SURFACE", "nonsense"))
        text = wait_until(seen.read_text, "two rounds", 0.2, fits=lambda text: text.count("longest turn: ") == 2)
        assert text.count(f"{bot}, saved ") == 2
        assert "hello from here" not in text.rpartition(", saved ")[2]
        os.killpg(going.pid, signal.SIGINT)
        assert going.wait(patience_s(60)) == 130
        with pytest.raises(ProcessLookupError):
            os.killpg(going.pid, 0)
    finally:
        if going.poll() is None:
            os.killpg(going.pid, signal.SIGKILL)
            going.wait()
