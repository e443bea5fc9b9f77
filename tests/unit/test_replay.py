"""Matches as they can be looked at again, on all that the official referees recorded; and the schema of their JSON."""

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
from engine.frames import cells_in
from engine.game import Game
from engine.games.golden import MatchRecord
from engine.match import MatchResult, MatchSpec, Turn
from engine.referees.notes import Notes, Question, Tooltip
from engine.replay import Replay, Said, replay_of, said_of_turns
from ladder.ids import MatchId
from ladder.views.encoding import to_json
from ladder.views.turns.watched_match import WatchedMatch, WatchedSeat, replay_data, replay_schema
from tests.catalogue import GAMES
from tests.watching import as_played, records_of

OCEAN, WAR = GAMES.find("ocean-of-code"), GAMES.find("ice-and-fire")


@cache
def recorded(game: Game) -> list[tuple[MatchRecord, Replay]]:
    """Every other match of a game that its official referee has played, as it is shown."""
    return [(record, replay_of(as_played(record))) for record in records_of(game.name, step=2)]


@pytest.mark.parametrize("game", GAMES.all, ids=lambda game: game.name)
def test_every_recorded_match_is_shown_as_its_referee_played_it(game: Game) -> None:
    for record, replay in recorded(game):
        assert replay.fault == "", record.id
        assert [turn.input for turn in replay.turns] == [ask.lines for ask in record.asks], record.id
        assert [turn.line for turn in replay.turns] == [ask.answer for ask in record.asks], record.id
        assert all(len(values) == 1 + len(record.asks) for curve in replay.curves for values in curve.values)
    assert len(recorded(game)) > 50


def lives_at_the_end(replay: Replay) -> tuple[int, ...]:
    state = replay.turns[-1].state
    assert state is not None
    submarines = state["submarines"]
    assert isinstance(submarines, list)
    return tuple(submarine["lives"] for submarine in submarines)


def test_the_last_picture_of_ocean_of_code_has_the_recorded_scores() -> None:
    whole = [(record, replay) for record, replay in recorded(OCEAN) if -1 not in record.scores]
    assert len(whole) > 100
    for record, replay in whole:
        assert lives_at_the_end(replay) == record.scores, record.id


def test_the_last_picture_of_ice_and_fire_has_the_recorded_scores() -> None:
    checked = 0
    for record, replay in recorded(WAR):
        power = next(curve for curve in replay.curves if curve.kind.key == "power")
        for seat, score in enumerate(record.scores):
            if score != -1:
                assert power.values[seat][-1] == score, record.id
                checked += 1
    assert checked > 50


def test_the_opponent_is_always_where_a_player_of_ocean_of_code_could_have_known_it_to_be() -> None:
    looked_at = 0
    for record, replay in recorded(OCEAN):
        for seat, views in enumerate(replay.views):
            for seen in views:
                state = replay.turns[seen.turn - 1].state if seen.turn else replay.start
                assert state is not None
                submarines = state["submarines"]
                assert isinstance(submarines, list)
                if submarines:
                    opponent = submarines[1 - seat]
                    assert opponent["cell"] in cells_in(seen.view.cells), (record.id, seat, seen.turn)
                    assert set(opponent["mines"]) <= cells_in(seen.view.others), (record.id, seat, seen.turn)
                    assert len(cells_in(seen.view.cells)) == seen.view.count
                    looked_at += 1
    assert looked_at > 10_000


def turns_of(*lines: str | None, first: int = 0) -> tuple[Turn, ...]:
    return tuple(Turn((first + index) % 2, line) for index, line in enumerate(lines))


def ocean(*lines: str | None, scores: tuple[int, int], level: int = 3, verdict: SeatVerdict = OK) -> MatchResult:
    outcome = Outcome(scores, "dead", (OK, verdict))
    return MatchResult(MatchSpec(OCEAN, level, 0), outcome, turns_of(*lines), rules_version=1)


LATE = ocean("0 0", "2 0", "SURFACE", None, scores=(5, -1), verdict=SeatVerdict(Verdict.TIMEOUT, "late"))
"""Of four turns, the last of which has no answer."""


def texts(replay: Replay, number: int) -> list[str]:
    return [event.text for event in replay.turns[number - 1].events]


