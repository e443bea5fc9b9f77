"""What a command prints when it has played a match, as cgarena, psyleague and cg-brutaltester have it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, text

from engine.conversation import Verdict
from engine.errors import RefereeFault
from engine.referees.match_command import read_printed


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
    ],
)
def test_scores_and_ranks_are_read(printed: str, scores: tuple[int, ...], places: tuple[int, ...]) -> None:
    outcome = read_printed(printed, 2).outcome
    assert (outcome.scores, outcome.places) == (scores, places)
    assert [verdict.verdict for verdict in outcome.verdicts] == [Verdict.OK, Verdict.OK]


def test_ranks_of_more_players_may_be_shared() -> None:
    outcome = read_printed('{"ranks": [0, 2, 0, 3], "errors": [0, 0, 0, 0]}', 4).outcome
    assert outcome.places == (1, 3, 1, 4)


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
    assert read_printed(json.dumps(psyleague), 2).metrics == (
        {"map": "small", "moves": "7"},
        {"map": "small", "moves": "9"},
    )
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
