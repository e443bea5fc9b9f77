"""A game's folder that is broken: one sentence with file and key, exit status 2, and all other games go on."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.new_game import write_skeleton
from tests.acceptance.conftest import Desk
from tests.catalogue import GAMES
from tests.throwaway import written

Change = Callable[[Path], object]


def without(key: str) -> Change:
    return lambda folder: edit(folder / "game.toml", lambda line: "" if line.startswith(f"{key} =") else line)


def with_line(key: str, line: str) -> Change:
    return lambda folder: edit(folder / "game.toml", lambda old: line + "\n" if old.startswith(f"{key} =") else old)


def edit(path: Path, change: Callable[[str], str]) -> None:
    path.write_text("".join(change(line) for line in path.read_text().splitlines(keepends=True)))


def with_referee(text: str) -> Change:
    return lambda folder: (folder / "referee.py").write_text(text)


BROKEN: dict[str, tuple[Change, str]] = {
    "no title": (without("title"), "game.toml: title is missing"),
    "no leagues' level": (without("rules_level"), "game.toml: rules_level of the 1. league is missing"),
    "no referee": (without("referee"), "game.toml: referee is missing"),
    "a word for a number": (
        with_line("turn_limit_ms", 'turn_limit_ms = "50"'),
        "game.toml: turn_limit_ms is 50; it must be a whole number",
    ),
    "a share of 2": (
        with_line("draw_probability", "draw_probability = 2"),
        "game.toml: draw_probability is 2.0; it must be above 0 and below 1",
    ),
    "an unknown key": (with_line("title", 'title = "T"\nspeed = 3'), "game.toml: speed is not a known key; known: "),
    "an unknown capability": (
        with_line("lacks", 'lacks = ["maps"]'),
        "game.toml: lacks holds 'maps'; known: golden, secrets, starters",
    ),
    "two leagues of one name": (with_line("name", 'name = "same"'), "game.toml: two leagues have the name 'same'"),
    "no TOML": (lambda folder: (folder / "game.toml").write_text("name = "), "game.toml cannot be read: Invalid value"),
    "no boss": (lambda folder: (folder / "bots/second.py").unlink(), "game.toml: boss of the 2. league names "),
    "no statement": (
        lambda folder: (folder / "statement/level-1.md").unlink(),
        "game.toml: rules_level of the 1. league names ",
    ),
    "no referee's file": (lambda folder: (folder / "referee.py").unlink(), "game.toml: referee names "),
    "a referee that raises when it is read": (
        with_referee("raise RuntimeError('not today')"),
        "which cannot be imported (RuntimeError: not today)",
    ),
    "a referee that ends the program": (with_referee("import sys\nsys.exit(7)"), "cannot be imported (SystemExit: 7)"),
    "a referee's file without a referee": (with_referee("x = 1"), "which defines no function referee"),
    "a map that is only half there": (
        with_referee("def referee(*_): ...\ndef draw_map(*_): ..."),
        "which defines no function map_facts",
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two games of one's own: one that is sound, and `odd`, which a test breaks."""
    games = tmp_path / "games"
    write_skeleton("sound", games / "sound")
    write_skeleton("odd", games / "odd")
    return games


@pytest.mark.parametrize(("change", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_folder_is_one_sentence_and_all_other_games_still_work(
    desk: Desk, folder: Path, change: Change, words: str
) -> None:
    change(folder / "odd")
    for command in (("show", "odd"), ("check", folder / "odd")):
        sentence = desk.refused(2, "game", *command, LADDER_GAMES=str(folder))
        assert sentence.count("\n") == 1
        assert f"{folder}/odd/game.toml" in sentence
        assert words in sentence
    listed = desk.run("game", "list", "--json", LADDER_GAMES=str(folder))
    assert listed.returncode == 0
    assert [row["game"] for row in json.loads(listed.stdout)] == [*GAMES.names, "sound"]
    assert words in listed.stderr
    assert "sum" in desk.ok("game", "show", "sound", LADDER_GAMES=str(folder))


def test_a_referee_that_raises_at_once_is_one_sentence_with_its_file_and_line(desk: Desk, folder: Path) -> None:
    referee = written(
        folder / "odd" / "referee.py", "def referee(seed, rules_level, limits):\n    raise KeyError(seed)\n    yield\n"
    )
    bots = [folder / "odd" / "bots" / name for name in ("first.py", "second.py")]
    words = ("--seed", "7", "--jobs", "1")
    sentence = desk.refused(2, "play", "odd", *bots, *words, LADDER_GAMES=str(folder))
    assert sentence == (f"ladder: the referee of odd raised KeyError in {referee}, line 2: 7 (rules level 1, seed 7)\n")
    desk.ok("play", "sound", bots[1], bots[1], *words, LADDER_GAMES=str(folder))


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        ("nowhere", "LADDER_GAMES names No such file or directory: nowhere"),
        ("{folder}/sound/game.toml", "LADDER_GAMES names Not a directory: "),
        ("{folder}/sound:{folder}/sound", "game.toml: name is 'sound', which "),
    ],
)
def test_a_listed_folder_that_is_none_or_comes_twice_is_named_and_nothing_else_is_lost(
    desk: Desk, folder: Path, listed: str, words: str
) -> None:
    done = desk.run("game", "list", LADDER_GAMES=listed.format(folder=folder))
    assert done.returncode == 0
    assert words in done.stderr
    assert "ocean-of-code: Ocean of Code; " in done.stdout


def test_a_game_of_ones_own_cannot_take_the_name_of_another(desk: Desk, folder: Path) -> None:
    edit(folder / "odd" / "game.toml", lambda line: line.replace('name = "odd"', 'name = "ocean-of-code"'))
    assert "which " in desk.refused(2, "game", "show", "odd", LADDER_GAMES=str(folder))
    assert "submarine" in desk.ok("game", "show", "ocean-of-code", LADDER_GAMES=str(folder))


def test_a_skeleton_is_written_into_an_empty_folder_only_and_passes_the_kit(desk: Desk, tmp_path: Path) -> None:
    target = tmp_path / "mine"
    desk.ok("game", "new", "my-own-game", target)
    assert "failed" not in desk.ok("game", "check", target)
    assert "my-own-game: My Own Game; Wood, Bronze\n" in desk.ok("game", "list", LADDER_GAMES=str(target))
    before = {path: path.read_bytes() for path in target.rglob("*.py")}
    assert "is not empty" in desk.refused(3, "game", "new", "another", target)
    assert {path: path.read_bytes() for path in target.rglob("*.py")} == before
    assert "cannot be a game's name" in desk.refused(2, "game", "new", "My Game", tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_check_that_fails_names_what_is_wrong_and_ends_with_1(desk: Desk, tmp_path: Path) -> None:
    target = tmp_path / "mine"
    desk.ok("game", "new", "mine", target)
    edit(target / "referee.py", lambda line: line.replace('return lost(seat, NO_ANSWER, "no_answer")', "continue"))
    (target / "bots" / "first.py").write_text("print('seven', flush=True)\ninput()\n")
    done = desk.run("game", "check", target)
    assert done.returncode == 1
    assert "failed bosses pass their trial matches\n       " in done.stdout
    assert "not 1, 2 or 3" in done.stdout
    assert "failed no answer loses\n       a match of mine does not end: seat 0 is asked 211 times" in done.stdout


def test_a_game_without_maps_says_so(desk: Desk, folder: Path) -> None:
    sentence = desk.refused(2, "game", "map", "sound", "--seed", "1", LADDER_GAMES=str(folder))
    assert sentence == "ladder: sound has no maps: its referee file defines no draw_map\n"
