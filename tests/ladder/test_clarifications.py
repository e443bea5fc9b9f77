"""Announcements, questions and their answers on a real database: who may, who sees what, and what is refused."""

import re
from collections.abc import Callable

import pytest

from engine.errors import ArenaError, Refused, UnknownName, UsageFault
from ladder import audit
from ladder.access import Actor, Role, Scope, Via
from ladder.actions.clarifications import MOST_CHARS, announce, answer, withdraw
from ladder.actions.clarifications import ask_question as ask
from ladder.bots.players import player_id
from ladder.database.connection import Pool, transaction
from ladder.errors import NotAllowed, QuotaUsed
from ladder.ids import ClarificationId
from ladder.quotas.rules import Quotas
from ladder.seasons.clarifications import Clarification, announcements, latest, questions
from ladder.visibility import PUBLIC, Sight, look
from tests.ladder.arena import GAME, within
from tests.ladder.rated import change

KIM, MIA, OLGA = Actor("kim", via=Via.SESSION), Actor("mia", via=Via.SESSION), Actor("olga", Role.OPERATOR, Via.SESSION)
NOWHERE = ClarificationId(999)


@pytest.fixture(autouse=True)
def _people(arena: Pool) -> None:
    within(arena, lambda connection: [player_id(connection, name) for name in ("kim", "mia", "olga")])


def seen_by(pool: Pool, sight: Sight, view: Callable[..., list[Clarification]]) -> list[Clarification]:
    with transaction(pool) as connection:
        look(connection, sight)
        return view(connection)


def numbers(rows: list[Clarification]) -> list[int]:
    return [row.id for row in rows]


def test_a_question_and_its_private_answer_are_seen_by_its_player_and_operators_alone(arena: Pool) -> None:
    asked = ask(KIM, arena, "  May I use threads?\r\nTwo of them.  ", GAME)
    assert (asked.question, asked.state) == ("May I use threads?\nTwo of them.", "open")
    answer(OLGA, arena, asked.id, "No.")
    own, all_of_them = Sight("kim"), Sight("olga", operates=True)
    for sight, found in (
        (own, [asked.id]),
        (all_of_them, [asked.id]),
        (Sight("KIM", game=GAME), [asked.id]),
        (Sight("kim", game="ice-and-fire"), []),
        (Sight("kim", bot="kraken"), []),
        (Sight("mia"), []),
        (PUBLIC, []),
    ):
        assert numbers(seen_by(arena, sight, questions)) == found, sight
        assert seen_by(arena, sight, announcements) == []


def test_an_answer_to_all_is_read_without_who_asked(arena: Pool) -> None:
    asked = ask(KIM, arena, "How long is a turn?")
    answer(OLGA, arena, asked.id, "50 ms.", to_all=True)
    (told,) = seen_by(arena, PUBLIC, announcements)
    assert (told.question, told.answer, told.asked_by) == ("How long is a turn?", "50 ms.", None)
    assert numbers(seen_by(arena, Sight("mia"), questions)) == []
    withdraw(OLGA, arena, asked.id)
    assert seen_by(arena, PUBLIC, announcements) == []
    (own,) = seen_by(arena, Sight("kim"), questions)
    assert own.state == "withdrawn"


def test_announcements_are_about_a_game_or_all_and_the_last_stand_above_pages(arena: Pool) -> None:
    first = announce(OLGA, arena, "Welcome.")
    second = announce(OLGA, arena, "The sea is closed.", GAME)
    third = announce(OLGA, arena, "Dinner.", "ice-and-fire")
    assert numbers(seen_by(arena, PUBLIC, announcements)) == [third.id, second.id, first.id]
    assert numbers(within(arena, lambda connection: announcements(connection, GAME))) == [second.id, first.id]
    private = answer(OLGA, arena, ask(KIM, arena, "Where?").id, "In room 3.")

    def latest_for(player: str | None) -> list[int]:
        return numbers(within(arena, lambda connection: latest(connection, player)))

    assert latest_for("Kim") == [private.id, third.id, second.id], "answers do not put away what is announced"
    assert latest_for("mia") == latest_for(None) == [third.id, second.id]
    change(arena, "UPDATE clarifications SET answered_at = now() - interval '4d'")
    assert latest_for("kim") == []


