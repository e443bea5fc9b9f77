"""The start of Ocean of Code, the input of a turn and how a line is read; see hunts for the map."""

import pytest

from engine.conversation import OK, Ask, SeatVerdict, Verdict
from tests.unit.ocean_of_code.hunts import ALL_POWERS, LOSES, SEA, boat, heard, play, start

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
    answers = [ask.lines[1] for ask in played.asks]
    assert answers == ["NA", "NA", answer, "NA", "NA"]


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
    played = play(line)
    assert played.lines == ("12 13 6 5 3 4 6 3", "NA", "SURFACE 8")


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


def test_a_repetition_is_found_before_a_torpedo_is_fired() -> None:
    """Though the torpedo stands in a completed frame of its own otherwise."""
    zero, one = boat(charged=["TORPEDO"]), boat(8, 12)
    assert play("TORPEDO 8 12|SURFACE|MSG|SURFACE", zero=zero, one=one).ended.scores == (-1, 6)


def test_names_that_differ_in_case_are_no_repetition() -> None:
    assert play("MOVE N|move S").ended.verdicts[0].message == "named the unknown order `move`: `move S`"


def test_every_order_sees_what_the_orders_before_it_did() -> None:
    assert heard("MOVE E|TORPEDO 10 12", boat(charged=["TORPEDO"])) == "MOVE E|TORPEDO 10 12"
    assert heard("TORPEDO 10 12|MOVE E", boat(charged=["TORPEDO"])) == "MOVE E"
