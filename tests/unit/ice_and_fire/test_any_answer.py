"""Whatever bots say, the referee of A Code of Ice and Fire comes to an outcome and never fails."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.conversation import NO_ANSWER, Ask, Outcome, Verdict
from engine.games.ice_and_fire.referee import referee
from tests.unit.conversations import ANY_TEXT, SIGNED_64_BIT, converse_to_the_end
from tests.unit.ice_and_fire.positions import LIMITS

LEVELS = st.integers(1, 5)

NUMBERS = st.integers(0, 12)
COMMANDS = st.one_of(
    st.builds("MOVE {} {} {}".format, NUMBERS, NUMBERS, NUMBERS),
    st.builds("TRAIN {} {} {}".format, st.integers(0, 4), NUMBERS, NUMBERS),
    st.builds("BUILD {} {} {}".format, st.sampled_from(["MINE", "TOWER"]), NUMBERS, NUMBERS),
    st.sampled_from(["WAIT", "MSG hello"]),
)
# Words of the game in any order, so that lines get past the first checks.
WORDS = ["MOVE", "TRAIN", "BUILD", "MINE", "TOWER", "WAIT", "MSG", "move", "0", "1", "11", "12", "-1", "", "\t", "x"]
PIECES = st.lists(st.sampled_from(WORDS)).map(" ".join)
LEGAL_LINES = st.lists(COMMANDS, max_size=8).map(lambda commands: ";".join(commands) or "WAIT")
ODD_LINES = st.lists(COMMANDS | PIECES | ANY_TEXT, max_size=4).map(";".join) | ANY_TEXT | st.none()
ANSWERS = st.tuples(st.lists(LEGAL_LINES, max_size=40), st.lists(ODD_LINES, max_size=3)).map(
    lambda parts: [*parts[0], *parts[1]]
)


def check(asks: list[Ask], outcome: Outcome) -> None:
    for number, ask in enumerate(asks):
        assert ask.seat == number % 2
        assert ask.limit_ms == (1000 if number < 2 else 50)
        assert all(line.isascii() and line.isprintable() for line in ask.lines)
    assert outcome.reason in {"hq", "unrecognised", "timeout", "turns"}
    assert (outcome.reason == "turns") == (-1 not in outcome.scores)
    assert max(outcome.scores) >= 0
    at_fault = {"unrecognised": Verdict.ILLEGAL, "timeout": Verdict.TIMEOUT}.get(outcome.reason, Verdict.OK)
    for score, verdict in zip(outcome.scores, outcome.verdicts, strict=True):
        assert verdict.verdict == (at_fault if score == -1 else Verdict.OK)
        assert (verdict.message == "") == (verdict.verdict == Verdict.OK)
        assert len(verdict.message) < 150
        assert verdict.message.isprintable()


@given(SIGNED_64_BIT, LEVELS, ANSWERS)
def test_any_answers_come_to_an_outcome(seed: int, level: int, answers: list[str | None]) -> None:
    """Text of any characters, words of the game in any order, silence; and the same game again gives the same."""
    game = converse_to_the_end(referee(seed, level, LIMITS), answers)
    check(*game)
    assert converse_to_the_end(referee(seed, level, LIMITS), answers) == game


@given(LEVELS, ANY_TEXT)
def test_any_text_is_a_verdict_or_a_turn(level: int, text: str) -> None:
    """As the first line of a game; the opponent then gives no answer, if he is asked."""
    asks, outcome = converse_to_the_end(referee(5, level, LIMITS), [text])
    check(asks, outcome)
    if len(asks) == 1:
        assert outcome.verdicts[0].verdict == Verdict.ILLEGAL
    else:
        assert outcome.verdicts[1] == NO_ANSWER


@pytest.mark.parametrize(
    "line",
    [
        *("x" * 9999, ";" * 9999, "MSG x;" * 1666, "WAIT;" * 1999, "MOVE 1 " + "0" * 9900 + " 1"),
        *("MOVE " + "9" * 9900 + " 1 1", "TRAIN 1 1 1;" * 833, "MOVE 1 2 " * 1100, "TRAIN 1 1 " + "\u0661" * 3000),
        "\ud800\udfff" * 2000,
    ],
    ids=lambda line: ascii(line[:12]),
)
def test_longest_lines(line: str) -> None:
    """Lines as long as a line may be."""
    check(*converse_to_the_end(referee(5, 4, LIMITS), [line, line, line]))
