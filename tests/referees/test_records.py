"""Recorded matches of real referees: played back as the referee, each leads to what was recorded.

How this works. A record holds all that went both ways. What was asked and answered is read from it here once more, in a
few lines that know nothing of the engine's own.
"""

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.bot.output import Reply
from engine.conversation import Ask
from engine.match import MatchSpec
from engine.referees.notes import Notebook
from engine.referees.process import MatchSetup
from engine.referees.program import ProtocolKind
from engine.referees.session import BrutaltesterMatch, SdkMatch
from tests.referees.live import game_of
from tests.referees.playing import FAILED, ScriptedChannel, a_program, led

RECORDS = sorted(Path(__file__).with_name("records").glob("*.json.gz"))
GRACE_MS = 50
SHORT_BYTES = 4000
IN_PIECES = [
    (path, piece_bytes)
    for path in RECORDS
    for piece_bytes in (1 << 20, 4096, 7)
    if piece_bytes > 7 or path.stat().st_size <= SHORT_BYTES
]
"""Each record, and into pieces of how many bytes it is cut; only short ones into the shortest."""


@dataclass(frozen=True)
class Recorded:
    """A question, and its answer; None for a time-out."""

    seat: int
    lines: tuple[str, ...]
    answer_lines: int
    limit_ms: int | None
    answer: str | None


def said(record: dict[str, Any], who: str) -> list[str]:
    return [text for side, text in record["exchange"] if side == who]


def blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    lines = iter(text.split("\n")[:-1])
    for header in lines:
        name, count = re.findall(r"\w+", header)
        yield name, [next(lines) for _ in range(int(count))]


def framed_questions(record: dict[str, Any]) -> Iterator[Recorded]:
    """Read the questions of a match of the protocol `sdk`, also those without answer lines."""
    monitoring = False
    for asked, answered in zip(said(record, "from"), said(record, "to")[1:], strict=False):
        step = dict(blocks(asked))
        monitoring = monitoring or "MONITORING" in step
        seat, count, limit = map(int, step["NEXT_PLAYER_INFO"])
        name, lines = next(blocks(answered))
        answer = None if name == "SET_PLAYER_TIMEOUT" else "\n".join(lines[1:] if monitoring else lines)
        yield Recorded(seat, tuple(step["NEXT_PLAYER_INPUT"]), count, limit - GRACE_MS * monitoring, answer)


def hash_questions(record: dict[str, Any]) -> Iterator[Recorded]:
    waiting = defaultdict[int, list[str]](list)
    for asked, answered in zip(said(record, "from"), said(record, "to")[1:], strict=False):
        for part in asked.split("###")[1:]:
            word, *lines = part.split("\n")[:-1]
            name, seat, *count = word.split()
            waiting[int(seat)] += lines
            if name == "Output":
                yield Recorded(int(seat), tuple(waiting.pop(int(seat))), int(count[0]), None, answered[:-1])


def asked_of_bots(questions: list[Recorded]) -> list[Recorded]:
    """Leave out the questions that want no answer: their lines come with the next question to that seat."""
    waiting = defaultdict[int, tuple[str, ...]](tuple)
    asked = []
    for question in questions:
        waiting[question.seat] += question.lines
        if question.answer_lines:
            lines = waiting.pop(question.seat)
            asked.append(Recorded(question.seat, lines, question.answer_lines, question.limit_ms, question.answer))
    return asked


@pytest.mark.parametrize(("path", "piece_bytes"), IN_PIECES, ids=lambda part: str(getattr(part, "name", part)))
def test_a_record_played_back_leads_to_what_was_recorded(path: Path, piece_bytes: int) -> None:
    record = json.loads(gzip.decompress(path.read_bytes()))
    framed = record["protocol"] == "framed"
    kind = ProtocolKind.SDK if framed else ProtocolKind.BRUTALTESTER
    program = a_program(kind, seed_bits=64 if framed or record["seed"] is not None else 0)
    setup = MatchSetup(MatchSpec(game_of(program), 19, record["seed"] or 0, players=record["players"]))
    channel, notebook = ScriptedChannel(said(record, "from"), piece_bytes), Notebook(record["players"], keep_views=True)
    match = (SdkMatch if framed else BrutaltesterMatch)(channel, setup, notebook)
    questions = list(framed_questions(record) if framed else hash_questions(record))
    expected = asked_of_bots(questions)
    answers = iter(expected)

    def answer(ask: Ask) -> Reply:
        said_then = next(answers).answer
        return FAILED if said_then is None else Reply(said_then)

    asks, outcome = led(match.conversation(), answer)
    assert [(ask.seat, ask.lines, ask.answer_lines) for ask in asks] == [
        (question.seat, question.lines, question.answer_lines) for question in expected
    ]
    assert [data.decode() for data in channel.sent] == said(record, "to")
    notes = notebook.notes(match.stray)
    assert len(notes.questions) == len(questions) == record["asks"]
    assert [question.lines for question in notes.questions] == [question.lines for question in questions]
    assert notes.stray == ""
    if framed:
        assert [ask.limit_ms for ask in asks] == [question.limit_ms for question in expected]
        assert list(outcome.scores) == record["scores"]
        assert [f"{key}={value}" for key, value in notes.parameters] == record["parameters"]
        assert len(notes.views) == len(questions) + 1
        assert all(notes.views)
    else:
        place = 1
        for group in record["end"]:
            assert {outcome.places[int(seat)] for seat in group} == {place}
            place += len(group)


def test_the_records_hold_both_protocols_time_outs_and_two_to_four_players() -> None:
    """They are facts about referees that others wrote; nothing else holds these rooms to them."""
    records = [json.loads(gzip.decompress(path.read_bytes())) for path in RECORDS]
    assert len(records) == 19
    assert {record["protocol"] for record in records} == {"framed", "hash"}
    assert {record["players"] for record in records} == {2, 3, 4}
    assert sum("SET_PLAYER_TIMEOUT" in "".join(said(record, "to")) for record in records) == 2
