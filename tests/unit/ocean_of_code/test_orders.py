"""The orders of Ocean of Code, the worked examples, and the end of a game with its scores; see hunts for the map."""

import pytest

from engine.conversation import NO_ANSWER, OK, Outcome, SeatVerdict, Verdict
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


def test_a_full_power_stays_full_and_blanks_around_a_power_are_removed() -> None:
    """A tab after the blank is not an argument of its own."""
    assert play("MOVE N MINE", "SURFACE", zero=boat(charged=["MINE"])).lines[0] == "5 11 6 5 3 4 6 0"
    assert play("MOVE N \t\x01TORPEDO", "SURFACE").lines[0] == "5 11 6 5 2 4 6 3"


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


def test_a_torpedo_and_a_sonar_use_their_charge() -> None:
    assert play("TORPEDO 5 14", "SURFACE", zero=boat(charged=["TORPEDO"])).lines[0] == "5 12 6 5 3 4 6 3"
    assert play("TORPEDO 14 0", "SURFACE", zero=boat(charged=["TORPEDO"])).lines[0] == "5 12 5 5 0 4 6 3"
    assert play("SONAR 1", "SURFACE", zero=boat(charged=ALL_POWERS)).lines[0] == "5 12 6 5 0 4 0 0"


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
    assert play("TORPEDO 3 3", zero=boat(2, 3, ["TORPEDO"]), one=boat(4, 2)).lines[0].startswith("4 2 5 5 ")


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
    assert play(f"MINE {direction}", "SURFACE", zero=boat(x, y, ["MINE"])).lines[0] == f"{x} {y} 5 5 3 4 6 0"


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
    submarine = boat()
    submarine.missing["TORPEDO"] = 1
    assert heard(line, submarine) == expected


def test_a_mine_is_not_triggered_in_the_turn_of_its_laying_but_may_be_replaced() -> None:
    """Triggered and laid again, which costs the layer a life."""
    assert heard("MINE E|TRIGGER 6 12", boat(charged=["MINE"])) == "MINE"
    played = play("TRIGGER 6 12|MINE E|SILENCE N 0", zero=boat(charged=ALL_POWERS, mines=[(6, 12)]))
    assert played.lines == ("12 13 6 5 3 4 6 3", "NA", "TRIGGER 6 12|MINE|SILENCE")


def test_a_one_cell_pond() -> None:
    """Nothing can be done but to surface until the end; any move loses."""
    played = start("14 0", "0 0", *["", "SURFACE"] * 6, seed=23)
    assert played.ended == Outcome((0, 1), "dead", (OK, OK))
    assert {ask.lines[0][:4] for ask in played.asks[2::2]} == {"14 0"}
    for direction in "NSWE":
        assert start("14 0", "0 0", f"MOVE {direction}", seed=23).ended.scores == (-1, 6)


# Sections 5 and 9: the end and the scores


def hit(line: str, *, lives: int = 4, other_lives: int = 3) -> Outcome:
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


def test_a_kill_ends_the_game_before_the_rest_of_the_line_and_the_victim_does_not_play_again() -> None:
    assert hit("TORPEDO 8 12|SURFACE|FOO", other_lives=2) == Outcome((4, 0), "dead", (OK, OK))
    assert hit("TORPEDO 8 12|SURFACE", other_lives=1).scores == (4, 0)
    assert hit("TORPEDO 8 12|FOO", other_lives=2).scores == (-1, 2)
    assert hit("TORPEDO 8 12|MOVE E|MOVE", other_lives=2).scores == (-1, 2)
    played = play("MOVE N", "TORPEDO 8 12", zero=boat(8, 13, lives=2), one=boat(5, 12, ["TORPEDO"]))
    assert len(played.asks) == 2
    played = play("MOVE W", "TORPEDO 8 12", zero=boat(9, 12, lives=2), one=boat(5, 12, ["TORPEDO"]))
    assert (len(played.asks), played.ended.scores, played.ended.winner) == (2, (0, 6), 1)


def test_one_explosion_may_kill_both_and_the_last_life_can_be_lost_by_oneself() -> None:
    outcome = play("TORPEDO 5 12", zero=boat(charged=["TORPEDO"], lives=1), one=boat(6, 12, lives=1)).ended
    assert (outcome.scores, outcome.winner, outcome.reason) == ((0, 0), None, "dead")
    for line in ("SURFACE", "", "SURFACE|MOVE N"):
        outcome = play(line, zero=boat(lives=1), one=boat(0, 0, lives=4)).ended
        assert outcome == Outcome((0, 4), "dead", (OK, OK))


