"""The end of a game of Ocean of Code, its scores and what people are told; see hunts for the map."""

import pytest

from engine.conversation import NO_ANSWER, OK, Outcome, SeatVerdict, Verdict
from tests.unit.ocean_of_code.hunts import boat, play

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


def test_a_kill_ends_the_game_before_the_rest_of_the_line() -> None:
    assert hit("TORPEDO 8 12|SURFACE|FOO", other_lives=2) == Outcome((4, 0), "dead", (OK, OK))
    assert hit("TORPEDO 8 12|SURFACE", other_lives=1).scores == (4, 0)
    assert hit("TORPEDO 8 12|FOO", other_lives=2).scores == (-1, 2)
    assert hit("TORPEDO 8 12|MOVE E|MOVE", other_lives=2).scores == (-1, 2)


def test_the_victim_does_not_play_again() -> None:
    played = play("MOVE N", "TORPEDO 8 12", zero=boat(8, 13, lives=2), one=boat(5, 12, ["TORPEDO"]))
    assert len(played.asks) == 2
    played = play("MOVE W", "TORPEDO 8 12", zero=boat(9, 12, lives=2), one=boat(5, 12, ["TORPEDO"]))
    assert (len(played.asks), played.ended.scores, played.ended.winner) == (2, (0, 6), 1)


def test_one_explosion_may_kill_both() -> None:
    outcome = play("TORPEDO 5 12", zero=boat(charged=["TORPEDO"], lives=1), one=boat(6, 12, lives=1)).ended
    assert (outcome.scores, outcome.winner, outcome.reason) == ((0, 0), None, "dead")


def test_the_last_life_can_be_lost_by_oneself() -> None:
    for line in ("SURFACE", "", "SURFACE|MOVE N"):
        outcome = play(line, zero=boat(lives=1), one=boat(0, 0, lives=4)).ended
        assert outcome == Outcome((0, 4), "dead", (OK, OK))


def test_no_answer_loses() -> None:
    """For either seat, with the scores of the last completed frame."""
    assert play(None).ended == Outcome((-1, 6), "disabled", (NO_ANSWER, OK))
    assert play("SURFACE", None).ended == Outcome((5, -1), "disabled", (OK, NO_ANSWER))


def test_a_game_has_598_turns() -> None:
    played = play(*[""] * 1000, zero=boat(lives=500), one=boat(0, 0, lives=500))
    assert played.ended == Outcome((201, 201), "turn_limit", (OK, OK))
    assert [ask.seat for ask in played.asks] == [0, 1] * 299
    assert play(*[""] * 1000, zero=boat(lives=500), one=boat(0, 0, lives=501)).ended.winner == 1


def test_the_last_turn_may_kill() -> None:
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
