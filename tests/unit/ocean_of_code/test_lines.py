"""The start of Ocean of Code, the input of a turn and how a line is read, whatever it holds; see hunts for the map."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.conversation import NO_ANSWER, OK, Ask, Outcome, SeatVerdict, Verdict
from engine.games.ocean_of_code.referee import referee
from engine.games.ocean_of_code.submarine import integer
from tests.unit.conversations import ANY_TEXT, SIGNED_64_BIT, converse_to_the_end
from tests.unit.ocean_of_code.hunts import ALL_POWERS, LIMITS, LOSES, SEA, boat, heard, play, start

# Section 4: the start


def test_both_players_are_sent_the_map_and_their_number() -> None:
    first, second, turn = start("0 0", "0 0").asks
    assert first == Ask(0, ("15 15 0", *SEA.rows), 1000)
    assert second == Ask(1, ("15 15 1", *SEA.rows), 1000)
    assert (turn.seat, turn.limit_ms) == (0, 50)


@pytest.mark.parametrize("answer", ["0 0", "07 07", "7 06", "00 14", "14 9", "12 4"])
def test_good_placements(answer: str) -> None:
    """One or two digits, a blank, one or two digits; both may choose the same cell."""
    shown = " ".join(str(int(number)) for number in answer.split())
    if answer == "07 07":
        assert start(answer, answer, seed=1337).lines[0].startswith("7 7 ")
    else:
        assert start(answer, answer).lines[0].startswith(f"{shown} 6 6 ")


@pytest.mark.parametrize(
    "answer",
    [
        *("", " ", "5", "5 ", " 5 5", "5 5 ", "5  5", "5\t5", "5 5\r", "5 5\n", "5,5", "5 5 5", "a b", "5 b", "MOVE N"),
        *("+5 5", "-5 5", "5 -0", "005 5", "5 100", "5.0 5", "5 5|MSG", "\u0665 5", "\uff15 5", "15 0", "0 15"),
        "99 99",
        *("2 1", "8 5", "14 4"),
        None,
    ],
)
def test_bad_placements(answer: str | None) -> None:
    """Whatever player 0 says, player 1 is asked before the match ends: -1 for a bad placement, 6 for a good one."""
    assert start(answer).asks[-1].seat == 1
    assert start(answer, "0 0").ended.scores == (-1, 6)
    assert start("0 0", answer).ended.scores == (6, -1)
    both = start(answer, answer).ended
    assert (both.scores, both.winner, both.reason) == ((-1, -1), None, "disabled")
    expected = Verdict.TIMEOUT if answer is None else Verdict.ILLEGAL
    assert [verdict.verdict for verdict in both.verdicts] == [expected, expected]
    assert start("0 0", answer).ended.verdicts[0] == OK


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("2 1", "placed its submarine on an island: `2 1`"),
        ("15 3", "placed its submarine off the map: `15 3`"),
        ("hi\t", "did not place its submarine by two numbers `x y`: `hi\\t`"),
    ],
)
def test_what_is_said_about_a_bad_placement(answer: str, message: str) -> None:
    assert start("0 0", answer).ended.verdicts == (OK, SeatVerdict(Verdict.ILLEGAL, message))


def test_the_start_cell_counts_as_visited() -> None:
    assert start("5 12", "12 13", "MOVE N", "MOVE N", "MOVE S").ended.scores == (-1, 6)


# Sections 1 and 6: leagues and the input of a turn


@pytest.mark.parametrize(
    ("level", "charges"), [(1, "3 -1 -1 -1"), (2, "3 4 6 -1"), (3, "3 4 6 3"), (4, "3 4 6 3"), (7, "3 4 6 3")]
)
def test_the_first_input(level: int, charges: str) -> None:
    """Position, lives, missing charges; no sonar answer, no orders heard."""
    assert start("5 12", "12 13", level=level).lines == (f"5 12 6 6 {charges}", "NA", "NA")


@pytest.mark.parametrize("order", ["SONAR 1", "SILENCE N 0", "MINE N", "TRIGGER 1 1", "MOVE N SONAR", "MOVE N MINE"])
def test_leagues_know_the_orders_that_they_have(order: str) -> None:
    """An order or a power of a higher league loses, even uncharged, when a known one would be dropped."""
    first_level = 2 if "SONAR" in order or "SILENCE" in order else 3
    for level in (1, 2, 3, 4):
        assert (heard(order, level=level) == LOSES) == (level < first_level)


def test_the_input_shows_both_lives_and_what_is_missing() -> None:
    """Own values first, charges in the order torpedo, sonar, silence, mine."""
    played = play(
        "MOVE N SONAR", "MOVE N SILENCE", zero=boat(charged=["TORPEDO"], lives=3), one=boat(0, 0, lives=5, level=2)
    )
    assert played.asks[0].lines == ("5 12 3 5 0 4 6 3", "NA", "NA")
    assert played.asks[1].lines == ("0 0 5 3 3 4 6 -1", "NA", "MOVE N")


@pytest.mark.parametrize(("sector", "answer"), [(9, "Y"), (8, "N")])
def test_a_sonar_is_answered_once_in_the_next_own_turn(sector: int, answer: str) -> None:
    """The answer is from the moment of the order: the opponent has left the sector since."""
    played = play(f"SONAR {sector}", "MOVE W", "MOVE N", "MOVE N", zero=boat(charged=["SONAR"]), one=boat(10, 13))
    assert [ask.lines[1] for ask in played.asks] == ["NA", "NA", answer, "NA", "NA"]


def test_a_turn_is_heard_once() -> None:
    """All that was executed, in plain numbers, joined by pipes without blanks; the next turn starts afresh."""
    line = "MSG hello|SILENCE S 1|MINE W| TORPEDO +5 010 |MOVE E TORPEDO|SONAR 0003|TRIGGER 0 00|MSG bye"
    played = play(line, "MOVE N", "MOVE N", zero=boat(charged=ALL_POWERS, mines=[(0, 0)]))
    assert played.asks[1].lines[2] == "SILENCE|MINE|TORPEDO 5 10|MOVE E|SONAR 3|TRIGGER 0 0"
    assert played.asks[2].lines == ("6 13 6 6 2 4 6 3", "N", "MOVE N")
    assert played.asks[3].lines[2] == "MOVE N"


# Section 7: reading a line


@pytest.mark.parametrize("code", range(0x21))
def test_low_characters_are_removed_around_an_order(code: int) -> None:
    blank = chr(code)
    line = f"{blank}MSG{blank}|{blank * 2}MOVE N{blank}|{blank}|{blank}SURFACE{blank}"
    assert heard(line) == "MOVE N|SURFACE 8"


@pytest.mark.parametrize("character", ["\x7f", "\x85", "\xa0", "\u2028", "\u2029", "\u3000", "\ufeff", "\u200b"])
def test_no_other_white_space_is_removed(character: str) -> None:
    """It becomes part of the order, which nobody knows then."""
    assert heard(f"{character}MOVE N") == LOSES
    assert heard(f"MOVE N{character}") == LOSES
    assert heard(f"MOVE N TORPEDO{character}") == LOSES
    assert heard(f"MSG {character}|MOVE N") == "MOVE N"


@pytest.mark.parametrize(
    "line", ["", " ", "\t", "|", "|||| |\x00|", "MSG", "MSG|", "MSG hi", "MSG a|MSG b| MSG", "MSG \U0001f6a2 MOVE N"]
)
def test_a_line_without_orders_surfaces(line: str) -> None:
    assert play(line).lines == ("12 13 6 5 3 4 6 3", "NA", "SURFACE 8")


@pytest.mark.parametrize(
    "line",
    [
        *("FOO", "move N", "Move N", "MSGhi", "msg hi", "MSG\thi", "MSG a|b", "MOVE\tN", "MOVE,N", "MOVE;N"),
        "SURFACE5",
        *("MOVE N;SURFACE", "\uff2d\uff2f\uff36\uff25 N", "5 12", "NA", "-", "MOVE N|FOO", "SURFACE|MSGhi", "WAIT"),
    ],
)
def test_unknown_orders_lose(line: str) -> None:
    """Names end at the first blank, capitals only, and an order that nobody knows loses."""
    assert heard(line) == LOSES


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("MOVE N|MOVE S", "MOVE"),
        ("FOO|FOO", "FOO"),
        ("MOVE N|MSG|FOO 1|MSG|FOO 2", "FOO"),
        ("TORPEDO 1 1|TORPEDO 2 2", "TORPEDO"),
        ("TRIGGER 1 1|TRIGGER 2 2", "TRIGGER"),
        ("SURFACE|MOVE N|SURFACE 3", "SURFACE"),
        ("SILENCE N 0| SILENCE S 0", "SILENCE"),
        ("foo|MOVE N|MOVE", "MOVE"),
    ],
)
def test_a_repeated_name_loses_before_anything_happens(line: str, name: str) -> None:
    message = f"gave `{name}` twice in one line: `{line}`"
    assert play(line).ended.verdicts[0] == SeatVerdict(Verdict.ILLEGAL, message)


def test_a_repetition_is_found_before_a_torpedo_is_fired_and_names_that_differ_in_case_are_none() -> None:
    """Though the torpedo stands in a completed frame of its own otherwise."""
    zero, one = boat(charged=["TORPEDO"]), boat(8, 12)
    assert play("TORPEDO 8 12|SURFACE|MSG|SURFACE", zero=zero, one=one).ended.scores == (-1, 6)
    assert play("MOVE N|move S").ended.verdicts[0].message == "named the unknown order `move`: `move S`"


def test_every_order_sees_what_the_orders_before_it_did() -> None:
    assert heard("MOVE E|TORPEDO 10 12", boat(charged=["TORPEDO"])) == "MOVE E|TORPEDO 10 12"
    assert heard("TORPEDO 10 12|MOVE E", boat(charged=["TORPEDO"])) == "MOVE E"


LEVELS = st.integers(1, 4)

# Words of the game in any order, so that lines get past the first checks.
NAMES = ["MOVE", "SURFACE", "TORPEDO", "SONAR", "SILENCE", "MINE", "TRIGGER", "MSG", "move", "FOO", ""]
WORDS = ["N", "S", "W", "E", "n", "TORPEDO", "SONAR", "SILENCE", "MINE", "0", "1", "4", "9", "-1", "15", "", "\t", "x"]
ORDERS = st.builds(
    lambda name, words: " ".join([name, *words]), st.sampled_from(NAMES), st.lists(st.sampled_from(WORDS))
)
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


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("14", 14),
        ("007", 7),
        ("+3", 3),
        ("-3", -3),
        ("-0", 0),
        ("+0", 0),
        ("000", 0),
        ("2147483647", 2147483647),
        ("-2147483648", -2147483648),
        ("\u0663", 3),  # Arabic-Indic
        ("-\uff11\u0662", -12),  # full-width 1, Arabic-Indic 2
        ("0" * 9000 + "5", 5),
        ("\u0660" * 9000 + "5", 5),
    ],
)
def test_integers(text: str, value: int) -> None:
    """A sign, digits of any script, leading zeros."""
    assert integer(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", "+", "-", "+-3", "--3", "3-", "3+", " 3", "3 ", "1 2", "\t3", "3\n", "a", "3a", "0x1", "1e2", "1.0"),
        "1_0",
        *("2147483648", "-2147483649", "9" * 9000),
        "\u2212" + "3",  # a minus sign that is not the ASCII one
        "\u00b2",  # a superscript is not a decimal digit
        "\u2163",  # nor is a Roman numeral
        "\U0001d7cf",  # a digit outside the basic multilingual plane
        "1\U0001d7cf",
    ],
)
def test_what_is_no_integer(text: str) -> None:
    """None, whatever Python thinks of it."""
    assert integer(text) is None


def test_the_digits_are_those_of_category_nd_in_the_first_plane() -> None:
    for code in range(0x110000):
        is_digit = code <= 0xFFFF and unicodedata.category(chr(code)) == "Nd"
        assert (integer(chr(code)) is not None) == is_digit


@given(st.integers(-(1 << 33), 1 << 33), st.booleans(), st.integers(0, 12))
def test_integers_read_back_within_32_bits(value: int, plus: bool, zeros: int) -> None:
    sign = "-" if value < 0 else "+" if plus else ""
    expected = value if -(1 << 31) <= value < 1 << 31 else None
    assert integer(f"{sign}{'0' * zeros}{abs(value)}") == expected