def test_what_may_not_be_is_refused_in_a_sentence_and_changes_nothing(arena: Pool) -> None:
    announced, asked = announce(OLGA, arena, "Welcome."), ask(KIM, arena, "Why?")
    answered = answer(OLGA, arena, ask(KIM, arena, "When?").id, "At 6.")
    gone = withdraw(KIM, arena, ask(KIM, arena, "Where?").id)
    before = audit_lines(arena)
    reader = Actor("kim", via=Via.TOKEN, scopes=frozenset({Scope.READ}))
    for_ice = Actor("kim", via=Via.TOKEN, game="ice-and-fire")
    refused: list[tuple[Callable[[], object], type[ArenaError], str]] = [
        (lambda: announce(KIM, arena, "Hello"), NotAllowed, "only an operator may tell all something"),
        (lambda: answer(KIM, arena, asked.id, "So."), NotAllowed, "only an operator may answer a question"),
        (lambda: withdraw(KIM, arena, announced.id), NotAllowed, "may withdraw"),
        (lambda: withdraw(KIM, arena, answered.id), NotAllowed, "is answered, so only an operator may withdraw it"),
        (lambda: withdraw(MIA, arena, asked.id), UnknownName, f"mia has no question {asked.id}"),
        (lambda: withdraw(OLGA, arena, gone.id), Refused, "withdrawn already"),
        (lambda: withdraw(OLGA, arena, NOWHERE), UnknownName, "no question or announcement 999"),
        (lambda: answer(OLGA, arena, NOWHERE, "So."), UnknownName, "no question or announcement 999"),
        (lambda: answer(OLGA, arena, announced.id, "So."), Refused, "is an announcement"),
        (lambda: answer(OLGA, arena, answered.id, "So."), Refused, "was answered by olga"),
        (lambda: answer(OLGA, arena, gone.id, "So."), Refused, "is withdrawn"),
        (lambda: answer(OLGA, arena, asked.id, " \n"), UsageFault, "the answer is empty"),
        (lambda: ask(KIM, arena, ""), UsageFault, "the question is empty"),
        (lambda: ask(KIM, arena, "x" * 1_000_000), UsageFault, "has 1,000,000 characters; it can have 2,000"),
        (lambda: ask(KIM, arena, "Why?", "chess"), UnknownName, "unknown game"),
        (lambda: ask(reader, arena, "Why?"), NotAllowed, "lacks the scope play"),
        (lambda: ask(for_ice, arena, "Why?", GAME), NotAllowed, "for the game ice-and-fire only"),
        (lambda: ask(for_ice, arena, "Why?"), NotAllowed, "for the game ice-and-fire only"),
        (lambda: announce(OLGA, arena, "x" * (MOST_CHARS + 1)), UsageFault, "2,001 characters"),
    ]
    for act, kind, words in refused:
        with pytest.raises(kind, match=re.escape(words)):
            act()
    assert audit_lines(arena) == before


def audit_lines(pool: Pool) -> int:
    return len(within(pool, lambda connection: audit.latest(connection, 1000)))


def test_only_a_few_questions_are_asked_in_an_hour(arena: Pool) -> None:
    for number in range(Quotas().questions_per_hour or 0):
        ask(KIM, arena, f"Question {number}?")
    with pytest.raises(QuotaUsed, match="kim may ask 5 questions an hour; 5 are used, and it is possible again in"):
        ask(KIM, arena, "One more?")
    ask(MIA, arena, "And I?")


def test_the_audit_says_who_announced_answered_and_withdrew(arena: Pool) -> None:
    answer(OLGA, arena, ask(KIM, arena, "Why?", GAME).id, "So.")
    withdraw(OLGA, arena, announce(OLGA, arena, "Welcome.").id)
    deeds = within(arena, lambda connection: audit.concerning_others(connection, 10))
    assert [(deed.done_by, deed.deed, deed.about) for deed in deeds] == [
        ("olga", "contest withdraw", "announcement 2"),
        ("olga", "contest announce", "announcement 2"),
        ("olga", "contest answer", "question 1 of kim, to kim"),
    ]
