"""The orders of Ocean of Code, one by one, and the worked examples; see hunts for the map."""

import pytest

from engine.conversation import OK, Outcome, Verdict
from engine.games.ocean_of_code.submarine import Submarine
from tests.unit.ocean_of_code.hunts import ALL_POWERS, LOSES, boat, heard, play, start

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
    assert heard(line) == LOSES


def test_blanks_around_a_power_are_removed() -> None:
    """A tab after the blank is not an argument of its own."""
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
        assert played.ended.verdicts[0].message == f"{message}: `{order}`"


@pytest.mark.parametrize("line", ["SURFACE", "SURFACE 5", "SURFACE  a b c", "SURFACE \u00a0", "SURFACE MOVE N"])
def test_surfacing_takes_any_arguments(line: str) -> None:
    """They are not shown: the sector is the real one."""
    assert heard(line) == "SURFACE 8"


@pytest.mark.parametrize(("x", "y", "sector"), [(0, 0, 1), (14, 0, 3), (5, 5, 5), (9, 6, 5), (4, 14, 7), (14, 10, 9)])
def test_surfacing_reveals_the_sector(x: int, y: int, sector: int) -> None:
    """1 to 9, by rows."""
    assert heard("SURFACE", boat(x, y)) == f"SURFACE {sector}"


def test_surfacing_forgets_the_path_but_for_the_own_cell() -> None:
    assert heard("SURFACE|MOVE N", boat(visited=[(5, 11)])) == "SURFACE 8|MOVE N"
    assert heard("MOVE N|SURFACE", boat(visited=[(5, 11)])) == LOSES
    assert play("SURFACE|MOVE N", "SURFACE", "MOVE S").ended.verdicts[0].verdict == Verdict.ILLEGAL


DROPPED = "SURFACE 8"  # what is heard if the only order of a line at (5, 12) is dropped


@pytest.mark.parametrize(
    "order",
    [
        *("TORPEDO 5 12", "TORPEDO", "TORPEDO a b", "TORPEDO 1", "SONAR", "SONAR 10", "SONAR x", "SILENCE"),
        "SILENCE X 9",
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
        *((order, DROPPED) for order in ("TORPEDO 10 12", "TORPEDO 8 10", "TORPEDO 5 9", "TORPEDO 5 15")),
        *((order, DROPPED) for order in ("TORPEDO -1 12", "TORPEDO 2147483647 -2147483648")),
        *((order, LOSES) for order in ("TORPEDO 2147483648 0", "TORPEDO", "TORPEDO 5", "TORPEDO 5 12 1")),
        *((order, LOSES) for order in ("TORPEDO  5 12", "TORPEDO 5  12", "TORPEDO 5\t12", "TORPEDO 5 \t12")),
        *((order, LOSES) for order in ("TORPEDO 5,12", "TORPEDO a b", "TORPEDO 5.0 12", "TORPEDO 1_0 12")),
        *((order, LOSES) for order in ("TORPEDO 0x5 12", "TORPEDO \U0001d7cf 12")),
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
        *((order, LOSES) for order in ("SONAR", "SONAR 0", "SONAR 10", "SONAR -5", "SONAR  5", "SONAR 5 6")),
        ("SONAR five", LOSES),
    ],
)
def test_sonars(order: str, expected: str) -> None:
    """One sector from 1 to 9."""
    assert heard(order, boat(charged=["SONAR"])) == expected


def test_a_sonar_uses_its_charge() -> None:
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
        *((order, LOSES) for order in ("SILENCE", "SILENCE N", "SILENCE N 1 TORPEDO", "SILENCE  N 1", "SILENCE n 1")),
        *((order, LOSES) for order in ("SILENCE X 0", "SILENCE 0 N", "SILENCE N -1", "SILENCE N 5", "SILENCE N x")),
        *((order, LOSES) for order in ("SILENCE N 3", "SILENCE S 3")),
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
    assert heard("SILENCE W 2|MOVE E", boat(charged=["SILENCE"])) == LOSES
    assert heard("SILENCE W 3", boat(charged=["SILENCE"], visited=[(3, 12)])) == LOSES
    assert heard("SILENCE W 1|MOVE N", boat(charged=["SILENCE"], visited=[(3, 12)])) == "SILENCE|MOVE N"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("MINE N", "MINE"),
        ("MINE S", "MINE"),
        ("MINE E", DROPPED),
        *((order, LOSES) for order in ("MINE", "MINE X", "MINE n", "MINE  N", "MINE N N", "MINE N 1", "MINE 5 11")),
    ],
)
def test_mines(order: str, expected: str) -> None:
    """Next to the submarine, visited or not, but not where an own one lies already: here to the east."""
    one = boat(5, 11, mines=[(5, 13)])
    assert heard(order, boat(charged=["MINE"], mines=[(6, 12)], visited=[(5, 11)]), one) == expected


@pytest.mark.parametrize(("x", "y", "direction"), [(0, 0, "N"), (0, 0, "W"), (14, 14, "S"), (14, 14, "E"), (1, 1, "E")])
def test_mines_on_land_or_off_the_map_are_dropped(x: int, y: int, direction: str) -> None:
    played = play(f"MINE {direction}", "SURFACE", zero=boat(x, y, ["MINE"]))
    assert played.lines[0] == f"{x} {y} 5 5 3 4 6 0"


def test_a_mine_uses_its_charge_and_can_be_triggered_from_the_next_turn_on() -> None:
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
        *((order, LOSES) for order in ("TRIGGER", "TRIGGER 0", "TRIGGER 0 0 0", "TRIGGER  0 0", "TRIGGER a b")),
        ("TRIGGER 0 4294967296", LOSES),
    ],
)
def test_triggers(order: str, expected: str) -> None:
    """At any distance, but only own mines: the one at (0, 0) is, the one at (14, 14) is not."""
    assert heard(order, boat(mines=[(0, 0)]), boat(12, 13, mines=[(14, 14)])) == expected


def test_a_triggered_mine_is_gone() -> None:
    played = play(
        "TRIGGER 6 12|MINE E", "SURFACE", "TRIGGER 6 12", "SURFACE", zero=boat(charged=["MINE"], mines=[(6, 12)])
    )
    assert played.asks[1].lines[2] == "TRIGGER 6 12|MINE"
    assert played.asks[3].lines[2] == "TRIGGER 6 12"
    assert heard("TRIGGER 6 12", boat(mines=[(6, 11)])) == DROPPED


# Section 12: the worked examples


def nearly_charged() -> Submarine:
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
    assert heard(line, nearly_charged()) == expected


def test_a_mine_triggered_in_the_turn_of_its_laying() -> None:
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
