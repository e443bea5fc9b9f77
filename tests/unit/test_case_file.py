"""What a case expects of an answer, and files that are none."""

import json

import pytest

from engine.errors import UsageFault
from engine.records.case_file import Case, CaseQuestion, holds, read_case, require_expectation


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


def test_without_an_expectation_the_answer_has_to_be_another_and_all_expectations_have_to_hold() -> None:
    assert [case().holds(answer) for answer in ("MOVE  N ", "MOVE S")] == [False, True]
    assert case(said=None).holds("MOVE N")
    assert [case("MOVE", "not MOVE N").holds(answer) for answer in ("MOVE N", "MOVE S", "WAIT")] == [False, True, False]
    assert case("MOVE", "not /N/").expectation == "MOVE, not /N/"
    assert case().expectation == "another answer than MOVE N"


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
