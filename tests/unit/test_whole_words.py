"""What stands in a command that plays whole matches for the seed and the bots, as cgarena and psyleague have it."""

from pathlib import Path

import pytest

from engine.referees.match_command import home_of, script, with_home, write_starters
from engine.referees.program import endings, fill_in, takes_seed, why_unfit
from engine.toolchains.program import Program


@pytest.mark.parametrize(
    ("command", "players", "meant"),
    [
        ("play {SEED} {PLAYERS}", 2, "play 7 /players/p1 /players/p2"),
        ("play {SEED} {PLAYERS}", 3, "play 7 /players/p1 /players/p2 /players/p3"),
        ("play -p1 {P1} -p2 {P2} -d seed={SEED}", 2, "play -p1 /players/p1 -p2 /players/p2 -d seed=7"),
        ("play --bot={PLAYERS} {PLAYER_COUNT}", 2, "play --bot=/players/p1 --bot=/players/p2 2"),
        ("play {SEED} {REPLAY_PATH} {PLAYERS}", 2, "play 7 /tmp/replay /players/p1 /players/p2"),
        ("play %DIR%/%ALL_PLAYERS%.exe", 2, "play /players/p1.exe /players/p2.exe"),
        ("play %DIR%/%P1%.exe %DIR%/%P2%.exe", 2, "play /players/p1.exe /players/p2.exe"),
        ("play %SEED% %DIR% %P2% %P1%", 2, "play 7 /players p2 p1"),
        ("play {P0} {PX} %P% {}", 2, "play {P0} {PX} %P% {}"),
    ],
)
def test_words_are_filled_as_the_tools_do_it(command: str, players: int, meant: str) -> None:
    assert fill_in(command.split(), 7, players) == tuple(meant.split())


def test_a_word_with_blanks_stays_one_word() -> None:
    assert fill_in(("sh", "-c", "play {P1} {P2}"), 1, 2) == ("sh", "-c", "play /players/p1 /players/p2")


@pytest.mark.parametrize(
    ("command", "players", "why"),
    [
        ("play {PLAYERS}", (2, 3, 4), None),
        ("play %DIR%/%ALL_PLAYERS%", (2, 8), None),
        ("play {P1} {P2}", (2,), None),
        ("play %P1% %P2% %P3%", (3,), None),
        ("play", (2,), "names no bot"),
        ("play {P1} {P2}", (2, 3), "names the bots 1, 2, and its matches have 2 or 3"),
        ("play {P1} {P2}", (3,), "names the bots 1, 2, and its matches have 3"),
        ("play {P1} {P2} {P3}", (2,), "names the bots 1, 2, 3, and its matches have 2"),
    ],
)
def test_a_command_names_all_bots_of_every_match(command: str, players: tuple[int, ...], why: str | None) -> None:
    found = why_unfit(command.split(), players)
    assert found is None if why is None else why in (found or "")


def test_seeds_are_known_to_commands_that_are_given_one() -> None:
    assert takes_seed(("play", "seed={SEED}"))
    assert takes_seed(("play", "%SEED%"))
    assert not takes_seed(("play", "{PLAYERS}", "SEED"))


def test_endings_are_those_that_follow_names() -> None:
    assert endings(("%DIR%/%ALL_PLAYERS%.exe", "x%P2%-bot y")) == {"", ".exe", "-bot"}


@pytest.mark.parametrize(
    ("word", "there"),
    [
        ("/bot", "/player-files/p2"),
        ("/bot/main", "/player-files/p2/main"),
        ("-cp=/bot:/bot/lib", "-cp=/player-files/p2:/player-files/p2/lib"),
        ("/robot/bot", "/robot/bot"),
        ("/bots", "/bots"),
        ("x/bot/y", "x/bot/y"),
    ],
)
def test_paths_in_the_folder_of_bots_are_moved_and_no_others(word: str, there: str) -> None:
    assert with_home(word, home_of(1)) == there


def test_a_starter_goes_to_the_bots_folder_and_becomes_the_bot() -> None:
    program = Program("", "c", Path("/x"), ("/bot/main", "it's"), {"NAME": "a b", "AT": "/bot/x"})
    line = "cd /player-files/p1 && exec env HOME=/player-files/p1 NAME='a b' AT=/player-files/p1/x "
    assert script(program, home_of(0)) == f"#!/bin/sh\n{line}/player-files/p1/main 'it'\"'\"'s'\n"


def test_there_is_a_starter_under_each_name(tmp_path: Path) -> None:
    write_starters(tmp_path, ("%DIR%/%ALL_PLAYERS%.exe",), [Program("", "c", Path("/x"), ("/bot/main",), {})] * 2)
    assert {path.name for path in tmp_path.iterdir()} == {"p1", "p1.exe", "p2", "p2.exe"}
    assert all(path.stat().st_mode & 0o777 == 0o755 for path in tmp_path.iterdir())