def test_no_answer_loses() -> None:
    """For either seat, with the scores of the last completed frame."""
    assert play(None).ended == Outcome((-1, 6), "disabled", (NO_ANSWER, OK))
    assert play("SURFACE", None).ended == Outcome((5, -1), "disabled", (OK, NO_ANSWER))


def test_a_game_has_598_turns_of_which_the_last_may_kill() -> None:
    played = play(*[""] * 1000, zero=boat(lives=500), one=boat(0, 0, lives=500))
    assert played.ended == Outcome((201, 201), "turn_limit", (OK, OK))
    assert [ask.seat for ask in played.asks] == [0, 1] * 299
    assert play(*[""] * 1000, zero=boat(lives=500), one=boat(0, 0, lives=501)).ended.winner == 1
    played = play(*[""] * 1000, zero=boat(lives=300), one=boat(0, 0, lives=299))
    assert (len(played.asks), played.ended) == (598, Outcome((1, 0), "dead", (OK, OK)))


# Two executed orders a line, and two that are free.
TO_AND_FRO = ["MOVE N|TORPEDO 1 1|SURFACE"] * 2 + ["MSG|MOVE S|SURFACE"] * 2


def test_a_game_has_999_executed_orders() -> None:
    """With two orders in each line the first of turn 500 is the last one, and what waits behind it is not played."""
    played = play(*TO_AND_FRO * 150, zero=boat(lives=500), one=boat(12, 13, lives=500))
    assert len(played.asks) == 500
    assert played.ended == Outcome((250, 251), "frame_limit", (OK, OK))


def test_the_last_frame_has_a_look_ahead_too_and_ends_by_the_limit_even_with_a_kill() -> None:
    """Frame 1000 is the last, whatever happens in it; an unknown order behind the last executed one loses."""
    lines = [*TO_AND_FRO * 124, *TO_AND_FRO[:3], "MOVE S|FOO"]
    outcome = play(*lines, zero=boat(lives=500), one=boat(12, 13, lives=500)).ended
    assert (outcome.scores, outcome.reason) == ((250, -1), "disabled")
    lines = [*TO_AND_FRO * 124, *TO_AND_FRO[:3], "SURFACE"]
    outcome = play(*lines, zero=boat(lives=500), one=boat(12, 13, lives=250)).ended
    assert outcome == Outcome((250, 0), "frame_limit", (OK, OK))


# Messages


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("FOO 1", "named the unknown order `FOO`: `FOO 1`"),
        ("MOVE N|MINE E", "named the order `MINE` of a higher league: `MINE E`"),
        ("MOVE N MINE", "named the power `MINE` of a higher league: `MOVE N MINE`"),
        ("MOVE N GUN", "named the unknown power `GUN`: `MOVE N GUN`"),
        ("MOVE", "named no direction (N, S, W or E): `MOVE`"),
        ("MOVE N SONAR X", "wrote 3 arguments where at most 2 can stand: `MOVE N SONAR X`"),
        ("SILENCE N 5", "SILENCE needs a direction and a distance from 0 to 4: `SILENCE N 5`"),
        ("SONAR", "SONAR needs a sector from 1 to 9: `SONAR`"),
        ("TORPEDO a b", "TORPEDO needs two integers, x and y: `TORPEDO a b`"),
        (
            "\x00X\ud800" + "y" * 99,
            "named the unknown order `X\\ud800" + "y" * 70 + "...`: `X\\ud800" + "y" * 70 + "...`",
        ),
    ],
)
def test_what_is_said_about_an_illegal_order(line: str, message: str) -> None:
    outcome = play(line, zero=boat(charged=("TORPEDO", "SONAR", "SILENCE"), level=2), level=2).ended
    assert outcome.verdicts[0] == SeatVerdict(Verdict.ILLEGAL, message)


def test_turns_of_both_players_are_counted_together() -> None:
    assert play("MOVE N", "MOVE N", "MOVE N", "MOVE S").ended.verdicts == (
        OK,
        SeatVerdict(Verdict.ILLEGAL, "visited (12, 13) twice without surfacing: `MOVE S`"),
    )
