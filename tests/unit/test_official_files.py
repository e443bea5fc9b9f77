"""Matches of the official site, as players save them, are led again by the referees that are here."""

import json
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

import pytest

from engine.errors import UsageFault
from engine.games.golden import MatchRecord, read_records
from engine.records.official_file import Attempt, OfficialMatch, attempts, official_match, saved_matches
from engine.rejudge import asks_of
from tests.catalogue import GAMES

GOLDEN = Path(__file__).parents[1] / "golden"
ALL_LEVELS = dict.fromkeys(GAMES.names)


def records(game: str, count: int) -> list[MatchRecord]:
    found = (one for one in read_records(GOLDEN / f"{game}.jsonl.gz") if isinstance(one, MatchRecord))
    return list(islice(found, count))


def saved(record: MatchRecord) -> dict[str, Any]:
    """Return what the site would answer for a match of an official referee."""
    asked = [{"agentId": ask.seat, "stdout": None if ask.answer is None else f"{ask.answer}\n"} for ask in record.asks]
    names = [{"index": seat, "codingamer": {"pseudo": f"player{seat}"}} for seat in range(len(record.scores))]
    return {
        "gameId": 900_000_001,
        "frames": [{"agentId": -1, "keyframe": True}, *asked],
        "refereeInput": f"seed={record.seed}\n",
        "scores": [float(score) for score in record.scores],
        "agents": names,
    }


def no_sandbox() -> NoReturn:
    raise AssertionError("rules in Python need no sandbox")


def led(match: OfficialMatch, levels: Mapping[str, int | None] = ALL_LEVELS) -> Attempt:
    return attempts(match, GAMES.here, levels, no_sandbox)[-1]


@pytest.mark.parametrize("game", GAMES.names)
def test_what_the_bots_were_sent_comes_back_with_every_match_of_an_official_referee(game: str) -> None:
    found = records(game, 60)
    assert found
    for record in found:
        level = {game: min(record.rules_level, max(GAMES.find(game).rules_levels))}
        attempt = led(official_match(saved(record)), ALL_LEVELS | level)
        assert attempt.result is not None, (record.id, attempt.why)
        assert attempt.result.outcome.scores == record.scores
        assert [ask.lines for ask in asks_of(attempt.result)] == [ask.lines for ask in record.asks]


ONE = saved(records("ocean-of-code", 1)[0])
TITLED = {"puzzleTitle": ["Ocean of Code"], "questionTitle": "Ocean of Code - Level 2", "gameResult": ONE}


def text(value: object) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    "data",
    [
        text(ONE),
        text(TITLED),
        text({"success": TITLED}),
        text([ONE]),
        text(dict(reversed(list(ONE.items())))),
        b"\xef\xbb\xbf" + json.dumps(ONE, indent=2).replace("\n", "\r\n").encode(),
        text(ONE | {"refereeInput": None, "seed": ONE["refereeInput"].removeprefix("seed=").strip()}),
        text(ONE | {"agents": None}),
        text(ONE).replace(b'\\n"', b'\\r\\n"'),
    ],
    ids=["bare", "wrapped", "of a service", "list", "shuffled", "mark and CR LF", "own seed", "nameless", "CR LF"],
)
def test_each_form_in_which_players_save_a_match_is_read(data: bytes) -> None:
    (value,) = saved_matches(data)
    match = official_match(value)
    attempt = led(match)
    assert (attempt.game.name, attempt.result is not None, match.players) == (
        "ocean-of-code",
        True,
        ("player0", "player1"),
    )


def test_a_file_may_hold_a_match_in_each_line() -> None:
    assert len(saved_matches(text(ONE) + b"\n" + text(TITLED) + b"\n")) == 2


def test_the_level_of_the_title_is_tried_first_and_then_the_others() -> None:
    (record,) = [one for one in records("ice-and-fire", 400) if one.id == "legal-L3-0"] or records("ice-and-fire", 1)
    titled = {"questionTitle": f"A Code of Ice and Fire - Level {record.rules_level}", "gameResult": saved(record)}
    (attempt,) = attempts(official_match(titled), GAMES.here, ALL_LEVELS, no_sandbox)
    assert (attempt.game.name, attempt.rules_level) == ("ice-and-fire", record.rules_level)
    wrong = titled | {"questionTitle": "A Code of Ice and Fire - Level 99"}
    assert led(official_match(wrong)).result is not None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda one: one | {"scores": [91.0, 92.0]}, "scores: expected (91, 92)"),
        (lambda one: one | {"ranks": [7, 7]}, "places: expected (8, 8)"),
        (lambda one: one | {"refereeInput": "seed=1"}, "expected"),
        (lambda one: one | {"frames": one["frames"][:9]}, "question: expected the end of the match, got one to seat"),
        (lambda one: one | {"frames": [*one["frames"], one["frames"][-1]]}, "expected a question, got the end"),
    ],
    ids=["scores", "places", "seed", "cut off", "too long"],
)
def test_a_match_that_goes_another_way_here_says_where(
    change: Callable[[dict[str, Any]], dict[str, Any]], why: str
) -> None:
    attempt = led(official_match(change(ONE)))
    assert attempt.result is None
    assert why in attempt.why


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (text(ONE)[:-40], "is not JSON: .*; was the file cut off"),
        (b"\xff", "not UTF-8: byte 1"),
        (b"", "is not JSON"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"gameResult":' * 900 + b"7" + b"}" * 900, "not a match of the site: frames: Field"),
        (b"7", "not a match of the site, which is a JSON object"),
        (text({"hello": 1}), "not a match of the site: frames"),
        (text(ONE | {"refereeInput": "map=3"}), "it has no seed"),
        (text(ONE | {"refereeInput": "seed=x"}), "is not a seed"),
        (text(ONE | {"refereeInput": f"seed={2**63}"}), "does not fit 64 bits"),
        (text(ONE | {"scores": [1.5, 0.0]}), "not whole numbers"),
        (text(ONE | {"scores": [1]}), "scores of 1 players"),
        (text(ONE | {"scores": [float("nan"), 0]}), "not a match of the site: scores|not whole numbers"),
        (text(ONE | {"frames": [{"agentId": 2}]}), "frame 0 is of seat 2"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_such_a_match_gets_one_sentence(data: bytes, why: str) -> None:
    with pytest.raises(UsageFault, match=why):
        official_match(saved_matches(data)[0])


def test_no_game_is_tried_that_is_not_for_so_many_players() -> None:
    assert attempts(official_match(ONE | {"scores": [1.0, 2.0, 3.0]}), GAMES.here, ALL_LEVELS, no_sandbox) == []
