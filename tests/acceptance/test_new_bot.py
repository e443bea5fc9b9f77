"""`ladder new`, and a bot's own folder: what is typed in it needs no --game, no --bot and no source."""

import json
import re
import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from cli.context import Context
from cli.options.folder_defaults import bot_of, bots_here, contest_here, submitted_here
from engine.game import Game, Games
from engine.games.game_folder import load_game
from engine.new_bot import starters_of
from engine.toolchains.languages import find_language, language_of
from tests.acceptance.conftest import Desk, completed
from tests.catalogue import GAMES
from tests.ladder.foragers import FOLDER as FORAGERS
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


def test_a_starter_needs_neither_game_nor_language(desk: Desk, outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_games_and_languages_of_their_starters_are_completed(desk: Desk, capfd: pytest.CaptureFixture[str]) -> None:
    for words, found in (
        (("new", "squid", "--game", "ice"), {"ice-and-fire"}),
        (("new", "squid", "--game", OCEAN, "--language", ""), {"python", "cpp", "rust", "java", "javascript"}),
        (("game", "starter", OCEAN, "--language", "ja"), {"java", "javascript"}),
        (("game", "starter", "oc"), {OCEAN}),
        (("game", "show", OCEAN, "--lang", ""), {"en", "fr"}),
    ):
        assert completed(desk, capfd, *words) == found, words


ICE = "ice-and-fire"
TABLE = f'game = "{OCEAN}"\nbot = "kraken"\nlanguage = "python"\nsource = "kraken.py"\n'


@pytest.fixture
def kraken(tmp_path: Path, bot: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "kraken"
    folder.mkdir()
    (folder / "ladder.toml").write_text(TABLE)
    (folder / "kraken.py").write_text(bot.read_text())
    monkeypatch.chdir(folder)
    return folder


def test_a_game_and_a_source_may_be_left_out_in_a_bots_folder_and_below_it(
    desk: Desk, kraken: Path, bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    against = desk.ok("play", bot, "--seed", "7")
    assert "player 0  kraken.py " in against
    assert "player 1  surfacer.py " in against
    assert against == desk.ok("play", OCEAN, "kraken.py", bot, "--seed", "7")
    assert "player 0  surfacer.py " in desk.ok("play", bot, "kraken.py", "--seed", "7")
    ocean_map = desk.ok("game", "map", "--seed", "3")
    assert ocean_map == desk.ok("game", "map", OCEAN, "--seed", "3") != desk.ok("game", "map", ICE, "--seed", "3")
    local = desk.run("gauntlet", "run", "--local", "--against", bot, "--pairs", "1")
    assert "gauntlet played here: kraken.py (ocean-of-code" in local.stdout
    (kraken / "src").mkdir()
    monkeypatch.chdir(kraken / "src")
    assert desk.ok("play", bot, "--seed", "7") == against


def test_what_is_typed_wins_over_the_folder_and_the_folder_over_the_variable(desk: Desk, kraken: Path) -> None:
    maps = {game: desk.ok("game", "map", game, "--seed", "3") for game in (OCEAN, ICE)}
    assert desk.ok("game", "map", "--seed", "3", LADDER_GAME=ICE) == maps[OCEAN]
    (kraken / "ladder.toml").write_text('bot = "kraken"\n')
    assert desk.ok("game", "map", "--seed", "3", LADDER_GAME=ICE) == maps[ICE]
    assert desk.ok("game", "map", OCEAN, "--seed", "3", LADDER_GAME=ICE) == maps[OCEAN]


def test_a_source_that_is_submitted_belongs_to_the_folder_in_which_it_is(kraken: Path, tmp_path: Path) -> None:
    wahoo = tmp_path / "wahoo"
    wahoo.mkdir()
    (wahoo / "ladder.toml").write_text(f'game = "{ICE}"\nbot = "wahoo"\nlanguage = "java"\nsource = "Player.java"\n')
    for path in (kraken / "kraken_2.cpp", wahoo / "Player.java", tmp_path / "nemo.py"):
        path.write_text("x")

    def submitted(source: str | None, *typed: str) -> tuple[str, str, str | None, str]:
        words = typed or (None, None, None)
        given, game, bot = submitted_here(Context(), None if source is None else Path(source), *words)
        return str(given.path), game, bot, given.language.name

    assert submitted(None) == ("kraken.py", OCEAN, "kraken", "python")
    assert submitted("../kraken/kraken.py") == ("../kraken/kraken.py", OCEAN, "kraken", "python")
    assert submitted("kraken_2.cpp") == ("kraken_2.cpp", OCEAN, "kraken", "cpp"), "not its main file"
    assert submitted("../wahoo/Player.java") == ("../wahoo/Player.java", ICE, "wahoo", "java")
    assert submitted("../nemo.py") == ("../nemo.py", OCEAN, None, "python"), "in no bot's folder"
    assert submitted(None, ICE, "nemo", "c") == ("kraken.py", ICE, "nemo", "c")
    found = [bot_of(word) for word in ("kraken_2.cpp", "../wahoo/Player.java", "../nemo.py")]
    assert found == ["kraken", "wahoo", None]


def test_a_missing_game_lists_the_games(desk: Desk, bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bot.parent)
    for words in (
        ("game", "show"),
        ("submit", bot),
        ("play", bot, bot),
        ("league", "show"),
        ("game", "map", "-s", "1"),
    ):
        how = "with --game" if words[0] == "submit" else "first"
        assert desk.refused(2, *words) == (
            f"ladder: name the game {how}, or set LADDER_GAME, or work in a bot's folder; "
            "known games: ocean-of-code, ice-and-fire\n"
        )


def test_a_missing_bot_is_the_folders(kraken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = Games((load_game(FORAGERS),), {})
    (kraken / "ladder.toml").write_text(TABLE.replace(OCEAN, "foragers"))
    three = Games((replace(games.here[0], players=(3,)),), {})
    assert bots_here(three, ["ann", "bob"], None) == ["kraken", "ann", "bob"]
    assert bots_here(three, ["ann", "bob", "cid"], None) == ["ann", "bob", "cid"]
    assert bots_here(games, ["ann", "bob"], None) == ["ann", "bob"], "two can play, too"
    assert bots_here(games, ["ann"], None) == ["kraken", "ann"]
    assert contest_here(three, (None, "a.py", "b.py"))[1] == ["kraken.py", "a.py", "b.py"]
    monkeypatch.chdir(tmp_path)
    assert bots_here(three, ["ann", "bob"], "foragers") == ["ann", "bob"]


def test_elsewhere_a_missing_name_is_asked_for(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words, sentence in (
        (("submit",), "name the source: only in a bot's folder, one with a `ladder.toml`, it may be left out"),
        (("bot", "show"), "name the bot: only in a bot's folder, one with a `ladder.toml`, it may be left out"),
        (("bot", "why"), "name the bot: only in a bot's folder"),
        (("bot", "rewind"), "name the bot: only in a bot's folder"),
        (("match", "request", "orca"), "name the bot: only in a bot's folder"),
        (("gauntlet", "run"), "name the version in question: only in a bot's folder"),
        (("gauntlet", "run", "--local"), "name the source in question: only in a bot's folder"),
        (("play", OCEAN), "name two bots; in a bot's folder its opponent is enough"),
    ):
        assert sentence in desk.refused(2, *words)


def test_a_folders_table_that_is_wrong_is_refused_unless_everything_is_typed(desk: Desk, kraken: Path) -> None:
    (kraken / "ladder.toml").write_text('gmae = "ocean-of-code"\n')
    sentence = (
        f"ladder: {kraken}/ladder.toml: gmae is not a known key; known: game, bot, language, source, build, run\n"
    )
    for words in (("game", "map", "--seed", "3"), ("play", "kraken.py"), ("bot", "show"), ("board",), ("submit",)):
        assert desk.refused(2, *words) == sentence
    desk.ok("game", "map", OCEAN, "--seed", "3")
    desk.ok("play", OCEAN, "kraken.py", "kraken.py")
    desk.ok("board", "--help")


def test_a_shell_completes_leagues_of_the_folders_game_and_is_silent_where_its_table_is_wrong(
    desk: Desk, kraken: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ("board", "--league", "wood")
    assert completed(desk, capfd, *words) == {"wood-1", "wood-2"}
    (kraken / "ladder.toml").write_text("game = 7")
    assert completed(desk, capfd, *words) == {"wood-1", "wood-2", "wood-3"}


def test_a_folder_that_is_gone_is_no_bots_folder(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "known games" in desk.refused(2, "game", "show")
    assert "only in a bot's folder" in desk.refused(2, "bot", "show")
