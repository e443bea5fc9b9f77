"""Conversations of referees with players that say given lines, or any."""

from collections.abc import Iterable
from itertools import chain, repeat

from hypothesis import strategies as st

from engine.conversation import Ask, Outcome, Referee

SIGNED_64_BIT = st.integers(-(1 << 63), (1 << 63) - 1)
ANY_TEXT = st.text(st.characters(exclude_categories=()))


def converse(conversation: Referee, answers: Iterable[str | None]) -> tuple[list[Ask], Outcome | None]:
    """Give the answers until they or the game are at an end; return all questions, and the outcome if there is one."""
    asks: list[Ask] = []
    try:
        asks.append(next(conversation))
        for answer in answers:
            asks.append(conversation.send(answer))  # noqa: PERF401 - the game may end in the middle
    except StopIteration as stop:
        return asks, stop.value
    return asks, None


def converse_to_the_end(conversation: Referee, answers: Iterable[str | None]) -> tuple[list[Ask], Outcome]:
    asks, outcome = converse(conversation, chain(answers, repeat(None)))
    assert outcome is not None
    return asks, outcome
