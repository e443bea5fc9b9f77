"""Recorded matches are put to a fresh referee in a real box: the same questions, or the first that differs."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.bot.conditions import OFFICIAL
from engine.conversation import Verdict
from engine.errors import ArenaError
from engine.match import MatchResult
from engine.records.repeat_match import RepeatResult, put_again
from engine.referees.program import ProtocolKind
from engine.sandbox.choice import open_sandbox
from tests.referees.compiled import referees
from tests.referees.live import played, program_of
from tests.referees.test_matches import CRASHING, bots

SDK = ("python3", "-I", "foragers.py")


@pytest.fixture(scope="module")
def folder() -> Path:
    return referees()


@pytest.fixture(scope="module")
def match(folder: Path) -> MatchResult:
    parameters = (("news", "1"), ("monitoring", "1"), ("rounds", "5"))
    return played(program_of(folder, *SDK, parameters=parameters), bots(3, CRASHING))


def again(result: MatchResult) -> RepeatResult:
    return put_again(result, open_sandbox(), OFFICIAL)


def test_the_same_answers_lead_to_the_same_questions_also_after_a_seat_has_failed(match: MatchResult) -> None:
    assert match.outcome.verdicts[2].verdict is Verdict.CRASHED
    assert again(match) == RepeatResult(len(match.turns), None)


def test_so_they_do_by_the_older_protocol(folder: Path) -> None:
    program = program_of(folder, "./foragers", kind=ProtocolKind.BRUTALTESTER, fault_line="OUT", seed_bits=31)
    result = played(program, bots(3, CRASHING))
    assert again(result) == RepeatResult(len(result.turns), None)


def test_the_first_difference_is_named(match: MatchResult) -> None:
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
