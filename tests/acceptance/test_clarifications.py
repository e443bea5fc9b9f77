"""`ladder contest announce`, `ask`, `questions`, `answer` and `withdraw`, beside the database."""

from ladder.database.connection import Pool
from tests.acceptance.conftest import Desk

GAME = "ocean-of-code"


def test_a_question_is_asked_answered_and_withdrawn(desk: Desk, pool: Pool) -> None:
    assert "nothing was asked yet" in desk.run("contest", "questions").stderr
    assert "question 1 is asked" in desk.ok("contest", "ask", "Does the torpedo\npass islands?", "--player", "kim")
    desk.ok("contest", "ask", "And the mine?", "--game", GAME, "--player", "mia")
    assert "question 1 is answered, to all" in desk.ok("contest", "answer", "1", "It does not.", "--all")
    assert "question 2 is answered, to mia" in desk.ok("contest", "answer", "2", "Neither.")
    assert "announcement 3 is made" in desk.ok("contest", "announce", "The sea is closed.", "--game", GAME)
    rows = desk.json("contest", "questions")
    assert [(row["id"], row["asked_by"], row["answer"], row["to_all"]) for row in rows] == [
        (2, "mia", "Neither.", False),
        (1, "kim", "It does not.", True),
    ]
    assert [row["id"] for row in desk.json("contest", "questions", "--player", "kim")] == [1]
    shown = desk.ok("contest", "announcements")
    assert ("The sea is closed." in shown, "It does not." in shown, "Neither." in shown) == (True, True, False)
    assert "announcement 3 is withdrawn" in desk.ok("contest", "withdraw", "3")
    assert "The sea is closed." not in desk.ok("contest", "announcements")
    deeds = {row["deed"] for row in desk.json("deeds")}
    assert deeds == {"contest answer", "contest announce", "contest withdraw"}


def test_what_cannot_be_is_refused_in_a_sentence(desk: Desk, pool: Pool) -> None:
    for status, words, sentence in (
        (2, ("ask", ""), "the question is empty"),
        (2, ("ask", "x" * 2001), "the question has 2,001 characters; it can have 2,000"),
        (2, ("ask", "Why?", "--game", "chess"), "unknown game"),
        (2, ("answer", "7", "So."), "there is no question or announcement 7"),
        (2, ("withdraw", "7"), "there is no question or announcement 7"),
        (2, ("withdraw", "x"), "'x' is not a question number; `ladder contest questions` lists them"),
    ):
        assert sentence in desk.refused(status, "contest", *words)
