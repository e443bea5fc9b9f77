"""Whatever bots say, the referee of Ocean of Code comes to an outcome and never fails."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.conversation import NO_ANSWER, Ask, Outcome, Verdict
from engine.games.ocean_of_code.referee import referee
from tests.unit.conversations import ANY_TEXT, SIGNED_64_BIT, converse_to_the_end
from tests.unit.ocean_of_code.hunts import LIMITS

LEVELS = st.integers(1, 4)

# Words of the game in any order, so that lines get past the first checks.
NAMES = ["MOVE", "SURFACE", "TORPEDO", "SONAR", "SILENCE", "MINE", "TRIGGER", "MSG", "move", "FOO", ""]
WORDS = ["N", "S", "W", "E", "n", "TORPEDO", "SONAR", "SILENCE", "MINE", "0", "1", "4", "9", "-1", "15", "", "\t", "x"]
ORDERS = st.builds(lambda name, rest: " ".join([name, *rest]), st.sampled_from(NAMES), st.lists(st.sampled_from(WORDS)))
MOVES = st.builds(
    "MOVE {} {}".format, st.sampled_from("NSWE"), st.sampled_from(["TORPEDO", "SONAR", "SILENCE", "MINE"])
)
LINES = st.lists(MOVES | MOVES | ORDERS | ANY_TEXT, max_size=4).map("|".join)
PLACEMENTS = st.builds("{} {}".format, st.integers(0, 14), st.integers(0, 14))
ANSWERS = st.lists(LINES | LINES | LINES | ANY_TEXT | st.none(), max_size=60)


def check(asks: list[Ask], outcome: Outcome) -> None:
    for ask in asks:
        assert ask.limit_ms == (1000 if len(ask.lines) == 16 else 50)
        assert all(line.isascii() and line.isprintable() for line in ask.lines)
    assert outcome.reason in {"dead", "disabled", "turn_limit", "frame_limit"}
    assert (outcome.reason == "disabled") == (-1 in outcome.scores)
    for score, verdict in zip(outcome.scores, outcome.verdicts, strict=True):
        assert -1 <= score <= 6
        assert (score == -1) == (verdict.verdict != Verdict.OK)
        assert (verdict.message == "") == (verdict.verdict == Verdict.OK)
        assert len(verdict.message) < 250
        assert verdict.message.isprintable()


@given(SIGNED_64_BIT, LEVELS, ANY_TEXT | PLACEMENTS, ANY_TEXT | PLACEMENTS, ANSWERS)
def test_any_answers_come_to_an_outcome(seed: int, level: int, zero: str, one: str, answers: list[str | None]) -> None:
    """Text of any characters, words of the game in any order, silence; and the same game again gives the same."""
    game = converse_to_the_end(referee(seed, level, LIMITS), [zero, one, *answers])
    check(*game)
    assert converse_to_the_end(referee(seed, level, LIMITS), [zero, one, *answers]) == game


@given(LEVELS, ANY_TEXT)
def test_any_text_is_a_verdict_or_a_turn(level: int, text: str) -> None:
    """As the first line of a game on the map of seed 0; the opponent then gives no answer, if he is asked."""
    asks, outcome = converse_to_the_end(referee(0, level, LIMITS), ["5 12", "12 13", text])
    check(asks, outcome)
    if len(asks) == 3:
        assert outcome.verdicts[0].verdict == Verdict.ILLEGAL
    else:
        assert outcome.verdicts[1] == NO_ANSWER


@pytest.mark.parametrize(
    "line",
    [
        *("x" * 9999, "|" * 9999, "MSG|" * 2499, "0" * 9999, "TORPEDO " + "0" * 9000 + " 1", "MOVE N " * 1400),
        "MOVE " + "\u0660" * 4900,
        "|".join(f"A{number}" for number in range(1500)),
        "\ud800\udfff" * 2000,
    ],
    ids=lambda line: ascii(line[:12]),
)
def test_longest_lines(line: str) -> None:
    """Lines as long as a line may be."""
    check(*converse_to_the_end(referee(0, 3, LIMITS), ["5 12", "12 13", line]))
    check(*converse_to_the_end(referee(0, 3, LIMITS), [line, line]))
