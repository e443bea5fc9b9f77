"""`ladder game show`: the rules of the league in which a bot is, or begins; in English or French."""

import re
import shlex
from pathlib import Path

import pytest

from engine.game import Game
from engine.new_game import write_skeleton
from tests.acceptance.conftest import SURFACER, Desk
from tests.catalogue import GAMES
from tests.throwaway import written

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
    head = desk.ok("game", "show", OCEAN, "--lang", language).split("\n\n")[0]
    commands = re.findall("`ladder ([^`]+)`", head)
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


def test_a_rejected_version_says_in_which_league_it_would_have_begun_and_what_prints_its_rules(
    arena: Desk, tmp_path: Path
) -> None:
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
