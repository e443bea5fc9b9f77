"""A recorded match put to a fresh referee program: with the same answers, does it ask the same and end the same?

How this works. A referee cannot know that it talks to a record: it is sent each answer as it was given, with the time
that the turn took, and a time-out where none came. What it asks is compared as it comes, so the first difference ends
the comparison; what it shows people may differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from engine.bot.conditions import Conditions
from engine.bot.reply import Reply
from engine.conversation import Ask, Outcome
from engine.games.golden import Difference, quoted
from engine.live import program_referee
from engine.match import MatchResult, Recorded, converse
from engine.referees.notes import Notes, Question
from engine.rejudge import asks_noted
from engine.sandbox.box import Sandbox


@dataclass(frozen=True, slots=True)
class Again:
    """What came of it. `questions`: how many the bots were asked again; `difference`: the first, or None."""

    questions: int
    difference: Difference | None


def put_again(result: MatchResult, sandbox: Sandbox, conditions: Conditions) -> Again:
    """Put the answers of a match to a fresh referee.

    Raises ArenaError where its questions were not recorded, RefereeFault where the referee breaks, and what building
    its box raises.
    """
    seats = Answers(result, asks_noted(result))
    with program_referee(result.spec, sandbox, conditions) as referee:
        referee.ready()
        try:
            outcome, _ = converse(result.spec, [seats] * result.spec.players, referee.conversation())
        except Parted as parted:
            return Again(seats.asked, parted.difference)
        return Again(seats.asked, difference_at_end(result, outcome, referee.notes(), seats.asked))


class Parted(Exception):
    """The referee asks something else than it did."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


class Answers:
    """All seats of a recorded match, which compare what they are asked with what they were asked."""

    def __init__(self, result: MatchResult, expected: Sequence[Ask]) -> None:
        """Begin before the first question."""
        self._seats = [Recorded(result, seat) for seat in range(result.spec.players)]
        self._expected = expected
        self.asked = 0

    def ask(self, ask: Ask) -> Reply:
        """Give the answer that was given. Raises Parted where another question was expected."""
        expected = self._expected[self.asked] if self.asked < len(self._expected) else None
        self.asked += 1
        difference = ask_difference(self.asked, expected, ask)
        if difference is not None:
            raise Parted(difference)
        return self._seats[ask.seat].ask(ask)


def ask_difference(number: int, expected: Ask | None, ask: Ask) -> Difference | None:
    """Compare a question, counted from 1, with the one that was expected; None: the end was."""
    if expected is None:
        return Difference("question", "the end of the match", quoted("\n".join(ask.lines)), number, ask.seat)
    if ask.seat != expected.seat:
        return Difference("question", f"to seat {expected.seat}", f"to seat {ask.seat}", number, expected.seat)
    for line, (old, new) in enumerate(zip_longest(expected.lines, ask.lines), 1):
        if old != new:
            return Difference(f"line {line}", quoted(old), quoted(new), number, ask.seat)
    for what, before, now in (
        ("answer lines", expected.answer_lines, ask.answer_lines),
        ("limit", f"{expected.limit_ms} ms", f"{ask.limit_ms} ms"),
    ):
        if before != now:
            return Difference(what, str(before), str(now), number, ask.seat)
    return None


def difference_at_end(result: MatchResult, outcome: Outcome, notes: Notes, asked: int) -> Difference | None:
    """Compare how a match ends: after which question, with which scores, and what seats heard that were to say nothing.

    `asked`: how many questions were put to bots.
    """
    if asked < len(result.turns):
        seat = result.turns[asked].seat
        return Difference("question", f"one to seat {seat}", "the end of the match", asked + 1, seat)
    if outcome.scores != result.outcome.scores:
        return Difference("scores", str(result.outcome.scores), str(outcome.scores))
    before = result.notes.questions if result.notes else ()
    for old, new in zip_longest(before, notes.questions):
        if old != new:
            return Difference("question without an answer", question_words(old), question_words(new))
    return None


def question_words(question: Question | None) -> str:
    """Name a question to a seat that was not to answer it, or that could not."""
    return "none" if question is None else f"to seat {question.seat}: {quoted(question.text)}"
