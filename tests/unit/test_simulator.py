"""Somebody's own simulation is asked line by line, and compared with the referee field by field."""

import sys
from typing import Any

import pytest

from engine.conformance.simulator import Differing, StateComparison, answers, state_in
from engine.errors import UsageFault

ECHO = "import sys\nfor line in sys.stdin: print(line, end='')"
QUESTIONS = [f'{{"turn":{number}}}\n' for number in range(1, 6)]
FIVE = "import time\nprint('null\\n' * 5, end='', flush=True)"
PLACES = [f"turn {number}" for number in range(1, 6)]


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def said(program: str) -> list[str]:
    return answers(python(program), QUESTIONS, PLACES)


def test_each_question_has_its_answer_though_nothing_is_flushed() -> None:
    assert said(ECHO) == [question.rstrip() for question in QUESTIONS]


def test_more_than_a_pipe_holds_goes_both_ways() -> None:
    long = [f"{number}{'x' * 200_000}\n" for number in range(20)]
    assert answers(python(ECHO), long, ["a long one"] * 20) == [line.rstrip() for line in long]
    none = answers(python("for _ in range(20): print('null')"), long, ["unread"] * 20)
    assert none == ["null"] * 20, "it may answer without reading"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("print(1)\nprint(2)", "ended with exit code 0: it gave 2 of 5 answers, and none to turn 3"),
        ("raise SystemExit(9)", "ended with exit code 9: it gave 0 of 5 answers, and none to turn 1"),
        ("import os\nos.kill(os.getpid(), 9)", "was killed by SIGKILL: it gave 0 of 5"),
        ("import os, time\nos.close(1)\ntime.sleep(1000)", "closed its output: it gave 0 of 5"),
        ("print('null\\n' * 6, end='')", "printed more than one line for each of 5 questions"),
        ("print('x' * 2_000_000)", "printed 1,000,000 bytes without a line end"),
        (f"{FIVE}\ntime.sleep(0.3)\nprint('null')", "printed more than one line for each of 5 questions"),
        (
            "import time\nprint('null', flush=True)\ntime.sleep(1000)",
            "neither read nor printed anything for 1 s: .* 2$",
        ),
        ("while True: pass", "neither read nor printed anything for 1 s: it gave 0 of 5 answers, and none to turn 1"),
        (
            f"{FIVE}\ntime.sleep(1000)",
            "neither read nor printed anything for 1 s after its last answer: end it where its input ends",
        ),
    ],
)
def test_a_simulator_that_does_not_answer_each_question_once_is_refused_in_a_sentence(
    program: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.conformance.simulator.PATIENCE_S", 1.0)
    monkeypatch.setattr("engine.conformance.simulator.WIDE_PATIENCE_S", 600.0)
    with pytest.raises(UsageFault, match=f"^the simulator {why}"):
        said(program)


def test_what_cannot_be_started_is_refused() -> None:
    with pytest.raises(UsageFault, match=r"^cannot run \./none: No such file or directory$"):
        answers(["./none"], QUESTIONS, PLACES)
    with pytest.raises(UsageFault, match=r"^cannot run a"):
        answers(["a\0b"], QUESTIONS, PLACES)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("1 2 3", "is not JSON: 1 2 3"),
        ('{"gold": NaN}', "is not a number of JSON, but NaN"),
        ('{"gold": -Infinity}', "is not a number of JSON, but -Infinity"),
        ("[1]", "is neither a JSON object nor null"),
        ('{"gold": 1', "is not JSON"),
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_an_answer_that_is_no_state_is_refused_in_a_sentence(line: str, why: str) -> None:
    with pytest.raises(UsageFault, match=f"^the simulator's answer to turn 7 {why}"):
        state_in(line, "turn 7")


def test_an_answer_can_be_left_out() -> None:
    assert state_in("null", "turn 7") is None
    assert state_in(' {"gold": 1}\r', "turn 7") == {"gold": 1}


STATE: dict[str, Any] = {
    "sides": [{"cell": 3, "mines": (1, 2), "charge": {"torpedo": 1}}, {"cell": 4, "mines": (), "charge": {}}]
}


def differing(got: Any, *fields: str) -> list[Differing]:
    return list(StateComparison(fields).differing(STATE, got, "turn 7"))


def test_fields_that_differ_are_named_with_their_way_from_the_top() -> None:
    side = {"cell": 3, "mines": [1, 2], "charge": {"torpedo": 1}, "more": 7}
    other = {"cell": 4.0, "mines": [], "charge": {}}
    assert differing({"sides": [side, other]}) == []
    expected = [Differing("sides[0].charge.torpedo", 1, got=True), Differing("sides[1].mines", (), [1])]
    assert differing({"sides": [side | {"charge": {"torpedo": True}}, other | {"mines": [1]}]}) == expected
    (whole,) = differing({"sides": [side]})
    assert (whole.path, whole.field) == ("sides", "sides"), "a list that is shorter is one field"
    assert Differing("sides[1].units[20].cell", 1, 2).field == "sides[].units[].cell"


def test_a_field_too_few_is_refused_unless_only_others_are_asked_for() -> None:
    got = {"sides": [{"cell": 3}, {"cell": 5}]}
    with pytest.raises(UsageFault, match=r"^the simulator's answer to turn 7 has no sides\[0\]\.mines: print it, "):
        differing(got)
    assert differing(got, "sides[].cell") == [Differing("sides[1].cell", 4, 5)]
    with pytest.raises(UsageFault, match=r"has no sides\[0\]\.charge"):
        differing(got, "sides[].charge.torpedo")


def test_a_field_that_no_state_has_is_refused_in_the_end() -> None:
    comparison = StateComparison(["sides[].cell", "sides[].gold"])
    list(comparison.differing(STATE, STATE, "turn 7"))
    with pytest.raises(UsageFault, match=r"^--fields: no state that was compared has sides\[\]\.gold$"):
        comparison.require_all_found()
    whole = StateComparison(["sides"])
    list(whole.differing(STATE, STATE, "turn 7"))
    whole.require_all_found()