def test_events_of_ocean_of_code_say_what_happened_to_whom() -> None:
    duel: list[str | None] = ["0 0", "4 0"]
    for _ in range(3):
        duel += ["MOVE S TORPEDO|MSG closer", "MOVE S TORPEDO"]
    duel += ["TORPEDO 4 3|SURFACE", "SURFACE", "MOVE N", None]
    replay = replay_of(ocean(*duel, scores=(5, -1), verdict=SeatVerdict(Verdict.CRASHED, "it exited with status 3")))
    assert texts(replay, 3) == ["closer"]
    assert texts(replay, 9) == [
        "Fires a torpedo at 4 3.",
        "Loses 2 lives by a torpedo.",
        "Surfaces in sector 1.",
        "Loses 1 life by surfacing.",
    ]
    hit = replay.turns[8].events[1]
    assert (hit.kind, hit.seat, hit.amount, hit.cells) == ("hit", 1, 2, (49,))
    assert texts(replay, 12) == ["Loses: it exited with status 3."]
    assert replay.turns[11].events[0].kind == "crashed"
    assert replay.turning_points == (9, 10)


def test_events_of_ice_and_fire_say_what_happened_to_whom() -> None:
    record, replay = next(one for one in recorded(WAR) if one[0].end == "hq" and len(one[0].asks) > 60)
    kinds = {event.kind for turn in replay.turns for event in turn.events}
    assert {"train", "capture", "lost"} <= kinds, record.id
    last = replay.turns[-1]
    taken = next(event for event in last.events if event.kind == "headquarters")
    assert (taken.seat, taken.text) == (record.winner, "Takes the headquarters from the opponent.")
    assert replay.setup is not None
    headquarters = replay.setup["headquarters"]
    assert isinstance(headquarters, list)
    assert taken.cells == (headquarters[1 - taken.seat],)


def test_all_reasons_for_losing_units_are_told_apart() -> None:
    kinds = {event.kind for _, replay in recorded(WAR) for turn in replay.turns for event in turn.events}
    assert {"lost", "cut_off", "debts", "build", "capture", "train"} <= kinds


def test_a_match_that_was_played_by_other_rules_has_lines_and_times_without_pictures() -> None:
    replay = replay_of(replace(LATE, rules_version=2))
    assert replay.fault == "it was played by rules 2; these are 1"
    assert [turn.line for turn in replay.turns] == ["0 0", "2 0", "SURFACE", None]
    assert all(turn.input is None and turn.state is None for turn in replay.turns)


@pytest.mark.parametrize("turns", [slice(2), slice(3), slice(1, None)])
def test_lines_that_lead_elsewhere_by_the_rules_are_shown_without_pictures(turns: slice) -> None:
    replay = replay_of(replace(LATE, turns=LATE.turns[turns]))
    assert "the rules have changed" in replay.fault
    assert len(replay.turns) == len(LATE.turns[turns])


def test_an_overrun_is_an_event_and_debug_output_stands_in_its_turn() -> None:
    slow = Turn(0, "SURFACE", Spent(wall_us=60_000, cpu_us=60_000), stderr_chars=4)
    turns = (replace(LATE.turns[0], stderr_chars=2), LATE.turns[1], slow, LATE.turns[3])
    replay = replay_of(replace(LATE, turns=turns, stderr=("ab1234", "")), TimeRule(Policy.CODINGAME, Clock.FAIR))
    assert [turn.stderr for turn in replay.turns] == ["ab", "", "1234", ""]
    assert "overrun" in {event.kind for event in replay.turns[2].events}
    assert [turn.limit_ms for turn in replay.turns] == [1000, 1000, 50, 50]


NEWS = Question(1, "news\n", 0, None)


def asked(seat: int) -> Question:
    return Question(seat, "x\n", 1, 50)


def test_words_stand_with_the_turn_before_them_the_first_with_the_first_and_nowhere_else() -> None:
    first, second, last = Tooltip(1, "hello", 0), Tooltip(0, "ouch", 2), Tooltip(1, "over", 4)
    notes = Notes(
        (asked(0), NEWS, asked(1), asked(0)),
        ("it begins", "seat 0 moved\nseat 0 smiled", "", "seat 1 moved", "the end"),
        tooltips=(first, second, last),
    )
    assert said_of_turns(notes, 3) == [
        Said(["it begins", "seat 0 moved", "seat 0 smiled"], [first, second]),
        Said(["seat 1 moved"]),
        Said(["the end"], [last]),
    ]
    assert said_of_turns(Notes((NEWS,), ("a", "b")), 0) == []
    assert said_of_turns(None, 2) == [Said(), Said()]


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
    level, seed = record.rules_level, record.seed
    return replay_data(WatchedMatch(MatchId(7), game.name, "Gold", level, seed, record.end, "finished", seats, replay))


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


@pytest.mark.parametrize("game", GAMES.all, ids=lambda game: game.name)
def test_the_schema_is_itself_right_and_whole_matches_of_both_games_have_its_form(game: Game) -> None:
    Draft202012Validator.check_schema(SCHEMA)
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


CELLS_AS_A_LIST = {"turn": 0, "cells": [1], "others": "0", "count": 1, "exact": True}
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
    "cells as a list": lambda data: data.update(views=[[CELLS_AS_A_LIST], []]),
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
