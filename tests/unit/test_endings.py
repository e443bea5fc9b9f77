"""Words for how a match ended, and times as people write them."""

import pytest

from engine.bot.clock import Spent
from engine.conversation import ending_words, last_turn_words, own_turns
from engine.text import time_words


@pytest.mark.parametrize(
    ("reason", "verdicts", "words"),
    [
        ("disabled", ("ok", "crashed"), "crash"),
        ("disabled", ("timeout", "ok"), "time-out"),
        ("disabled", ("illegal", "timeout"), "illegal and time-out"),
        ("disabled", ("illegal", "illegal"), "illegal"),
        ("unrecognised", ("ok", "illegal"), "illegal"),
        ("turn_limit", ("ok", "ok"), "turn limit"),
        ("dead", (None, "ok"), "dead"),
    ],
)
def test_a_fault_is_called_by_its_own_word_and_other_ends_by_the_games(
    reason: str, verdicts: tuple[str | None, ...], words: str
) -> None:
    assert ending_words(reason, verdicts) == words


def test_a_bots_own_turns_stand_beside_the_matchs() -> None:
    seats = [0, 1, 0, 0, 1]
    assert own_turns(seats) == [1, 1, 2, 3, 2]
    assert last_turn_words(seats, 0) == "turn 3 (match turn 4)"
    assert last_turn_words(seats[:2], 1) == "first turn (match turn 2)"
    assert last_turn_words([], 0) == ""


def test_times_are_in_milliseconds_and_from_one_second_on_in_seconds() -> None:
    assert [time_words(us) for us in (0, 20, 600, 68_000, 1_000_000, 1_340_000)] == [
        "0 ms",
        "0.02 ms",
        "0.6 ms",
        "68 ms",
        "1 s",
        "1.3 s",
    ]
    assert Spent(wall_us=70_600, cpu_us=600, wait_us=1_500, late_us=500).words == "it computed 0.6 ms and slept 68 ms"
