"""Matches of the official site are led again by our referees; files of cases; states that lead to the next."""

import json
from collections.abc import Callable, Mapping
from itertools import count, islice
from typing import Any, NoReturn

import pytest

from engine.errors import UsageFault
from engine.frames import cells_in
from engine.games.golden import MatchRecord
from engine.games.ice_and_fire import board as ice
from engine.games.ice_and_fire.frames import RealmLog as IceLog
from engine.games.ice_and_fire.frames import WatchedRealm
from engine.games.ice_and_fire.realm import Territory, Unit, read_line
from engine.games.ice_and_fire.referee import start
from engine.games.ocean_of_code.board import MAP_CELLS, draw_board
from engine.games.ocean_of_code.frames import SeaLog, WatchedSubmarine
from engine.games.ocean_of_code.referee import carry_out
from engine.games.ocean_of_code.submarine import FULL_CHARGE, OrderLine, orders_of, starting_charge
from engine.records.case_file import Case, CaseQuestion, holds, read_case, require_expectation
from engine.records.official_file import Attempt, OfficialMatch, attempts, official_match, saved_matches
from engine.rejudge import asks_of
from engine.replay import replay_of
from ladder.views.turns.transitions import Transition, read_transitions, transitions
from ladder.views.turns.watched_match import WatchedMatch, WatchedSeat
from tests.catalogue import GAMES
from tests.watching import as_played, records_of

ALL_LEVELS = dict.fromkeys(GAMES.names)


def records(game: str, count: int) -> list[MatchRecord]:
    return [*islice(records_of(game), count)]


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
    assert (attempt.game.name, match.players) == ("ocean-of-code", ("player0", "player1"))
    assert attempt.result is not None


def test_a_file_may_hold_a_match_in_each_line() -> None:
    assert len(saved_matches(text(ONE) + b"\n" + text(TITLED) + b"\n")) == 2


def test_half_a_character_in_an_answer_is_a_question_mark() -> None:
    frames = [{"agentId": 0, "stdout": "MOVE S|MSG a\ud800b\n"}]
    (value,) = saved_matches(json.dumps(ONE | {"frames": frames}).encode())
    assert official_match(value).answers == ((0, "MOVE S|MSG a?b", ""),)


def test_the_level_of_the_title_is_tried_first_and_then_the_others() -> None:
    record = next(one for one in records_of("ice-and-fire") if one.rules_level == 3)
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
def test_a_match_that_goes_another_way_says_where(change: Callable[[dict[str, Any]], dict[str, Any]], why: str) -> None:
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


@pytest.mark.parametrize(
    ("expectation", "answer", "expected"),
    [
        ("SURFACE", "SURFACE", True),
        ("SURFACE", "MOVE N TORPEDO|SURFACE 3", True),
        ("surface", "MOVE N | Surface", True),
        ("SURFACE", "SURFACED", False),
        ("MOVE N", "MOVE N TORPEDO|MSG S", True),
        ("MOVE N", "MOVE S TORPEDO|MSG N", False),
        ("TRAIN 1 3 3", "MOVE 1 2 2;TRAIN 1 3 3;", True),
        ("not SURFACE", "MOVE N TORPEDO", True),
        ("not SURFACE", "TORPEDO 1 1|SURFACE", False),
        ("/TORPEDO [0-4] /", "move n|torpedo 3 9", True),
        ("not /^move/", "MOVE N", False),
        ("second", "first\nsecond", True),
    ],
)
def test_an_expectation_names_how_an_order_begins_or_a_pattern(expectation: str, answer: str, expected: bool) -> None:
    require_expectation(expectation)
    assert holds(expectation, answer) is expected


def case(*expect: str, said: str | None = "MOVE N") -> Case:
    question = CaseQuestion(sent=("1 2",), limit_ms=50)
    return Case(game="g", match="17", seat=0, turn=3, said=said, expect=expect, questions=(question,))


def test_without_an_expectation_the_answer_has_to_be_another() -> None:
    assert [case().holds(answer) for answer in ("MOVE  N ", "MOVE S")] == [False, True]
    assert case(said=None).holds("MOVE N")
    assert case().expectation == "another answer than MOVE N"


