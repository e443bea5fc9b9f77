"""`ladder new`: a folder with a starter that plays, in which every command of its README works as it stands."""

import json
import re
import shlex
from functools import partial
from pathlib import Path

import pytest

from engine.game import Game
from engine.new_bot import starters_of
from engine.toolchains.languages import find_language, language_of
from tests.acceptance.conftest import Desk, completed
from tests.catalogue import GAMES
from tests.patience import wait_until

OCEAN = "ocean-of-code"
UNDECIDED = 6


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown_by_number_and_name(arena: Desk, command: str) -> tuple[str, str]:
    return arena.ok("bot", command, "v1", "--json"), arena.ok("bot", command, "nautilus@v1", "--json")


def test_each_command_of_a_new_bots_readme_works(arena: Desk, outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arena.ok("new", "nautilus", "--game", OCEAN, "--language", "python")
    folder = outside / "nautilus"
    monkeypatch.chdir(folder)
    lines = re.findall("^    (.*)$", (folder / "README.md").read_text(), re.MULTILINE)
    shown = ""
    for line in lines:
        if "gauntlet" in line:  # "change the source", says the README
            with (folder / "nautilus.py").open("a") as source:
                source.write("# better\n")
        shown += typed(arena, line)
    assert "nautilus.py against boss-wood-2" in shown
    assert "nautilus@v1 ranks" in shown
    assert "gauntlet played here: nautilus.py (ocean-of-code, rules of Wood" in shown
    assert "nautilus@v2 ranks" in shown
    mine = arena.json("match", "list")
    assert mine
    assert all("nautilus@v" in json.dumps(match) for match in mine)
    (folder / "src").mkdir()
    monkeypatch.chdir(folder / "src")
    assert arena.ok("bot", "show").startswith("nautilus plays ocean-of-code for tess, in ")
    for command in ("show", "source", "why"):
        both = partial(shown_by_number_and_name, arena, command)  # matches may be recorded between the two
        wait_until(both, "the number is enough in the bot's folder", fits=lambda shown: shown[0] == shown[1])
    assert arena.ok("bot", "diff", "v1", "v2") == arena.ok("bot", "diff", "nautilus@v1", "nautilus@v2")
    assert "nautilus@v1 " in arena.ok("play", "v1", "v2", "--seed", "7")
    assert "unknown version of nautilus 'v9'" in arena.refused(2, "gauntlet", "run", "v9")
    assert "unknown version of nautilus 'v9'" in arena.refused(2, "bot", "activate", "v9")
    assert arena.ok("gauntlet", "list") == ""
    assert {row["game"] for row in arena.json("board")} == {OCEAN}
    league = arena.json("bot", "show")["league"].lower().replace(" ", "-")
    assert "nautilus@v2" in arena.ok("match", "request", f"boss-{league}")
    arena.ok("gauntlet", "auto", "--against", "prior:2")
    assert "automatic gauntlets for nautilus are off" in arena.ok("gauntlet", "auto", "--off")
    others = arena.json("match", "list", "--bot", "boss-wood-2")
    assert all("boss-wood-2@v" in json.dumps(match) for match in others)


def typed(arena: Desk, line: str) -> str:
    """Type a line of a README where the test is, with fewer matches, and return what it printed."""
    program, *words = shlex.split(re.sub("--(matches|pairs) 20", r"--\1 2", line))
    assert program == "ladder"
    done = arena.run(*words)
    assert done.returncode in ({0, UNDECIDED} if "gauntlet" in line else {0}), f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize(("game", "language"), [(game, name) for game in GAMES.all for name in starters_of(game)])
def test_each_starter_is_printed_as_it_is_and_makes_a_bot(desk: Desk, outside: Path, game: Game, language: str) -> None:
    made = desk.ok("new", "squid", "--game", game.name, "--language", language).split()
    source = outside / made[0]
    assert made == [str(source.relative_to(outside)), "squid/ladder.toml", "squid/README.md"]
    assert language_of(source).name == language
    assert source.name == ("Player.java" if language == "java" else f"squid{source.suffix}")
    printed = desk.ok("game", "starter", game.name, "--language", find_language(language).title)
    assert printed == source.read_text() == starters_of(game)[language].read_text()
    told = (outside / "squid" / "ladder.toml").read_text()
    assert f'game = "{game.name}"\nbot = "squid"\nlanguage = "{language}"\nsource = "{source.name}"\n' in told


def test_a_folders_starter_needs_neither_game_nor_language(
    desk: Desk, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.ok("new", "squid", "deep/sea", "--language", "python", LADDER_GAME="ice-and-fire")
    monkeypatch.chdir(outside / "deep" / "sea")
    assert desk.ok("game", "starter") == (outside / "deep" / "sea" / "squid.py").read_text()
    assert "squid.py beats squid.py" in desk.ok("play", "squid.py", "--seed", "2")


def test_what_cannot_be_made_is_one_sentence_and_leaves_nothing_behind(desk: Desk, outside: Path) -> None:
    (outside / "file").write_text("")
    for words, sentence in (
        (("squid",), "name the game with --game, or set LADDER_GAME, or work in a bot's folder; known games: ocean-of"),
        (("squid", "-g", "chess", "-l", "cpp"), "unknown game 'chess'; known: ocean-of-code, ice-and-fire"),
        (("squid", "-g", OCEAN), "name the language with --language: python, cpp, rust, java, javascript"),
        (("squid", "-g", OCEAN, "-l", "klingon"), "unknown language 'klingon'; known: python, c, cpp"),
        (
            ("squid", "-g", OCEAN, "-l", "go"),
            "ocean-of-code has no starter in Go; it has some in: python, cpp, rust, java, javascript",
        ),
        (("../squid", "-g", OCEAN, "-l", "cpp"), "'../squid' cannot be a bot's name: it has to begin with a letter"),
        (("squid", "file/squid", "-g", OCEAN, "-l", "cpp"), "cannot write file/squid: Not a directory"),
        (("squid", "/proc/squid", "-g", OCEAN, "-l", "cpp"), "cannot write /proc/squid: "),
    ):
        assert sentence in desk.refused(2, "new", *words)
        assert [path.name for path in outside.rglob("*")] == ["file"]


def test_a_folder_that_holds_something_is_refused_and_stays_as_it_is(desk: Desk, outside: Path) -> None:
    folder = outside / "squid"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    words = ("new", "squid", "--game", OCEAN, "--language", "cpp")
    assert "squid is not empty, and nothing in it is written over" in desk.refused(3, *words)
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("notes.txt", "mine")]
    (folder / "notes.txt").unlink()
    desk.ok(*words)  # an empty folder is as good as a new one


def test_a_shell_completes_games_and_the_languages_of_their_starters(
    desk: Desk, capfd: pytest.CaptureFixture[str]
) -> None:
    for words, found in (
        (("new", "squid", "--game", "ice"), {"ice-and-fire"}),
        (("new", "squid", "--game", OCEAN, "--language", ""), {"python", "cpp", "rust", "java", "javascript"}),
        (("game", "starter", OCEAN, "--language", "ja"), {"java", "javascript"}),
        (("game", "starter", "oc"), {OCEAN}),
        (("game", "show", OCEAN, "--lang", ""), {"en", "fr"}),
    ):
        assert completed(desk, capfd, *words) == found, words
