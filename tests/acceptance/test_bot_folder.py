"""A bot's own folder: what is typed in it needs no --game, no --bot and no source."""

from dataclasses import replace
from pathlib import Path

import pytest

from cli.context import Context
from cli.options.folder_defaults import bot_of, bots_here, contest_here, submitted_here
from engine.game import Games
from engine.games.game_folder import load_game
from tests.acceptance.conftest import Desk, completed
from tests.ladder.foragers import FOLDER as FORAGERS

ICE = "ice-and-fire"
OCEAN = "ocean-of-code"
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


def test_without_a_folder_or_a_variable_a_missing_game_lists_the_games(
    desk: Desk, bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_folders_bot_is_the_one_that_is_missing_also_of_three(
    kraken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = Games((load_game(FORAGERS),), {})
    table = TABLE.replace(OCEAN, "foragers")
    (kraken / "ladder.toml").write_text(table)
    three = Games((replace(games.here[0], players=(3,)),), {})
    assert bots_here(three, ["ann", "bob"], None) == ["kraken", "ann", "bob"]
    assert bots_here(three, ["ann", "bob", "cid"], None) == ["ann", "bob", "cid"]
    assert bots_here(games, ["ann", "bob"], None) == ["ann", "bob"], "two can play, too"
    assert bots_here(games, ["ann"], None) == ["kraken", "ann"]
    assert contest_here(three, (None, "a.py", "b.py"))[1] == ["kraken.py", "a.py", "b.py"]
    monkeypatch.chdir(tmp_path)
    assert bots_here(three, ["ann", "bob"], "foragers") == ["ann", "bob"]


def test_outside_of_bots_folders_a_missing_name_is_asked_for(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
