"""Recorded matches, put to a fresh referee in a real box, and files of other programs: a match as the runner of the SDK
writes it, and a referee compared with such files.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.bot.conditions import OFFICIAL
from engine.conformance.kit import record_of_match
from engine.conversation import Verdict
from engine.errors import ArenaError, UsageFault
from engine.live import play
from engine.match import MatchResult, MatchSpec
from engine.records.official_file import attempts, lead_again, official_match
from engine.records.repeat_match import RepeatResult, log_difference, put_again, record_difference, runner_difference
from engine.records.runner_file import RunnerRecord, read_runner_file, read_tester_log, runner_data
from engine.referees.program import ProtocolKind, RefereeProgram
from engine.sandbox.choice import open_sandbox
from tests.referees.as_game import as_game
from tests.referees.compiled import referees
from tests.referees.live import game_of, in_python, played, program_of
from tests.referees.test_matches import CRASHING, bots

SDK = ("python3", "-I", "foragers.py")
NAMES = ("a", "b", "c")


@pytest.fixture(scope="module")
def program() -> RefereeProgram:
    parameters = (("news", "1"), ("rounds", "5"))
    return program_of(referees(), *SDK, parameters=parameters, keep_views=True)


@pytest.fixture(scope="module")
def match(program: RefereeProgram) -> MatchResult:
    return played(program, bots(3, CRASHING))


@pytest.fixture(scope="module")
def data(match: MatchResult) -> dict[str, Any]:
    written: dict[str, Any] = json.loads(json.dumps(runner_data(match, NAMES)))
    return written


def read(data: dict[str, Any]) -> RunnerRecord:
    return read_runner_file(Path("match.json"), json.dumps(data))


def compared(record: RunnerRecord, program: RefereeProgram) -> str:
    return str(runner_difference(record, game_of(program), 19, open_sandbox()))


def test_a_file_is_compared_by_the_rules_of_the_league_that_it_was_played_in(tmp_path: Path) -> None:
    game = as_game(tmp_path / "game", referees(), {"rounds": 4})
    picks = "for _ in range(6): input()\nwhile True:\n    print('PICK 0', flush=True); [input() for _ in '1234']"
    pick = in_python(picks)
    match = play(MatchSpec(game, 1, 42), (pick, pick), open_sandbox())
    record = read(json.loads(json.dumps(runner_data(match, NAMES[:2]))))
    assert runner_difference(record, game, 1, open_sandbox()) is None
    assert str(runner_difference(record, game, 19, open_sandbox())) != "None", "there berries grow again"


def test_a_golden_record_of_a_program_holds_and_finds_what_differs(program: RefereeProgram, match: MatchResult) -> None:
    record = record_of_match(match, "1")
    assert (len(record.asks), record.scores) == (len(match.turns), match.outcome.scores)
    assert any(ask.answer is None for ask in record.asks)
    game, sandbox = game_of(program), open_sandbox()
    assert record_difference(record, game, sandbox) is None
    other_scores = replace(record, scores=(99, *record.scores[1:]))
    assert "scores: expected (99, " in str(record_difference(other_scores, game, sandbox))
    assert "expected the end" in str(record_difference(replace(record, asks=record.asks[:-1]), game, sandbox))
    assert str(record_difference(replace(record, seed=43), game, sandbox)).startswith("ask 1, seat 0, line ")


def test_a_match_is_written_as_the_runner_of_the_sdk_writes_it(match: MatchResult, data: dict[str, Any]) -> None:
    assert match.notes is not None
    questions = len(match.notes.questions)
    assert data["scores"] == {str(seat): score for seat, score in enumerate(match.outcome.scores)}
    assert data["uinput"][0].startswith("seed=42\n") or "seed=42\n" in data["uinput"][0]
    assert [agent["name"] for agent in data["agents"]] == list(NAMES)
    assert data["ids"] == {"0": 0, "1": 1, "2": 2}
    assert json.loads(data["metadata"])
    assert len(data["summaries"]) == len(data["views"]) == len(data["outputs"]["referee"]) == questions + 1
    for seat in "012":
        assert data["outputs"][seat][0] is None
        assert len(data["outputs"][seat]) == len(data["errors"][seat]) == questions + 1
    assert data["outputs"]["0"][1] == f"{match.turns[0].line}\n"
    assert all(view is None or view.endswith("\n") for view in data["views"])
    assert any(view for view in data["views"])
    assert all(tooltip.keys() == {"turn", "text", "event"} for tooltip in data["tooltips"])


def test_a_referee_does_again_what_such_a_file_says(data: dict[str, Any], program: RefereeProgram) -> None:
    record = read(data)
    assert compared(record, program) == "None"
    older = {**data, "outputs": {seat: said[1:] for seat, said in data["outputs"].items()}}
    assert read(older) == record, "older runners have no entry of before the first question"


def test_a_match_of_the_official_site_is_led_again_by_a_referee_program(match: MatchResult) -> None:
    """A frame is one question; a file that says another seat, or other scores, is refused with what differs."""
    frames: list[dict[str, Any]] = [
        {"agentId": turn.seat, "stdout": turn.line and f"{turn.line}\n"} for turn in match.turns
    ]
    file = {"frames": [{"agentId": -1}, *frames], "refereeInput": "seed=42\nnews=1\nrounds=5\n"}
    scores = [float(score) for score in match.outcome.scores]
    game = match.spec.game
    there = {game.name: None}
    found = lead_again(official_match({**file, "scores": scores}), game, 19, open_sandbox)
    assert (found.outcome.scores, found.outcome.places) == (match.outcome.scores, match.outcome.places)
    assert [(turn.seat, turn.line) for turn in found.turns] == [(turn.seat, turn.line) for turn in match.turns]
    assert found.notes is not None
    assert match.notes is not None
    assert found.notes.questions == match.notes.questions, "they are not in the file"
    (other,) = attempts(official_match({**file, "scores": [9.0, 9.0, 9.0]}), [game], there, open_sandbox)
    assert "scores: expected (9, 9, 9)" in other.why
    turned = [{**frame, "agentId": (frame["agentId"] + 1) % 3} for frame in frames]
    changed = {**file, "frames": turned, "scores": scores}
    (other,) = attempts(official_match(changed), [game], there, open_sandbox)
    assert (other.turn, "question: expected one to seat 1" in other.why) == (1, True)


def test_the_first_difference_is_named(data: dict[str, Any], program: RefereeProgram) -> None:
    record = read(data)
    assert compared(replace(record, scores=(0, 0, 0)), program).startswith("scores: expected (0, 0, 0)")
    summaries = ("it rains", *record.summaries[1:])
    assert compared(replace(record, summaries=summaries), program).startswith("summary 1: expected 'it rains'")
    turned = tuple((one, zero, two) for zero, one, two in record.answers)
    expected = "ask 1, seat 0, question: expected to seat 1, got to seat 0"
    assert compared(replace(record, answers=turned), program) == expected
    short = replace(record, answers=record.answers[:2])
    assert "expected the end of the match, got to seat 2" in compared(short, program)


def test_files_that_do_not_fit_are_refused(data: dict[str, Any], program: RefereeProgram) -> None:
    with pytest.raises(UsageFault, match="says no seed"):
        compared(read({**data, "uinput": []}), program)
    with pytest.raises(UsageFault, match="3 players, and a-game is not for as many"):
        runner_difference(read(data), game_of(program, (2,)), 19, open_sandbox())
    for spoilt in ({}, {**data, "scores": {"0": 1}}, {**data, "summaries": []}, {**data, "outputs": {}}):
        with pytest.raises(UsageFault, match=r"match\.json is not a file of a match"):
            read(spoilt)


@pytest.fixture(scope="module")
def by_lines() -> RefereeProgram:
    return program_of(referees(), "./foragers", kind=ProtocolKind.BRUTALTESTER, fault_line="OUT", seed_bits=31)


def test_a_log_of_brutaltester_is_compared_line_by_line(by_lines: RefereeProgram) -> None:
    log = read_tester_log(Path("game1.log"), log_of(played(by_lines, bots(2))))

    def difference(seed: int = 42, **changes: Any) -> str:
        return str(log_difference(replace(log, **changes), seed, game_of(by_lines), 19, open_sandbox()))

    assert log.players == 2
    assert difference() == "None"
    turned = tuple(group.translate({48: 49, 49: 48}) for group in log.groups)
    assert difference(groups=turned) == "None", "it may name bots, not seats"
    assert difference(seed=43).startswith("ask 1, seat 0, line ")
    assert "expected the end of the match" in difference(lines=log.lines[:-1])


def test_what_is_no_log_is_refused() -> None:
    with pytest.raises(UsageFault, match=r"game1\.log, line 2: not a line of a log"):
        read_tester_log(Path("game1.log"), "Referee: ###Input 0\nHello\n")
    with pytest.raises(UsageFault, match="has no ###End; was the match cut off"):
        read_tester_log(Path("game1.log"), "Referee: ###Input 0\nReferee: 5\nPlayer 0 error: oops\nPlayer 0: WAIT\n")


def log_of(result: MatchResult) -> str:
    assert result.notes is not None
    lines = ["Referee: ###Input 0", "Referee error: hello"]
    for ask, turn in zip(result.notes.asks(), result.turns, strict=True):
        lines += [f"Referee: {line}" for line in ask.lines]
        lines += [f"Player {turn.seat} error: thinking", f"Player {turn.seat}: {turn.line}"]
    places = result.outcome.places
    groups = ["".join(str(seat) for seat, own in enumerate(places) if own == place) for place in sorted(set(places))]
    return "\n".join([*lines, f"Referee: ###End {' '.join(groups)}"]) + "\n"


def again(result: MatchResult) -> RepeatResult:
    return put_again(result, open_sandbox(), OFFICIAL)


def test_the_same_answers_lead_to_the_same_questions_also_after_a_seat_has_failed(match: MatchResult) -> None:
    assert match.outcome.verdicts[2].verdict is Verdict.CRASHED
    assert again(match) == RepeatResult(len(match.turns), None)


def test_so_they_do_by_the_older_protocol(by_lines: RefereeProgram) -> None:
    result = played(by_lines, bots(3, CRASHING))
    assert again(result) == RepeatResult(len(result.turns), None)


def test_the_first_question_that_differs_is_named(match: MatchResult) -> None:
    other_seed = again(replace(match, spec=replace(match.spec, seed=7)))
    assert other_seed.questions == 1
    assert "ask 1, seat 0, line " in str(other_seed.difference)
    other_answer = replace(match, turns=(replace(match.turns[0], line="PICK 5"), *match.turns[1:]))
    assert again(other_answer).difference is not None
    other_scores = replace(match, outcome=replace(match.outcome, scores=(0, 0, 0)))
    assert str(again(other_scores).difference).startswith("scores: expected (0, 0, 0), got ")


def test_a_match_without_its_questions_cannot_be_put_again(match: MatchResult) -> None:
    with pytest.raises(ArenaError, match="not recorded"):
        again(replace(match, notes=None))
