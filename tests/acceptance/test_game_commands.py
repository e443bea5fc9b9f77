"""`ladder game`: rules, maps and recorded matches; folders that are broken cost no other game."""

import gzip
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.game import Game
from engine.new_game import write_skeleton
from tests.acceptance.conftest import SURFACER, Desk
from tests.catalogue import GAMES
from tests.throwaway import written
from tests.watching import GOLDEN

SAMPLE = GOLDEN / "ocean-of-code.jsonl.gz"


def test_the_games_are_listed_with_their_leagues(desk: Desk) -> None:
    assert "Wood 2, Wood 1, Bronze, Silver, Gold, Legend" in desk.ok("game", "list")
    rows = desk.json("game", "list")
    assert [row["game"] for row in rows] == list(GAMES.names)


def test_the_rules_are_shown_per_league(desk: Desk) -> None:
    wood, legend = (desk.ok("game", "show", "ocean-of-code", "--league", name) for name in ("wood-2", "legend"))
    assert "TORPEDO" in wood
    assert "TRIGGER" not in wood
    assert "TRIGGER" in legend
    assert "TRIGGER" not in desk.ok("game", "show", "ocean-of-code")


def test_the_map_of_a_seed_is_drawn_and_given_as_json(desk: Desk) -> None:
    drawn = desk.ok("game", "map", "ocean-of-code", "--seed", "-1").splitlines()
    assert drawn == desk.json("game", "map", "ocean-of-code", "--seed", "-1")["map"]
    assert drawn[0] == "..........xx..."


def test_a_seed_that_is_no_64_bit_number_is_refused(desk: Desk) -> None:
    for seed, sentence in (
        ("9223372036854775808", "the seed 9223372036854775808 is not a signed 64-bit number"),
        ("1.5", "'--seed' / '-s': it should be a whole number"),
        ("abc", "'--seed' / '-s': it should be a whole number"),
    ):
        assert sentence in desk.refused(2, "game", "map", "ocean-of-code", "--seed", seed)


def test_all_records_of_the_sample_are_identical(desk: Desk) -> None:
    told = desk.ok("game", "verify", SAMPLE, GOLDEN / "ocean-of-code-maps.jsonl.gz")
    assert told == "454 matches and 60 maps, 514 identical\n"


def test_the_first_difference_of_each_match_is_shown(desk: Desk, tmp_path: Path) -> None:
    """With the file's name as it is, though it would mean something where brackets and colons do."""
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in (next(file), next(file))]
    records[1]["asks"][2][1][0] = "1 2 3"
    changed = written(tmp_path / "[red]changed[red] :bomb:.jsonl", "".join(json.dumps(one) + "\n" for one in records))
    done = desk.run("game", "verify", changed)
    assert done.returncode == 1
    assert "2 matches, 1 identical" in done.stdout
    assert f"{changed}: line 2: ask 3" in done.stdout
    assert "1 2 3" in done.stdout


def test_files_that_cannot_be_read_are_named_and_the_rest_is_checked(desk: Desk, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(SAMPLE.read_bytes()[:1000])
    plain = written(tmp_path / "plain.jsonl.gz", "not gzip")
    words = written(tmp_path / "words.jsonl", "not json\n")
    foreign = written(tmp_path / "foreign.jsonl", json.dumps({"game": "chess", "seed": 1, "map": []}) + "\n")
    done = desk.run("game", "verify", cut, plain, words, foreign, tmp_path / "missing", SAMPLE)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for path in (cut, plain, words, tmp_path / "missing"):
        assert str(path) in done.stderr
    assert f"{foreign}: line 1: unknown game 'chess'" in done.stdout
    assert "454 matches and 1 maps, 454 identical" in done.stdout


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
def test_a_broken_folder_costs_no_other_game(desk: Desk, folder: Path, change: Change, words: str) -> None:
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
        ("nowhere", "LADDER_GAMES: No such file or directory: nowhere"),
        ("{folder}/sound/game.toml", "LADDER_GAMES: Not a directory: "),
        ("{folder}/sound:{folder}/sound", "game.toml: name is 'sound', which "),
    ],
)
def test_a_listed_folder_that_cannot_be_is_named(desk: Desk, folder: Path, listed: str, words: str) -> None:
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


OCEAN = "ocean-of-code"
ENGLISH = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": "en_GB.UTF-8"}


@pytest.mark.parametrize("game", GAMES.all, ids=lambda game: game.name)
def test_without_a_league_the_rules_are_those_with_which_a_new_bot_begins(desk: Desk, game: Game) -> None:
    lowest = game.leagues[0]
    shown = desk.ok("game", "show", game.name, **ENGLISH)
    assert shown.startswith(
        f"> These are the rules of **{lowest.title}**, where a new bot begins. Those of other leagues:"
    )
    assert shown.endswith(game.statement(lowest.rules_level))


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_head_names_the_commands_that_print_the_rules_of_all_other_leagues(desk: Desk, language: str) -> None:
    game = GAMES.find(OCEAN)
    commands = re.findall("`ladder ([^`]+)`", desk.ok("game", "show", OCEAN, "--lang", language).split("\n\n")[0])
    shown = [desk.ok(*shlex.split(command), "--lang", language) for command in commands]
    assert [text.split("\n\n", 1)[1] for text in shown] == [game.statement(level, language) for level in (2, 3)]
    assert [text.count("ladder game show") for text in shown] == [2, 2]


def test_a_game_whose_leagues_have_the_same_rules_is_shown_without_others(desk: Desk, tmp_path: Path) -> None:
    write_skeleton("sums", tmp_path / "sums")
    shown = desk.ok("game", "show", "sums", LADDER_GAMES=str(tmp_path), **ENGLISH)
    assert shown.split("\n")[0] == "> These are the rules of **Wood**, where a new bot begins."


