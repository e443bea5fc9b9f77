"""Commands that play whole matches: their words, and what they print, as other arenas' have it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, text

from engine.conversation import Verdict
from engine.errors import RefereeFault
from engine.referees.match_command import home_of, read_printed, script, with_home, write_starters
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


@pytest.mark.parametrize(
    ("printed", "scores", "places"),
    [
        ("12 7", (12, 7), (1, 2)),
        ("7\n12\n", (7, 12), (2, 1)),
        ("seed 4\nboard ...\n3 3\n", (3, 3), (1, 1)),
        ('{"ranks": [0, 1]}', (1, 0), (1, 2)),
        ('{"ranks": [1, 0], "errors": [0, 0]}\n', (0, 1), (2, 1)),
        ('{"ranks": [0, 0]}', (0, 0), (1, 1)),
        ('words\n{"ranks": [0, 1]}', (1, 0), (1, 2)),
        ('{\n "ranks": [0, 1]\n}\n', (1, 0), (1, 2)),
        ('{"ranks": [0, 2, 0, 3], "errors": [0, 0, 0, 0]}', (2, 1, 2, 0), (1, 3, 1, 4)),
    ],
)
def test_scores_and_ranks_are_read(printed: str, scores: tuple[int, ...], places: tuple[int, ...]) -> None:
    outcome = read_printed(printed, len(places)).outcome
    assert (outcome.scores, outcome.places) == (scores, places)
    assert {verdict.verdict for verdict in outcome.verdicts} == {Verdict.OK}


@pytest.mark.parametrize(
    ("printed", "verdicts"),
    [
        ('{"ranks": [0, 1], "errors": [0, 1]}', ["ok", "unknown"]),
        ('{"ranks": [1, 0], "errors": [true, false]}', ["unknown", "ok"]),
        ("-1 5", ["unknown", "ok"]),
    ],
)
def test_an_error_is_a_fault_of_unknown_kind(printed: str, verdicts: list[str]) -> None:
    assert [verdict.verdict for verdict in read_printed(printed, 2).outcome.verdicts] == verdicts


def test_a_negative_score_is_no_fault_where_the_game_says_so() -> None:
    outcome = read_printed("-1 -5", 2, negative_is_fault=False).outcome
    assert [verdict.verdict for verdict in outcome.verdicts] == ["ok", "ok"]
    assert outcome.places == (1, 2)


def test_metrics_are_those_of_the_match_and_of_the_player() -> None:
    psyleague = {"ranks": [0, 1], "test_data": {"map": "small"}, "player_data": [{"moves": 7}, {"moves": 9, "x": []}]}
    expected = ({"map": "small", "moves": "7"}, {"map": "small", "moves": "9"})
    assert read_printed(json.dumps(psyleague), 2).metrics == expected
    attributes: list[dict[str, Any]] = [
        {"name": "map", "player": None, "turn": None, "value": "big"},
        {"name": "gold", "player": 1, "turn": None, "value": 3.5},
        {"name": "gold", "player": 1, "turn": 4, "value": 1},
    ]
    cgarena = {"ranks": [0, 1], "errors": [0, 0], "attributes": attributes}
    printed = read_printed(json.dumps(cgarena), 2)
    assert printed.metrics == ({"map": "big"}, {"map": "big", "gold": "3.5"})
    assert printed.text == json.dumps(cgarena)


@pytest.mark.parametrize(
    ("printed", "why"),
    [
        ("", "the command printed no result"),
        (" \n\n", "the command printed no result"),
        ("player 1 wins", "neither JSON nor 2 scores at the end, but: player 1 wins"),
        ("1", "neither JSON nor 2 scores"),
        ("1 2 3", "neither JSON nor 2 scores"),
        ("1.5 2", "neither JSON nor 2 scores"),
        ("99999999999 1", "a score that is too large"),
        ('{"ranks": [0, 1]', "neither JSON nor 2 scores"),
        ('{"scores": [0, 1]}', "ranks that are not a list of 2 numbers: None"),
        ('{"ranks": [0]}', "ranks that are not a list of 2 numbers"),
        ('{"ranks": [0, "x"]}', "ranks that are not whole numbers"),
        ('{"ranks": [0, 1e400]}', "ranks that are not whole numbers"),
        ('{"ranks": [0, 1], "errors": [1]}', "errors that are not a list of 2 numbers"),
        ('[{"ranks": [0, 1]}]', "JSON that is not an object with `ranks`; a command plays one match"),
        ("[" * 5000, "neither JSON nor 2 scores"),
    ],
)
def test_anything_else_is_the_commands_fault(printed: str, why: str) -> None:
    with pytest.raises(RefereeFault) as caught:
        read_printed(printed, 2)
    assert why in str(caught.value)


@given(lists(integers(-(2**31), 2**31 - 1), min_size=2, max_size=8))
def test_printed_scores_come_back(scores: list[int]) -> None:
    assert read_printed("\n".join(map(str, scores)), len(scores)).outcome.scores == tuple(scores)


@given(text())
def test_no_text_does_anything_but_raise(printed: str) -> None:
    try:
        read_printed(printed, 3)
    except RefereeFault:
        return
