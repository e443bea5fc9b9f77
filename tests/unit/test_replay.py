"""Matches as they can be looked at again: all that the official referees recorded, the schema, and of what bots die."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cli.texts.matches import loss_text, turns_text
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
from ladder.views.turns import lost_matches
from ladder.views.turns.lost_matches import By, Defeat, LossExample, defeat_in, groups, loss_of, lost_by, turns_of_group
from ladder.views.turns.rows import TurnRow, turn_rows
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


def test_words_stand_with_the_turn_before_them_and_the_first_words_with_the_first() -> None:
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


def test_where_nothing_was_asked_or_noted_nothing_is_said() -> None:
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


NAMES = ("kraken@v3", "wahoo@v2")


def lost(
    *lines: str | None, scores: tuple[int, int], verdicts: tuple[SeatVerdict, SeatVerdict] = (OK, OK)
) -> lost_matches.LossStory:
    """How a match on the map of seed 0 was lost, whose seats speak in turn."""
    turns = tuple(Turn(index % 2, line) for index, line in enumerate(lines))
    outcome = Outcome(scores, "dead", verdicts)
    found = loss_of(replay_of(MatchResult(MatchSpec(OCEAN, 3, 0), outcome, turns), views=False), outcome, NAMES)
    assert found is not None
    return found


DUEL: list[str | None] = ["0 0", "4 0", *["MOVE S TORPEDO", "MOVE S TORPEDO"] * 3, "TORPEDO 4 3", "SURFACE"]


def test_the_turns_that_cost_a_life_are_named_with_their_cause_and_the_end() -> None:
    loss = lost(*DUEL, *["SURFACE|MSG calm", "SURFACE"] * 3, scores=(3, 0))
    sentence = "wahoo@v2 lost 0:3; hits taken on its turns 4 (torpedo of kraken), 5, 6, 7 (own surfacing), sunk on 8"
    assert (loss.seat, loss.sentence) == (1, sentence)
    assert loss_text(loss, 17).plain.splitlines()[1:] == [
        "  turn 4 (match turn 9)   Loses 2 lives by a torpedo.",
        "  turn 5 (match turn 10)  Loses 1 life by surfacing.",
        "  turn 6 (match turn 12)  Loses 1 life by surfacing.",
        "  turn 7 (match turn 14)  Loses 1 life by surfacing.",
        "  turn 8 (match turn 16)  Loses 1 life by surfacing.",
        "  turn 8 (match turn 16)  Sinks.",
        "look at it: `ladder match view 17 --turn 9`",
    ]


def test_a_seat_that_lost_by_a_fault_was_hit_before_it() -> None:
    crashed = SeatVerdict(Verdict.CRASHED, "it exited with status 3")
    loss = lost(*DUEL, "SURFACE", None, scores=(5, -1), verdicts=(OK, crashed))
    hits = "hits taken on its turns 4 (torpedo of kraken), 5 (own surfacing)"
    assert loss.sentence == f"wahoo@v2 lost -1:5; {hits}, crash on 6"
    late = SeatVerdict(Verdict.TIMEOUT, "late")
    loss = lost("0 0", "4 0", None, scores=(-1, 6), verdicts=(late, OK))
    assert (loss.sentence, loss.blows[0].turn) == ("kraken@v3 lost -1:6; time-out on its turn 2", 3)


def test_a_draw_and_a_match_by_other_rules_were_lost_in_no_turn_that_could_be_named() -> None:
    turns = (Turn(0, "0 0"), Turn(1, "4 0"), Turn(0, None))
    silent = Outcome((-1, 6), "timeout", (SeatVerdict(Verdict.TIMEOUT, "late"), OK))
    result = MatchResult(MatchSpec(OCEAN, 3, 0), silent, turns)
    draw = replace(silent, scores=(6, 6))
    assert loss_of(replay_of(result, views=False), draw, NAMES) is None
    assert loss_of(replay_of(replace(result, rules_version=2), views=False), silent, NAMES) is None


def test_of_a_war_the_threats_to_the_headquarters_are_named_or_where_most_power_was_lost() -> None:
    taken, on_power = 0, 0
    for record, replay in recorded(WAR):
        outcome = Outcome(record.scores, record.end, (OK, OK))
        loss = loss_of(replay, outcome, NAMES)
        if loss is None or outcome.winner is None:
            continue
        if record.end == "hq":
            assert f"{NAMES[1 - outcome.winner]} lost -1:" in loss.sentence
            assert "headquarters taken on " in loss.sentence
            assert loss.blows[-1].turn == len(record.asks)
            assert all(blow.kind == "threat" for blow in loss.blows[:-1])
            taken += 1
        elif "it fell back most on its turn" in loss.sentence:
            assert not loss.blows
            on_power += 1
    assert taken > 30
    assert on_power > 10


def rows_of(*lines: str, stderr: str = "") -> list[TurnRow]:
    spent = Spent(wall_us=12_340, cpu_us=11_000, wait_us=20, late_us=0)
    turns = [Turn(index % 2, line, spent, len(stderr) if index == 0 else 0) for index, line in enumerate(lines)]
    return turn_rows(turns, [50] * len(turns), None, {0: stderr, 1: ""})


ORDERS = ("MOVE N TORPEDO|TORPEDO 11 3|MSG all ahead full, and more of it than a terminal has room for", "SURFACE")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_orders_stand_before_times_and_are_folded_in_their_own_column(width: int) -> None:
    lines = turns_text(rows_of(*ORDERS, stderr="depth 7\n"), width).plain.splitlines()
    heading = next(line for line in lines if line.startswith("turn seat  own  line"))
    assert heading.split()[4] == "charged"
    first = lines.index(heading) + 1
    assert all(len(line) <= width for line in lines[first - 1 :])
    assert lines[first].startswith("   1    0    1  MOVE N TORPEDO|TORPEDO")
    assert "    depth 7" in lines
    column = slice(16, heading.index("charged") - 1)
    said = "".join(line[column].strip() for line in lines[first : lines.index("    depth 7")])
    assert said.replace(" ", "") == ORDERS[0].replace(" ", "")
    assert lines[-1].split()[:4] == ["2", "1", "1", "SURFACE"]


def test_a_narrow_terminal_leaves_times_out_and_says_so() -> None:
    shown = turns_text(rows_of(*ORDERS), 60).plain
    assert "no room for cpu, wait and late: use a wider terminal or --json" in shown
    assert shown.splitlines()[3].split() == ["turn", "seat", "own", "line", "charged", "wall"]


def test_outside_a_terminal_each_turn_is_one_line() -> None:
    shown = turns_text(rows_of(*ORDERS), None).plain
    assert f"   1    0    1  {ORDERS[0]}    12.32" in shown
    assert f"   2    1    1  {'SURFACE':60}    12.32" in shown


ILLEGAL = SeatVerdict(Verdict.ILLEGAL, "moved onto an island")


def watched(game: str, replay: Replay, outcome: Outcome) -> WatchedMatch:
    seats = tuple(
        WatchedSeat(seat, NAMES[seat], score, "win" if outcome.winner == seat else "loss", one.verdict, one.message)
        for seat, (score, one) in enumerate(zip(outcome.scores, outcome.verdicts, strict=True))
    )
    return WatchedMatch(MatchId(1), game, "Bronze", 3, 0, outcome.reason, "finished", seats, replay)


def duel(
    *lines: str, scores: tuple[int, int], verdicts: tuple[SeatVerdict, SeatVerdict] = (OK, OK), reason: str = "dead"
) -> WatchedMatch:
    turns = tuple(Turn(index % 2, line) for index, line in enumerate(lines))
    outcome = Outcome(scores, reason, verdicts)
    return watched(OCEAN.name, replay_of(MatchResult(MatchSpec(OCEAN, 3, 0), outcome, turns)), outcome)


def test_a_defeat_says_its_last_blow_since_when_it_was_behind_and_what_was_unused() -> None:
    match = duel(*map(str, DUEL), *["SURFACE|MSG calm", "SURFACE"] * 3, scores=(3, 0))
    assert (lost_by(match, "WAHOO"), lost_by(match, "kraken")) == (1, None)
    defeat = defeat_in(GAMES, match, 1)
    assert (defeat.opponent, defeat.seat, defeat.kind, defeat.last_turn) == ("kraken@v3", 1, "own surfacing", 8)
    assert (defeat.behind_since, defeat.turn) == (4, 9), "since the torpedo"
    assert defeat.unused == {"torpedo": 5}, "it was charged and never fired"
    assert defeat.known == 1, "it says its sector each time"
    assert defeat.sentence.startswith("wahoo@v2 lost 0:3; hits taken on its turns 4 (torpedo of kraken)")


def test_a_fault_is_what_a_bot_died_of_whatever_came_before() -> None:
    lines = ("0 0", "4 0", "MOVE S TORPEDO", "MOVE N TORPEDO")
    defeat = defeat_in(GAMES, duel(*lines, scores=(6, -1), verdicts=(OK, ILLEGAL), reason="illegal"), 1)
    assert (defeat.kind, defeat.behind_since) == ("illegal", None)


def test_wars_are_lost_by_what_cost_most() -> None:
    kinds: Counter[str] = Counter()
    for record, replay in recorded(WAR):
        outcome = Outcome(record.scores, record.end, (OK, OK))
        if outcome.winner is not None:
            defeat = defeat_in(GAMES, watched(WAR.name, replay, outcome), 1 - outcome.winner)
            kinds[defeat.kind] += 1
            assert defeat.known is None, "nothing is hidden"
            assert defeat.last_turn <= len(record.asks)
    assert kinds["units cut off"] > 3
    assert kinds["units taken"] > 0
    assert kinds["headquarters taken"] > 10


def one(number: int, kind: str, behind: int | None, known: int | None, unused: dict[str, int]) -> Defeat:
    return Defeat(MatchId(number), "wahoo@v1", number % 2, 7, kind, 40, behind, 77, known, unused, "")


def test_lost_matches_are_counted_most_first_with_three_examples_and_turns_in_their_order() -> None:
    found = [one(number, "torpedo", 5 * number, 3, {"silence": 4}) for number in range(1, 5)]
    found += [one(9, "mine", None, None, {}), one(10, "mine", 300, 9, {"silence": 3, "sonar": 5})]
    by_kind = groups(found, By.KIND)
    assert [(row.value, row.losses, row.share) for row in by_kind] == [("torpedo", 4, 4 / 6), ("mine", 2, 2 / 6)]
    assert by_kind[0].examples == tuple(LossExample(MatchId(number), 77) for number in (1, 2, 3))
    assert (by_kind[0].median_behind_since, by_kind[1].median_behind_since, by_kind[1].median_known) == (12.5, 300, 9)
    assert [row.value for row in groups(found, By.TURN)] == ["1 to 10", "11 to 25", "201 and later", "not behind"]
    unused = [(row.value, row.losses) for row in groups(found, By.UNUSED)]
    assert unused == [("silence", 5), ("nothing", 1), ("sonar", 1)]
    assert [row.value for row in groups(found, By.SEAT)] == ["0", "1"]
    assert [turns_of_group(turn) for turn in (10, 11, 200)] == ["1 to 10", "11 to 25", "101 to 200"]
