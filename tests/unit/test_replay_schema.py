"""The JSON of replays has the form that its schema describes, and the schema refuses any other."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from engine.bot.clock import Clock, Policy, Spent, TimeRule
from engine.conversation import OK, Outcome, SeatVerdict, Verdict
from engine.game import Game
from engine.games.golden import MatchRecord
from engine.match import MatchResult, MatchSpec, Turn
from engine.replay import Replay, replay_of
from ladder.ids import MatchId
from ladder.views.encoding import to_json
from ladder.views.turns.watched_match import WatchedMatch, WatchedSeat, replay_data, replay_schema
from tests.catalogue import GAMES
from tests.unit.test_replay import OCEAN, WAR, recorded

DOCUMENT = Path(__file__).parents[2] / "docs" / "replays.md"
RESULTS = {True: "win", False: "loss", None: "draw"}
SCHEMA = json.loads(replay_schema())
WHOLE = Draft202012Validator(SCHEMA)


def data_of(game: Game, record: MatchRecord, replay: Replay) -> dict[str, Any]:
    winner = record.winner
    seats = tuple(
        WatchedSeat(seat, f"bot{seat}@v1", score, RESULTS[None if winner is None else winner == seat], "ok", "")
        for seat, score in enumerate(record.scores)
    )
    match = WatchedMatch(
        MatchId(7), game.name, "Gold", record.rules_level, record.seed, record.end, "finished", seats, replay
    )
    return replay_data(match)


@cache
def some(game: Game) -> dict[str, Any]:
    record, replay = min((one for one in recorded(game) if len(one[1].turns) > 40), key=lambda one: len(one[1].turns))
    return data_of(game, record, replay)


def shape(value: Any) -> object:
    """What kind of value it is, with signs and emptiness, but without its size: one form for many turns."""
    if isinstance(value, dict):
        return tuple((key, shape(one)) for key, one in value.items())
    if isinstance(value, list):
        return frozenset(map(shape, value))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return type(value), value > 0, value < 0
    return type(value), bool(value)


def shapes(parts: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    found: dict[object, dict[str, Any]] = {}
    for one in parts:
        found.setdefault(shape({key: value for key, value in one.items() if key != "state"}), one)
    return list(found.values())


def test_the_schema_is_itself_right() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("game", GAMES.all, ids=lambda game: game.name)
def test_whole_matches_of_both_games_have_the_schemas_form(game: Game) -> None:
    for record, replay in recorded(game)[::60]:
        WHOLE.validate(data_of(game, record, replay))


@pytest.mark.parametrize("game", GAMES.all, ids=lambda game: game.name)
def test_every_kind_of_turn_event_and_view_in_all_recorded_matches_has_the_schemas_form(game: Game) -> None:
    found = [data_of(game, record, replay) for record, replay in recorded(game)]
    turns = shapes(turn for data in found for turn in data["turns"])
    views = shapes(view for data in found for of_seat in data["views"] for view in of_seat)
    assert len(turns) > 10
    for name, parts in (("turn", turns), ("view", views)):
        for one in parts:
            Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}).validate(one)


def test_what_is_printed_is_what_was_checked_and_reads_back_equal() -> None:
    assert json.loads(to_json(some(OCEAN), compact=True)) == some(OCEAN)


def test_matches_without_pictures_have_that_form_too() -> None:
    silent = SeatVerdict(Verdict.TIMEOUT, "late")
    slow = Turn(0, "SURFACE", Spent(wall_us=60_000, cpu_us=60_000), stderr_chars=2)
    turns = (Turn(0, "0 0"), Turn(1, "2 0"), slow, Turn(1, None))
    result = MatchResult(MatchSpec(OCEAN, 3, 0), Outcome((5, -1), "timeout", (OK, silent)), turns, ("\x00\ud800", ""))
    rule = TimeRule(Policy.CODINGAME, Clock.FAIR)
    bare = replace(OCEAN, pictures=lambda: None)
    for one in (result, replace(result, rules_version=2), replace(result, spec=MatchSpec(bare, 3, 0))):
        replay = replay_of(one, rule)
        assert replay.setup is None or replay.turns[2].events
        seats = (WatchedSeat(0, "a.py", 5, "win", "ok", ""), WatchedSeat(1, "b.py", -1, "loss", "timeout", "late"))
        match = WatchedMatch("local:3", "ocean-of-code", "Gold", 3, -(2**63), "timeout", "finished", seats, replay)
        WHOLE.validate(json.loads(to_json(replay_data(match))))


def event_in(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(turn for turn in data["turns"] if turn["events"])["events"][0]
    return found


SPOILT: dict[str, Callable[[dict[str, Any]], object]] = {
    "a seed as number": lambda data: data["match"].update(seed=5),
    "another version": lambda data: data.update(schema=2),
    "no views": lambda data: data.pop("views"),
    "more": lambda data: data["turns"][3].update(extra=1),
    "nine seats": lambda data: data["seats"].extend([data["seats"][0]] * 7),
    "seat eight": lambda data: data["turns"][0].update(seat=8),
    "a line of many": lambda data: data["turns"][0].update(line=["0 0"]),
    "time that runs back": lambda data: data["turns"][0].update(wall_us=-1),
    "time in parts": lambda data: data["turns"][0].update(charged_us=0.5),
    "turn none": lambda data: data["turns"][0].update(number=0),
    "an event without words": lambda data: event_in(data).pop("text"),
    "a cell as text": lambda data: event_in(data).update(cells=["3 5"]),
    "cells as a list": lambda data: data.update(
        views=[[{"turn": 0, "cells": [1], "others": "0", "count": 1, "exact": True}], []]
    ),
    "a curve of one side": lambda data: data["curves"][0]["values"].pop(),
    "a map without width": lambda data: data["setup"].pop("width"),
    "an unknown result": lambda data: data["seats"][0].update(result="victory"),
    "a foreign name": lambda data: data["match"].update(id="game:1"),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
@pytest.mark.parametrize("game", [OCEAN, WAR], ids=lambda game: game.name)
def test_another_form_is_refused(game: Game, spoil: Callable[[dict[str, Any]], object]) -> None:
    data = deepcopy(some(game))
    assert WHOLE.is_valid(data)
    spoil(data)
    assert not WHOLE.is_valid(data)


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from keys(one)
    elif isinstance(value, list):
        for one in value:
            yield from keys(one)


@pytest.mark.parametrize("game", [OCEAN, WAR], ids=lambda game: game.name)
def test_the_document_names_every_key_and_every_kind_of_event(game: Game) -> None:
    words = DOCUMENT.read_text("utf-8")
    data = some(game)
    kinds = {event.kind for _, replay in recorded(game) for turn in replay.turns for event in turn.events}
    named = {*keys(data), *kinds, *(curve["key"] for curve in data["curves"])}
    assert [word for word in sorted(named) if f"`{word}`" not in words] == []