def test_rules_are_in_french_where_that_is_asked_for_or_the_locale_says_so(desk: Desk) -> None:
    french = desk.ok("game", "show", OCEAN, "--league", "bronze", "--lang", "fr")
    assert french.startswith("> Voici les règles de **Bronze**. Celles des autres ligues\u00a0:")
    assert french.endswith(GAMES.find(OCEAN).statement(3, "fr"))
    for word in ("torpille", "mine", "sonar", "silence", "surface", "secteur"):
        assert word in french
    words = ("game", "show", OCEAN, "--league", "bronze")
    assert desk.ok(*words, LC_ALL="fr_FR.UTF-8") == french
    assert desk.ok(*words, LC_ALL="", LC_MESSAGES="fr_CA", LANG="en_US") == french
    assert desk.ok(*words, LC_ALL="", LC_MESSAGES="", LANG="fr") == french
    english = desk.ok(*words, **ENGLISH)
    assert english.endswith(GAMES.find(OCEAN).statement(3))
    assert desk.ok(*words, LC_ALL="C.UTF-8", LANG="fr_FR.UTF-8") == english
    assert desk.ok(*words, LC_ALL="", LC_MESSAGES="", LANG="de_DE") == english
    assert desk.ok(*words, "--lang", "en", LC_ALL="fr_FR.UTF-8") == english


def test_a_game_without_french_rules_says_so_in_one_line_and_shows_the_english_ones(desk: Desk, tmp_path: Path) -> None:
    write_skeleton("sums", tmp_path / "sums")
    own = {"LADDER_GAMES": str(tmp_path), **ENGLISH}
    english = desk.ok("game", "show", "sums", **own)
    done = desk.run("game", "show", "sums", "--lang", "fr", **own)
    assert (done.returncode, done.stdout) == (0, english)
    assert done.stderr == "sums has no rules in 'fr', so they are in English; it has them in: en\n"
    silent = desk.run("game", "show", "sums", **{**own, "LANG": "fr_FR.UTF-8"})
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, english, "")


def test_rules_that_cannot_be_shown_are_refused_in_one_line(desk: Desk) -> None:
    for words, sentence in (
        (("--lang", "french"), "--lang french is not a language: it is named by two letters, as in fr"),
        (("--lang", "../"), "--lang ../ is not a language"),
        (("--lang", ""), "is not a language"),
        (("--league", "tin"), "unknown league of ocean-of-code 'tin'; known: wood-2, wood-1"),
        (("--league", "gold", "--bot", "kraken"), "--league and --bot cannot be used together: choose one"),
    ):
        assert sentence in desk.refused(2, "game", "show", OCEAN, *words)


def test_a_rejected_version_names_the_league_it_was_for_and_its_rules(arena: Desk, tmp_path: Path) -> None:
    path = written(tmp_path / "eager.py", SURFACER.replace("SURFACE", "SONAR 4"))
    done = arena.run("submit", path, "--game", OCEAN, "--watch")
    assert done.returncode == 3
    sentence = (
        "it would have begun in Wood 2: `ladder game show ocean-of-code --bot eager` prints the rules of that league. "
        "A bot that is made for a higher one begins there by `ladder submit --league NAME`, which on a served ladder "
        "is for operators"
    )
    assert "eager@v1 is rejected: " in done.stderr
    assert done.stderr.endswith(f"{sentence}\n")
    assert f"{sentence}\n" in arena.ok("bot", "show", "eager")
    shown = arena.ok("game", "show", OCEAN, "--bot", "eager", **ENGLISH)
    assert shown.startswith("> These are the rules of **Wood 2**, where eager is. Those of other leagues:")
    assert shown.endswith(GAMES.find(OCEAN).statement(1))


def test_the_rules_are_those_of_the_bot_that_is_named_or_whose_folder_this_is(
    arena: Desk, desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_boss = arena.ok("game", "show", OCEAN, "--bot", "boss-wood-1", **ENGLISH)
    assert of_boss.startswith("> These are the rules of **Wood 1**, where boss-wood-1 is.")
    assert "unknown bot 'nessie'" in arena.refused(2, "game", "show", OCEAN, "--bot", "nessie")
    monkeypatch.chdir(tmp_path)
    table = written(tmp_path / "ladder.toml", f'game = "{OCEAN}"\nbot = "boss-wood-1"\n')
    assert arena.ok("game", "show", **ENGLISH) == of_boss
    assert "the rules of **Gold**" in arena.ok("game", "show", "--league", "gold", **ENGLISH)
    new = desk.ok("game", "show", **ENGLISH)
    assert "where a new bot begins" in new, "there is no ladder that knows the bot"
    table.write_text(f'game = "{OCEAN}"\nbot = "nessie"\n')
    assert arena.ok("game", "show", **ENGLISH) == new, "it is not submitted yet"


def test_a_bot_begins_in_the_league_that_an_operator_names(arena: Desk, tmp_path: Path) -> None:
    path = written(tmp_path / "deep.py", SURFACER)
    arena.ok("submit", path, "--game", OCEAN, "--league", "silver")
    shown = arena.ok("game", "show", OCEAN, "--bot", "deep", **ENGLISH)
    assert shown.startswith("> These are the rules of **Silver**, where deep is.")
    assert "unknown league of ocean-of-code 'lead'" in arena.refused(
        2, "submit", path, "--game", OCEAN, "--bot", "deeper", "--league", "lead"
    )
    assert "deeper" not in arena.ok("bot", "list")