def test_all_expectations_have_to_hold() -> None:
    assert [case("MOVE", "not MOVE N").holds(answer) for answer in ("MOVE N", "MOVE S", "WAIT")] == [False, True, False]
    assert case("MOVE", "not /N/").expectation == "MOVE, not /N/"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"turn": "x"}, "turn: "),
        ({"questions": []}, "a case without a question"),
        ({"expect": ["not "]}, "an expectation is empty"),
        ({"expect": ["/(/"]}, "is not a pattern"),
        ({"more": 1}, "more: "),
    ],
)
def test_a_file_that_is_no_case_is_refused_with_what_is_wrong(change: dict[str, object], why: str) -> None:
    assert read_case(case().model_dump_json().encode()) == case()
    with pytest.raises(UsageFault, match=why):
        read_case(json.dumps({**case().model_dump(), **change}).encode())
    with pytest.raises(UsageFault, match="it is not a case"):
        read_case(b"{")


OCEAN, ICE = "ocean-of-code", "ice-and-fire"


def transitions_of(record: MatchRecord) -> list[Transition]:
    replay = replay_of(as_played(record), views=False)
    seats = tuple(WatchedSeat(seat, f"bot{seat}", None, None, "ok", "") for seat in (0, 1))
    level, seed = record.rules_level, record.seed
    match = WatchedMatch(f"local:{record.id}", record.game, "Gold", level, seed, "", "finished", seats, replay)
    return list(transitions(match))


def after_in_ocean(one: Transition) -> Mapping[str, Any]:
    board, log = draw_board(int(one.seed)), SeaLog()
    sides = []
    for seat, state in enumerate(one.before["submarines"]):
        missing = starting_charge(one.rules_level)
        missing |= {name.upper(): FULL_CHARGE[name.upper()] - units for name, units in state["charge"].items()}
        side = WatchedSubmarine(board, MAP_CELLS[state["cell"]], missing, state["lives"], seat=seat, log=log)
        side.visited = {MAP_CELLS[cell] for cell in state["trail"]}
        side.mines, side.trail = {MAP_CELLS[cell] for cell in state["mines"]}, list(state["trail"])
        sides.append(side)
    own, other = sides[one.seat], sides[1 - one.seat]
    own.begin_turn()
    for _ in carry_out(own, other, OrderLine(one.orders or "", orders_of(one.rules_level))):
        if not own.lives or not other.lives:
            break
    return {"submarines": [side.state() for side in sides]}


def after_in_ice(one: Transition) -> Mapping[str, Any]:
    ids, log = count(one.before["next_unit"]), IceLog(next_unit=one.before["next_unit"])
    sides = []
    for seat, (state, fresh) in enumerate(
        zip(one.before["realms"], start(int(one.seed), one.rules_level), strict=True)
    ):
        land = Territory(fresh.land.headquarters, ice_cells(cells_in(state["owned"])))
        side = WatchedRealm(fresh.board, fresh.rules, fresh.ways, land, ids, state["gold"], seat=seat, log=log)
        side.units = {name: Unit(level, ice.MAP_CELLS[cell]) for name, level, cell in state["units"]}
        side.unit_at = {unit.cell: name for name, unit in side.units.items()}
        side.mines, side.towers = ice_cells(state["mines"]), ice_cells(state["towers"])
        side.occupied |= side.mines | side.towers | sum(1 << cell for cell in side.unit_at)
        sides.append(side)
    own, other = sides[one.seat], sides[1 - one.seat]
    if one.turn == 1:
        own.begin_turn()
    for action in read_line(one.orders or ""):
        action(own, other)
        if other.has_fallen:
            break
    else:
        if one.turn < 200:
            other.begin_turn()
    return {"realms": [side.state() for side in sides], "next_unit": log.next_unit}


def ice_cells(cells: Any) -> int:
    return sum(1 << ice.MAP_CELLS[cell] for cell in cells)


@pytest.mark.parametrize(("game", "after"), [(OCEAN, after_in_ocean), (ICE, after_in_ice)])
def test_the_rules_lead_from_each_state_with_what_was_said_to_the_state_after(game: str, after: Any) -> None:
    found = [record for record in records(game, 60) if record.end in ENDS]
    assert len({record.rules_level for record in found}) > 2
    checked = 0
    for record in found:
        for one in transitions_of(record):
            if game == ICE or len(one.before["submarines"]) == 2:
                assert after(one) == one.after, one.words
                checked += 1
    assert checked > 2000


ENDS = {"dead", "turn_limit", "hq", "turns"}


@pytest.mark.parametrize("game", [OCEAN, ICE])
def test_lines_of_transitions_are_read_as_they_were_written(game: str) -> None:
    written = transitions_of(records(game, 1)[0])
    read = list(read_transitions("some.ndjson", "\n\n".join(one.line().rstrip() for one in written).splitlines()))
    assert [one.line() for one in read] == [one.line() for one in written]
    assert read == written
