"""`ladder dev` at each save, and `ladder case`: positions that must not be lost again."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.acceptance.conftest import LADDER, SURFACER, Desk
from tests.patience import patience_s, wait_until
from tests.throwaway import written

GAME = "ocean-of-code"


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return written(tmp_path / "kraken.py", 'import sys\nprint("hello from here", file=sys.stderr)\n' + SURFACER)


def test_once_it_shows_results_and_its_status_says_whether_all_holds(desk: Desk, bot: Path) -> None:
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
    assert "there is no file none.py" in desk.refused(2, "dev", "none.py", "--game", GAME)


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


def test_positions_are_kept_and_a_bot_is_asked_in_them_before_a_gauntlet(
    desk: Desk, tmp_path: Path, nonsense: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bot = written(tmp_path / "surfacer.py", SURFACER)
    desk.ok("play", GAME, bot, "boss-wood-2", "--seed", "7", "--league", "bronze")
    said = desk.json("match", "show", "play:1")["said"]
    assert (said[2]["seat"], said[2]["line"]) == (0, "SURFACE")

    assert "there is no case in ladder-cases" in desk.refused(3, "case", "run", bot)
    assert "there is no case here yet" in desk.run("case", "list").stderr
    text = desk.ok("case", "add", "play:1", "--turn", "3", "--expect", "not SURFACE", "--note", "it was not necessary")
    assert text.startswith(
        "ladder-cases/local-1-turn-3.json: local:1, turn 3, seat 0 said SURFACE; expected: not SURFACE\n"
    )
    (row,) = desk.json("case", "list")
    about = (row["file"], row["turn"], row["said"], row["note"])
    assert about == ("local-1-turn-3.json", 3, "SURFACE", "it was not necessary")
    case = json.loads((tmp_path / "ladder-cases" / "local-1-turn-3.json").read_text())
    sent = "".join(f"{line}\n" for question in case["questions"] for line in question["sent"])
    assert sent == desk.ok("match", "input", "play:1", "--seat", "0", "--to", "3")
    assert [question["limit_ms"] for question in case["questions"]] == [1000, 50]

    done = desk.run("case", "run", bot)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "0 of 1 case answered as expected")
    bot.write_text(SURFACER.replace('"SURFACE"', '"MSG hello"'))
    assert desk.ok("case", "run", bot).endswith("1 of 1 case answered as expected\n")
    (result,) = desk.json("case", "run", bot)
    assert (result["holds"], result["answer"], result["fault"]) == (True, "MSG hello", "")
    failed = desk.run("case", "run", nonsense, "--json")
    assert failed.returncode == 1
    (result,) = json.loads(failed.stdout)
    assert (result["holds"], result["answer"]) == (False, None)
    assert result["fault"].startswith("the program ended"), "after its first answer"

    judge = written(
        tmp_path / "judge.py",
        "import json, sys\nfound = json.load(sys.stdin)\nsys.exit(found['answer'] == found['said'])\n",
    )
    desk.ok("case", "add", "play:1", "--turn", "5", "--judge", "python3 ../judge.py")
    assert [one["holds"] for one in desk.json("case", "run", bot)] == [True, True]
    bot.write_text(SURFACER)
    gauntlet = ("gauntlet", "run", bot, "--against", nonsense, "--game", GAME, "--local", "--jobs", "1", "--pairs", "1")
    refused = desk.run(*gauntlet, "--cases")
    assert refused.returncode == 1
    assert "0 of 2 cases answered as expected" in refused.stdout
    assert "so no match was played" in refused.stderr
    bot.write_text(SURFACER.replace('"SURFACE"', '"MSG hello"'))
    assert "surfacer" in desk.run(*gauntlet, "--cases").stdout

    judge.write_text("import sys\nsys.exit(7)\n")
    assert "the judge of local-1-turn-5.json ended with 7" in desk.refused(3, "case", "run", bot)
    judge.unlink()
    desk.ok("case", "add", "play:1", "--turn", "5", "--judge", "./missing", "--force")
    assert "cannot be started: ./missing" in desk.refused(5, "case", "run", bot)


def test_what_cannot_be_a_case_is_one_sentence(desk: Desk, tmp_path: Path, nonsense: Path) -> None:
    desk.ok("play", GAME, nonsense, "boss-wood-2", "--seed", "7")
    folder = ("--cases", tmp_path / "cases")
    for words, status, sentence in (
        (("--turn", "99"), 2, "and no turn 99"),
        (("--turn", "1", "--expect", "not "), 2, "an expectation is empty"),
        (("--turn", "1", "--expect", "/(/"), 2, "expect: /(/ is not a pattern"),
        (("--turn", "1", "--judge", " "), 2, "the judge is empty"),
        (("--turn", "1", "--judge", "'"), 2, "judge: No closing quotation"),
        (("--turn", "1", "--note", "\udcff"), 2, r"'\udcff' is not text in UTF-8"),
        (("--turn", "1", "--expect", "x", "--judge", "y"), 2, "leave one of them out"),
        (("--turn", "0"), 2, "it should be at least 1"),
    ):
        assert sentence in desk.refused(status, "case", "add", "play:1", *words, *folder)
    assert not (tmp_path / "cases").exists()
    desk.ok("case", "add", "play:1", "--turn", "1", *folder)
    assert "exists already" in desk.refused(3, "case", "add", "play:1", "--turn", "1", *folder)
    (tmp_path / "cases" / "own.json").write_text("{}")
    assert "own.json: it is not a case: game: Field required" in desk.refused(2, "case", "run", nonsense, *folder)
    assert "name the bot's source" in desk.refused(2, "case", "run", *folder)
