"""The rules of Ocean of Code, order by order, played through the referee on the map of seed 0.

0  ...............      5  .......xx......      10  ...............
1  ..xx...........      6  ...............      11  ...............
2  ..xx...........      7  .....xxx.......      12  ...............
3  .............xx      8  .....xxx.......      13  ...............
4  .......xx....xx      9  .....xxx.......      14  ...............
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from engine.conversation import NO_ANSWER, OK, Ask, Outcome, Referee, SeatVerdict, Verdict
from engine.games.ocean_of_code.board import cell_at, draw_board
from engine.games.ocean_of_code.orders import orders_of, starting_charge
from engine.games.ocean_of_code.referee import hunt, referee
from engine.games.ocean_of_code.submarine import Submarine

SEA = draw_board(0)
LOSES = "(loses)"
ALL_POWERS = ("TORPEDO", "SONAR", "SILENCE", "MINE")


def boat(
    x: int = 5,
    y: int = 12,
    charged: Iterable[str] = (),
    *,
    lives: int = 6,
    visited: Iterable[tuple[int, int]] = (),
    mines: Iterable[tuple[int, int]] = (),
    level: int = 3,
) -> Submarine:
    """A submarine in the middle of a game. `mines` have been there since an earlier turn."""
    submarine = Submarine(SEA, cell_at(x, y), starting_charge(level), lives)
    submarine.visited.update(cell_at(*place) for place in visited)
    submarine.mines.update(cell_at(*place) for place in mines)
    submarine.missing.update(dict.fromkeys(charged, 0))
    return submarine


@dataclass
class Played:
    """What a conversation came to: all questions so far, and the outcome if it has ended."""

    asks: list[Ask]
    outcome: Outcome | None

    @property
    def ended(self) -> Outcome:
        """The outcome of a game that has ended."""
        assert self.outcome is not None, self.asks[-1]
        return self.outcome

    @property
    def lines(self) -> tuple[str, ...]:
        """The question that is open."""
        assert self.outcome is None, self.outcome
        return self.asks[-1].lines


def converse(conversation: Referee, answers: Iterable[str | None]) -> Played:
    """Give the answers, one after another, until they or the game are at an end."""
    asks: list[Ask] = []
    try:
        asks.append(next(conversation))
        for answer in answers:
            asks.append(conversation.send(answer))  # noqa: PERF401 - the game may end in the middle
    except StopIteration as stop:
        return Played(asks, stop.value)
    return Played(asks, None)


def play(*lines: str | None, zero: Submarine | None = None, one: Submarine | None = None, level: int = 3) -> Played:
    """Play turns from a given position; player 0 says the first line, player 1 the second, and so on."""
    zero = zero or boat(level=level)
    one = one or boat(12, 13, level=level)
    return converse(hunt(zero, one, orders_of(level)), lines)


def heard(line: str, zero: Submarine | None = None, one: Submarine | None = None, level: int = 3) -> str:
    """What player 1 hears of one line of player 0, or LOSES."""
    played = play(line, zero=zero, one=one, level=level)
    if played.outcome is None:
        return played.lines[2]
    assert played.outcome.verdicts[0].verdict == Verdict.ILLEGAL
    return LOSES


# Section 4: the start


def start(*answers: str | None, seed: int = 0, level: int = 3) -> Played:
    """Play from the placement."""
    return converse(referee(seed, level), answers)


def test_both_players_are_sent_the_map_and_their_number() -> None:
    """Sixteen lines, one second; player 1 hears nothing of the answer of player 0."""
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
        *(
            "+5 5",
            "-5 5",
            "5 -0",
            "005 5",
            "5 100",
            "5.0 5",
            "5 5|MSG",
            "\u0665 5",
            "\uff15 5",
            "15 0",
            "0 15",
            "99 99",
        ),
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
    """A sentence with the answer in it."""
    assert start("0 0", answer).ended.verdicts == (OK, SeatVerdict(Verdict.ILLEGAL, message))


def test_the_start_cell_counts_as_visited() -> None:
    """Two steps, there and back, lose."""
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
    """The blank and all controls below it, at both ends of each order."""
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
    """Shown like a surfacing by order, and paid for."""
    played = play(line)
    assert played.lines == ("12 13 6 5 3 4 6 3", "NA", "SURFACE 8")


@pytest.mark.parametrize(
    "line",
    [
        *(
            "FOO",
            "move N",
            "Move N",
            "MSGhi",
            "msg hi",
            "MSG\thi",
            "MSG a|b",
            "MOVE\tN",
            "MOVE,N",
            "MOVE;N",
            "SURFACE5",
        ),
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
    """Whether known or not, executable or not; the whole line is quoted."""
    message = f"gave `{name}` twice in one line on turn 1: `{line}`"
    assert play(line).ended.verdicts[0] == SeatVerdict(Verdict.ILLEGAL, message)


def test_a_repetition_is_found_before_a_torpedo_is_fired() -> None:
    """Though the torpedo stands in a completed frame of its own otherwise."""
    zero, one = boat(charged=["TORPEDO"]), boat(8, 12)
    assert play("TORPEDO 8 12|SURFACE|MSG|SURFACE", zero=zero, one=one).ended.scores == (-1, 6)


def test_names_that_differ_in_case_are_no_repetition() -> None:
    """They lose one order later."""
    assert play("MOVE N|move S").ended.verdicts[0].message == "named the unknown order `move` on turn 1: `move S`"


def test_every_order_sees_what_the_orders_before_it_did() -> None:
    """The reach of a torpedo counts from where a move has led."""
    assert heard("MOVE E|TORPEDO 10 12", boat(charged=["TORPEDO"])) == "MOVE E|TORPEDO 10 12"
    assert heard("TORPEDO 10 12|MOVE E", boat(charged=["TORPEDO"])) == "MOVE E"


# Section 8: orders


@pytest.mark.parametrize("direction", "NSWE")
@pytest.mark.parametrize("power", ["", *ALL_POWERS])
def test_moves(direction: str, power: str) -> None:
    """One step and one unit of charge, which nobody hears of."""
    played = play(f"MOVE {direction} {power}", "SURFACE")
    assert played.asks[1].lines[2] == f"MOVE {direction}"
    x, y = {"N": (5, 11), "S": (5, 13), "W": (4, 12), "E": (6, 12)}[direction]
    missing = [full - (name == power) for name, full in zip(ALL_POWERS, (3, 4, 6, 3), strict=True)]
    assert played.lines[0] == f"{x} {y} 6 5 {' '.join(map(str, missing))}"


def test_a_full_power_stays_full() -> None:
    """A unit too many is lost."""
    assert play("MOVE N MINE", "SURFACE", zero=boat(charged=["MINE"])).lines[0] == "5 11 6 5 3 4 6 0"


@pytest.mark.parametrize(
    "line",
    [
        *("MOVE", "MOVE X", "MOVE n", "MOVE NN", "MOVE north", "MOVE  N", "MOVE N  TORPEDO", "MOVE N TORPEDO SONAR"),
        *("MOVE N torpedo", "MOVE n TORPEDO", "move n torpedo", "MOVE N TORPEDOES", "MOVE N MOVE", "MOVE N MSG hi"),
        *("MOVE N\tTORPEDO", "MOVE\tN", "MOVE\tN TORPEDO", "MOVE N TRIGGER", "MOVE N,TORPEDO", "MOVE N MSG", "MOVE 1"),
    ],
)
def test_moves_that_lose_by_their_form(line: str) -> None:
    """A wrong direction, power or number of arguments; two blanks make an empty argument."""
    assert heard(line) == LOSES


def test_blanks_around_a_power_are_removed() -> None:
    """A tab after the blank is no argument of its own."""
    assert play("MOVE N \t\x01TORPEDO", "SURFACE").lines[0] == "5 11 6 5 2 4 6 3"


@pytest.mark.parametrize(
    ("x", "y", "direction", "message"),
    [
        (0, 0, "N", "moved off the map"),
        (0, 0, "W", "moved off the map"),
        (14, 14, "S", "moved off the map"),
        (14, 14, "E", "moved off the map"),
        (0, 7, "W", "moved off the map"),
        (14, 7, "E", "moved off the map"),
        (2, 3, "N", "moved onto an island"),
        (12, 3, "E", "moved onto an island"),
        (5, 12, "N", "visited (5, 11) twice without surfacing"),
    ],
)
def test_steps_that_lose(x: int, y: int, direction: str, message: str) -> None:
    """Off the map, onto land, onto a visited cell; by a move or in silence."""
    for order in (f"MOVE {direction} TORPEDO", f"SILENCE {direction} 1"):
        played = play(order, zero=boat(x, y, ["SILENCE"], visited=[(5, 11)]))
        assert played.ended.verdicts[0].message == f"{message} on turn 1: `{order}`"


@pytest.mark.parametrize("line", ["SURFACE", "SURFACE 5", "SURFACE  a b c", "SURFACE \u00a0", "SURFACE MOVE N"])
def test_surfacing_takes_any_arguments(line: str) -> None:
    """They are not shown: the sector is the real one."""
    assert heard(line) == "SURFACE 8"


@pytest.mark.parametrize(("x", "y", "sector"), [(0, 0, 1), (14, 0, 3), (5, 5, 5), (9, 6, 5), (4, 14, 7), (14, 10, 9)])
def test_surfacing_tells_the_sector(x: int, y: int, sector: int) -> None:
    """1 to 9, by rows."""
    assert heard("SURFACE", boat(x, y)) == f"SURFACE {sector}"


def test_surfacing_forgets_the_path_but_for_the_own_cell() -> None:
    """A visited cell is free afterwards; the cell where it surfaced is not."""
    assert heard("SURFACE|MOVE N", boat(visited=[(5, 11)])) == "SURFACE 8|MOVE N"
    assert heard("MOVE N|SURFACE", boat(visited=[(5, 11)])) == LOSES
    assert play("SURFACE|MOVE N", "SURFACE", "MOVE S").ended.verdicts[0].verdict == Verdict.ILLEGAL


DROPPED = "SURFACE 8"  # what is heard if the only order of a line at (5, 12) is dropped


@pytest.mark.parametrize(
    "order",
    [
        *(
            "TORPEDO 5 12",
            "TORPEDO",
            "TORPEDO a b",
            "TORPEDO 1",
            "SONAR",
            "SONAR 10",
            "SONAR x",
            "SILENCE",
            "SILENCE X 9",
        ),
        *("MINE", "MINE X", "MINE N N N", "TRIGGER 5 12", "TRIGGER 0 0", "TRIGGER 99 -99", "TRIGGER -2147483648 +1"),
    ],
)
def test_orders_without_charge_or_mine_are_dropped(order: str) -> None:
    """Their arguments are not looked at, but those of TRIGGER, which needs no charge."""
    assert heard(order) == DROPPED
    assert heard(f"{order}|MOVE N") == "MOVE N"
    assert heard(f"MOVE N TORPEDO|{order}") == "MOVE N"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("TORPEDO 5 12", "TORPEDO 5 12"),
        ("TORPEDO 9 12", "TORPEDO 9 12"),
        ("TORPEDO 7 10", "TORPEDO 7 10"),
        ("TORPEDO 007 +10", "TORPEDO 7 10"),
        ("TORPEDO \u0667 \uff11\uff10", "TORPEDO 7 10"),
        ("TORPEDO 10 12", DROPPED),
        ("TORPEDO 8 10", DROPPED),
        ("TORPEDO 5 9", DROPPED),
        ("TORPEDO 5 15", DROPPED),
        ("TORPEDO -1 12", DROPPED),
        ("TORPEDO 2147483647 -2147483648", DROPPED),
        ("TORPEDO 2147483648 0", LOSES),
        ("TORPEDO", LOSES),
        ("TORPEDO 5", LOSES),
        ("TORPEDO 5 12 1", LOSES),
        ("TORPEDO  5 12", LOSES),
        ("TORPEDO 5  12", LOSES),
        ("TORPEDO 5\t12", LOSES),
        ("TORPEDO 5 \t12", LOSES),
        ("TORPEDO 5,12", LOSES),
        ("TORPEDO a b", LOSES),
        ("TORPEDO 5.0 12", LOSES),
        ("TORPEDO 1_0 12", LOSES),
        ("TORPEDO 0x5 12", LOSES),
        ("TORPEDO \U0001d7cf 12", LOSES),
    ],
)
def test_torpedoes(order: str, expected: str) -> None:
    """Four cells over water; land and far targets are dropped, a wrong form loses."""
    assert heard(order, boat(charged=["TORPEDO"])) == expected


def test_land_is_in_the_way_of_a_torpedo() -> None:
    """Three columns apart but five steps around the island; the own path is not in the way."""
    assert heard("TORPEDO 9 4", boat(6, 4, ["TORPEDO"])) == "SURFACE 2"
    assert heard("TORPEDO 7 3", boat(6, 4, ["TORPEDO"], visited=[(6, 3), (7, 3)])) == "TORPEDO 7 3"
    assert heard("TORPEDO 2 3", boat(1, 1, ["TORPEDO"], visited=[(1, 2)])) == "TORPEDO 2 3"


def test_a_torpedo_uses_its_charge() -> None:
    """A dropped one does not."""
    assert play("TORPEDO 5 14", "SURFACE", zero=boat(charged=["TORPEDO"])).lines[0] == "5 12 6 5 3 4 6 3"
    assert play("TORPEDO 14 0", "SURFACE", zero=boat(charged=["TORPEDO"])).lines[0] == "5 12 5 5 0 4 6 3"


@pytest.mark.parametrize(
    ("target", "own", "others"),
    [("5 12", 4, 5), ("6 12", 5, 4), ("6 11", 5, 5), ("7 13", 6, 5), ("5 14", 6, 6), ("4 13", 5, 6)],
)
def test_explosions(target: str, own: int, others: int) -> None:
    """Two lives in the middle, one around it, for both submarines: here at (5, 12) and (6, 12)."""
    played = play(f"TORPEDO {target}", zero=boat(charged=["TORPEDO"]), one=boat(6, 12))
    assert played.lines[0].startswith(f"6 12 {others} {own} ")
    x, y = map(int, target.split())
    mined = boat(mines=[(x, y)])
    assert play(f"TRIGGER {target}", zero=mined, one=boat(6, 12)).lines[0].startswith(f"6 12 {others} {own} ")


def test_land_does_not_shield_from_an_explosion() -> None:
    """(2, 3) and (4, 2) with the island between them: a torpedo at (3, 3) hurts both."""
    played = play("TORPEDO 3 3", zero=boat(2, 3, ["TORPEDO"]), one=boat(4, 2))
    assert played.lines[0].startswith("4 2 5 5 ")


def test_mines_do_not_go_off_by_themselves() -> None:
    """Neither by an explosion on them nor by a submarine, of whichever player."""
    zero, one = boat(charged=["TORPEDO"], mines=[(5, 10)]), boat(5, 11, mines=[(5, 10)])
    played = play("TORPEDO 5 10", "MOVE N", "TRIGGER 5 10", "TRIGGER 5 10", zero=zero, one=one)
    assert played.asks[1].lines[0].startswith("5 11 5 6 ")
    assert played.asks[3].lines[0].startswith("5 10 3 6 ")
    assert played.asks[4].lines == ("5 12 6 1 3 4 6 3", "NA", "TRIGGER 5 10")


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("SONAR 1", "SONAR 1"),
        ("SONAR 9", "SONAR 9"),
        ("SONAR +05", "SONAR 5"),
        ("SONAR \u0665", "SONAR 5"),
        ("SONAR", LOSES),
        ("SONAR 0", LOSES),
        ("SONAR 10", LOSES),
        ("SONAR -5", LOSES),
        ("SONAR  5", LOSES),
        ("SONAR 5 6", LOSES),
        ("SONAR five", LOSES),
    ],
)
def test_sonars(order: str, expected: str) -> None:
    """One sector from 1 to 9."""
    assert heard(order, boat(charged=["SONAR"])) == expected


def test_a_sonar_uses_its_charge() -> None:
    """Four units are missing again."""
    assert play("SONAR 1", "SURFACE", zero=boat(charged=ALL_POWERS)).lines[0] == "5 12 6 5 0 4 0 0"


@pytest.mark.parametrize(
    ("order", "place"),
    [
        ("SILENCE N 0", "5 12"),
        ("SILENCE E -0", "5 12"),
        ("SILENCE W 000", "5 12"),
        ("SILENCE N 2", "5 10"),
        ("SILENCE S +1", "5 13"),
        ("SILENCE W 4", "1 12"),
        ("SILENCE E \u0664", "9 12"),
        ("SILENCE", LOSES),
        ("SILENCE N", LOSES),
        ("SILENCE N 1 TORPEDO", LOSES),
        ("SILENCE  N 1", LOSES),
        ("SILENCE n 1", LOSES),
        ("SILENCE X 0", LOSES),
        ("SILENCE 0 N", LOSES),
        ("SILENCE N -1", LOSES),
        ("SILENCE N 5", LOSES),
        ("SILENCE N x", LOSES),
        ("SILENCE N 3", LOSES),
        ("SILENCE S 3", LOSES),
    ],
)
def test_silence(order: str, place: str) -> None:
    """Up to four steps that only say SILENCE, none of them onto land, off the map or onto the own path."""
    if place == LOSES:
        assert heard(order, boat(charged=["SILENCE"])) == LOSES
    else:
        played = play(order, "SURFACE", zero=boat(charged=["SILENCE"]))
        assert played.asks[1].lines[2] == "SILENCE"
        assert played.lines[0] == f"{place} 6 5 3 4 6 3"


def test_silence_visits_every_cell_on_its_way() -> None:
    """Stepping aside and back loses, and so does a visited cell in the middle of the way."""
    assert heard("SILENCE W 2|MOVE E", boat(charged=["SILENCE"])) == LOSES
    assert heard("SILENCE W 3", boat(charged=["SILENCE"], visited=[(3, 12)])) == LOSES
    assert heard("SILENCE W 1|MOVE N", boat(charged=["SILENCE"], visited=[(3, 12)])) == "SILENCE|MOVE N"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("MINE N", "MINE"),
        ("MINE S", "MINE"),
        ("MINE E", DROPPED),
        ("MINE", LOSES),
        ("MINE X", LOSES),
        ("MINE n", LOSES),
        ("MINE  N", LOSES),
        ("MINE N N", LOSES),
        ("MINE N 1", LOSES),
        ("MINE 5 11", LOSES),
    ],
)
def test_mines(order: str, expected: str) -> None:
    """Next to the submarine, visited or not, but not where an own one lies already: here to the east."""
    one = boat(5, 11, mines=[(5, 13)])
    assert heard(order, boat(charged=["MINE"], mines=[(6, 12)], visited=[(5, 11)]), one) == expected


@pytest.mark.parametrize(("x", "y", "direction"), [(0, 0, "N"), (0, 0, "W"), (14, 14, "S"), (14, 14, "E"), (1, 1, "E")])
def test_mines_on_land_or_off_the_map_are_dropped(x: int, y: int, direction: str) -> None:
    """The charge stays."""
    played = play(f"MINE {direction}", "SURFACE", zero=boat(x, y, ["MINE"]))
    assert played.lines[0] == f"{x} {y} 5 5 3 4 6 0"


def test_a_mine_uses_its_charge_and_can_be_triggered_from_the_next_turn_on() -> None:
    """In the turn of its laying a TRIGGER is dropped."""
    played = play("MINE N|TRIGGER 5 11", "MOVE N", "MOVE S|TRIGGER 5 11", "MOVE N", zero=boat(charged=["MINE"]))
    assert played.asks[1].lines[2] == "MINE"
    assert played.asks[2].lines[0] == "5 12 6 6 3 4 6 3"
    assert played.asks[3].lines[2] == "MOVE S|TRIGGER 5 11"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("TRIGGER 0 0", "TRIGGER 0 0"),
        ("TRIGGER +00 -0", "TRIGGER 0 0"),
        ("TRIGGER 14 14", DROPPED),
        ("TRIGGER", LOSES),
        ("TRIGGER 0", LOSES),
        ("TRIGGER 0 0 0", LOSES),
        ("TRIGGER  0 0", LOSES),
        ("TRIGGER a b", LOSES),
        ("TRIGGER 0 4294967296", LOSES),
    ],
)
def test_triggers(order: str, expected: str) -> None:
    """At any distance, but only own mines: the one at (0, 0) is, the one at (14, 14) is not."""
    assert heard(order, boat(mines=[(0, 0)]), boat(12, 13, mines=[(14, 14)])) == expected


def test_a_triggered_mine_is_gone() -> None:
    """A second TRIGGER is dropped, and its cell is free for another mine at once."""
    played = play(
        "TRIGGER 6 12|MINE E", "SURFACE", "TRIGGER 6 12", "SURFACE", zero=boat(charged=["MINE"], mines=[(6, 12)])
    )
    assert played.asks[1].lines[2] == "TRIGGER 6 12|MINE"
    assert played.asks[3].lines[2] == "TRIGGER 6 12"
    assert heard("TRIGGER 6 12", boat(mines=[(6, 11)])) == DROPPED


# Sections 5 and 9: the end and the scores


def hit(line: str, *, lives: int = 4, other_lives: int = 3) -> Outcome:
    """Play a line with a torpedo that can hit player 1 at (8, 12) for two lives, to the end."""
    return play(line, zero=boat(charged=["TORPEDO"], lives=lives), one=boat(8, 12, lives=other_lives)).ended


@pytest.mark.parametrize(
    ("line", "scores"),
    [
        ("TORPEDO 8 12|FOO", (-1, 3)),
        ("TORPEDO 8 12|MSG|MOVE X", (-1, 3)),
        ("TORPEDO 8 12|SURFACE|FOO", (-1, 1)),
        ("TORPEDO 8 12|MOVE X", (-1, 3)),
        ("TORPEDO 8 12|SURFACE|MOVE N|FOO", (-1, 1)),
        ("FOO|TORPEDO 8 12", (-1, 3)),
    ],
)
def test_damage_of_the_frame_that_ends_in_a_loss_does_not_count(line: str, scores: tuple[int, int]) -> None:
    """The opponent keeps the score of the last completed frame."""
    outcome = hit(line)
    assert (outcome.scores, outcome.reason, outcome.winner) == (scores, "disabled", 1)
    assert (outcome.verdicts[0].verdict, outcome.verdicts[1]) == (Verdict.ILLEGAL, OK)


def test_damage_of_an_illegal_step_two_frames_later_counts() -> None:
    """The step is found when it is carried out, in a frame of its own, not in the look-ahead."""
    outcome = play("TORPEDO 8 12|MOVE N", zero=boat(charged=["TORPEDO"], visited=[(5, 11)]), one=boat(8, 12)).ended
    assert outcome.scores == (-1, 4)


def test_a_kill_ends_the_game_before_the_rest_of_the_line() -> None:
    """But the look-ahead of the same frame still finds what is wrong with the next order."""
    assert hit("TORPEDO 8 12|SURFACE|FOO", other_lives=2) == Outcome((4, 0), "dead", (OK, OK))
    assert hit("TORPEDO 8 12|SURFACE", other_lives=1).scores == (4, 0)
    assert hit("TORPEDO 8 12|FOO", other_lives=2).scores == (-1, 2)
    assert hit("TORPEDO 8 12|MOVE E|MOVE", other_lives=2).scores == (-1, 2)


def test_the_victim_does_not_play_again() -> None:
    """Nobody is asked after a kill."""
    played = play("MOVE N", "TORPEDO 8 12", zero=boat(8, 13, lives=2), one=boat(5, 12, ["TORPEDO"]))
    assert len(played.asks) == 2
    played = play("MOVE W", "TORPEDO 8 12", zero=boat(9, 12, lives=2), one=boat(5, 12, ["TORPEDO"]))
    assert (len(played.asks), played.ended.scores, played.ended.winner) == (2, (0, 6), 1)


def test_one_explosion_may_kill_both() -> None:
    """Nobody wins, and lives never go below zero."""
    outcome = play("TORPEDO 5 12", zero=boat(charged=["TORPEDO"], lives=1), one=boat(6, 12, lives=1)).ended
    assert (outcome.scores, outcome.winner, outcome.reason) == ((0, 0), None, "dead")


def test_the_last_life_can_be_lost_by_oneself() -> None:
    """An ordinary death, by order or by force."""
    for line in ("SURFACE", "", "SURFACE|MOVE N"):
        outcome = play(line, zero=boat(lives=1), one=boat(0, 0, lives=4)).ended
        assert outcome == Outcome((0, 4), "dead", (OK, OK))


def test_no_answer_loses() -> None:
    """For either seat, with the scores of the last completed frame."""
    assert play(None).ended == Outcome((-1, 6), "disabled", (NO_ANSWER, OK))
    assert play("SURFACE", None).ended == Outcome((5, -1), "disabled", (OK, NO_ANSWER))


def test_a_game_has_598_turns() -> None:
    """299 for each player; equal lives are a draw, more lives win."""
    played = play(*[""] * 1000, zero=boat(lives=500), one=boat(0, 0, lives=500))
    assert played.ended == Outcome((201, 201), "turn_limit", (OK, OK))
    assert [ask.seat for ask in played.asks] == [0, 1] * 299
    assert play(*[""] * 1000, zero=boat(lives=500), one=boat(0, 0, lives=501)).ended.winner == 1


def test_the_last_turn_may_kill() -> None:
    """Then death is the reason of the end, not the limit."""
    played = play(*[""] * 1000, zero=boat(lives=300), one=boat(0, 0, lives=299))
    assert (len(played.asks), played.ended) == (598, Outcome((1, 0), "dead", (OK, OK)))


# Two executed orders a line, and two that are free.
TO_AND_FRO = ["MOVE N|TORPEDO 1 1|SURFACE"] * 2 + ["MSG|MOVE S|SURFACE"] * 2


def test_a_game_has_999_executed_orders() -> None:
    """With two orders in each line the first of turn 500 is the last one, and what waits behind it is not played."""
    played = play(*TO_AND_FRO * 150, zero=boat(lives=500), one=boat(12, 13, lives=500))
    assert len(played.asks) == 500
    assert played.ended == Outcome((250, 251), "frame_limit", (OK, OK))


def test_the_last_frame_has_a_look_ahead_too() -> None:
    """So an unknown order behind the last executed one loses."""
    lines = [*TO_AND_FRO * 124, *TO_AND_FRO[:3], "MOVE S|FOO"]
    outcome = play(*lines, zero=boat(lives=500), one=boat(12, 13, lives=500)).ended
    assert (outcome.scores, outcome.reason) == ((250, -1), "disabled")


def test_the_last_frame_ends_by_the_limit_even_with_a_kill() -> None:
    """Frame 1000 is the last, whatever happens in it."""
    lines = [*TO_AND_FRO * 124, *TO_AND_FRO[:3], "SURFACE"]
    outcome = play(*lines, zero=boat(lives=500), one=boat(12, 13, lives=250)).ended
    assert outcome == Outcome((250, 0), "frame_limit", (OK, OK))


# Messages


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("FOO 1", "named the unknown order `FOO` on turn 1: `FOO 1`"),
        ("MOVE N|MINE E", "named the order `MINE` of a higher league on turn 1: `MINE E`"),
        ("MOVE N MINE", "named the power `MINE` of a higher league on turn 1: `MOVE N MINE`"),
        ("MOVE N GUN", "named the unknown power `GUN` on turn 1: `MOVE N GUN`"),
        ("MOVE", "named no direction (N, S, W or E) on turn 1: `MOVE`"),
        ("MOVE N SONAR X", "wrote 3 arguments where at most 2 can stand on turn 1: `MOVE N SONAR X`"),
        ("SILENCE N 5", "named no direction with a distance from 0 to 4 on turn 1: `SILENCE N 5`"),
        ("SONAR", "named no sector from 1 to 9 on turn 1: `SONAR`"),
        ("TORPEDO a b", "named no target of two integers on turn 1: `TORPEDO a b`"),
        (
            "\x00X\ud800" + "y" * 99,
            "named the unknown order `X\\ud800" + "y" * 70 + "...` on turn 1: `X\\ud800" + "y" * 70 + "...`",
        ),
    ],
)
def test_what_is_said_about_an_illegal_order(line: str, message: str) -> None:
    """What was wrong, the turn, the order."""
    outcome = play(line, zero=boat(charged=("TORPEDO", "SONAR", "SILENCE"), level=2), level=2).ended
    assert outcome.verdicts[0] == SeatVerdict(Verdict.ILLEGAL, message)


def test_turns_of_both_players_are_counted_together() -> None:
    """Player 0 plays turn 1, player 1 turn 2, and so on."""
    assert play("MOVE N", "MOVE N", "MOVE N", "MOVE S").ended.verdicts == (
        OK,
        SeatVerdict(Verdict.ILLEGAL, "visited (12, 13) twice without surfacing on turn 4: `MOVE S`"),
    )


# Section 12: the worked examples


def nearly_charged() -> Submarine:
    """One unit is missing for the torpedo."""
    submarine = boat()
    submarine.missing["TORPEDO"] = 1
    return submarine


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("TORPEDO 5 13|MOVE N TORPEDO", "MOVE N"),
        ("MOVE N TORPEDO|TORPEDO 5 13", "MOVE N|TORPEDO 5 13"),
        ("TORPEDO a b", "SURFACE 8"),
        ("MOVE N TORPEDO|TORPEDO a b", LOSES),
    ],
)
def test_a_torpedo_charged_by_the_move_before_it(line: str, expected: str) -> None:
    """The order of the orders decides."""
    assert heard(line, nearly_charged()) == expected


def test_a_mine_triggered_in_the_turn_of_its_laying() -> None:
    """The TRIGGER is dropped."""
    assert heard("MINE E|TRIGGER 6 12", boat(charged=["MINE"])) == "MINE"


def test_a_mine_replaced() -> None:
    """Triggered and laid again, which costs the layer a life."""
    played = play("TRIGGER 6 12|MINE E|SILENCE N 0", zero=boat(charged=ALL_POWERS, mines=[(6, 12)]))
    assert played.lines == ("12 13 6 5 3 4 6 3", "NA", "TRIGGER 6 12|MINE|SILENCE")


def test_a_one_cell_pond() -> None:
    """Nothing can be done but to surface until the end; any move loses."""
    played = start("14 0", "0 0", *["", "SURFACE"] * 6, seed=23)
    assert played.ended == Outcome((0, 1), "dead", (OK, OK))
    assert {ask.lines[0][:4] for ask in played.asks[2::2]} == {"14 0"}
    for direction in "NSWE":
        assert start("14 0", "0 0", f"MOVE {direction}", seed=23).ended.scores == (-1, 6)
