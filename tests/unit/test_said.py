"""What a referee program said for people stands with the turn that it is about."""

from engine.referees.notes import Notes, Question, Tooltip
from engine.replay import Said, said_of_turns

NEWS = Question(1, "news\n", 0, None)


def asked(seat: int) -> Question:
    return Question(seat, "x\n", 1, 50)


def test_words_stand_with_the_turn_before_them_and_the_first_words_with_the_first() -> None:
    first, second, last = Tooltip(1, "hello", 0), Tooltip(0, "ouch", 2), Tooltip(1, "over", 4)
    notes = Notes(
        (asked(0), NEWS, asked(1), asked(0)),
        ("it begins", "seat 0 moved\nseat 0 smiled", "", "seat 1 moved", "the end"),
        tooltips=(first, second, last),
    )
    assert said_of_turns(notes, 3) == [
        Said(["it begins", "seat 0 moved", "seat 0 smiled"], [first, second]),
        Said(["seat 1 moved"]),
        Said(["the end"], [last]),
    ]


def test_where_nothing_was_asked_or_noted_nothing_is_said() -> None:
    assert said_of_turns(Notes((NEWS,), ("a", "b")), 0) == []
    assert said_of_turns(None, 2) == [Said(), Said()]
