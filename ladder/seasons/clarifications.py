"""Announcements, and questions with their answers. An announcement is an answer to all, without a question.

A question and an answer that is not for all are seen by the one who asked and by operators alone: that is what the
views of the schema `seen` hold. So a row whose `asked_by` a reader sees is one that the reader may answer or has asked.
"""

from datetime import datetime
from typing import ClassVar, LiteralString

from engine.errors import UnknownName
from engine.immutable import immutable
from ladder.database.connection import Connection, Rows, one, without_nul
from ladder.database.schema import names_of_fields
from ladder.ids import ClarificationId
from ladder.leagues import leagues

LATEST_DAYS = 3
MOST_LATEST = 2
"""Of announcements, and of answers, so that answers leave what is announced where everybody sees it."""


@immutable
class Clarification:
    """An announcement, or a question with its answer. `asked_by`: None also for others; `game`: None: all."""

    PRIVATE: ClassVar = ("asked_by",)

    id: ClarificationId
    game: str | None
    asked_by: str | None
    question: str | None
    asked_at: datetime
    answer: str | None
    answered_by: str | None
    answered_at: datetime | None
    to_all: bool
    withdrawn_at: datetime | None

    @property
    def state(self) -> str:
        if self.withdrawn_at is not None:
            return "withdrawn"
        return "open" if self.answer is None else "to all" if self.to_all else "answered"


COLUMNS = ", ".join(names_of_fields(Clarification))


def select(connection: Connection, conditions: LiteralString, **values: object) -> list[Clarification]:
    return Rows(connection, Clarification).all(f"SELECT {COLUMNS} FROM clarifications WHERE {conditions}", values)  # noqa: S608


def announcements(connection: Connection, game: str | None = None) -> list[Clarification]:
    """Return what all were told, the latest first. `game`: what is about it or the whole ladder. Raises UnknownName."""
    leagues.check_game(connection, game)
    query = """
        to_all AND withdrawn_at IS NULL AND (%(game)s::text IS NULL OR game IS NULL OR game = %(game)s)
        ORDER BY answered_at DESC, id DESC"""
    return select(connection, query, game=game)


def questions(connection: Connection, player: str | None = None) -> list[Clarification]:
    """Return the questions whose askers may be seen, the latest first. `player`: the questions of that one alone."""
    query = """
        asked_by IS NOT NULL AND (%(player)s::text IS NULL OR lower(asked_by) = lower(%(player)s)) ORDER BY id DESC"""
    return select(connection, query, player=player)


def latest(connection: Connection, player: str | None, game: str | None = None) -> list[Clarification]:
    """Return the last words of the last days to all and to a player, the latest first. `game`: none about others."""
    query = """
        id IN (
            SELECT unnest((array_agg(id ORDER BY answered_at DESC, id DESC))[:%(most)s]) FROM clarifications
            WHERE withdrawn_at IS NULL AND answered_at > now() - make_interval(days => %(days)s)
              AND (to_all OR lower(asked_by) = lower(%(player)s))
              AND (%(game)s::text IS NULL OR game IS NULL OR game = %(game)s)
            GROUP BY question IS NULL)
        ORDER BY answered_at DESC, id DESC"""
    return select(connection, query, days=LATEST_DAYS, most=MOST_LATEST, player=player, game=game)


def lock(connection: Connection, clarification_id: ClarificationId) -> Clarification:
    """Return one, locked for this transaction. Raises UnknownName."""
    rows = select(connection, "id = %(id)s FOR UPDATE", id=clarification_id)
    if not rows:
        raise UnknownName(f"there is no question or announcement {clarification_id}")
    return rows[0]


def announce(connection: Connection, game: str | None, text: str, by: str) -> Clarification:
    query = """
        INSERT INTO clarifications (game, answer, answered_by, answered_at, to_all)
        VALUES (%(game)s, %(text)s, %(by)s, now(), true) RETURNING id"""
    row = one(connection, query, {"game": game, "text": without_nul(text), "by": without_nul(by)})
    return lock(connection, row[0])


def ask(connection: Connection, game: str | None, text: str, by: str) -> Clarification:
    query = "INSERT INTO clarifications (game, question, asked_by) VALUES (%(game)s, %(text)s, %(by)s) RETURNING id"
    row = one(connection, query, {"game": game, "text": without_nul(text), "by": without_nul(by)})
    return lock(connection, row[0])


def answer(connection: Connection, question_id: ClarificationId, text: str, by: str, *, to_all: bool) -> Clarification:
    query = """
        UPDATE clarifications SET answer = %(text)s, answered_by = %(by)s, answered_at = now(), to_all = %(to_all)s
        WHERE id = %(id)s"""
    connection.execute(query, {"id": question_id, "text": without_nul(text), "by": without_nul(by), "to_all": to_all})
    return lock(connection, question_id)


def withdraw(connection: Connection, clarification_id: ClarificationId) -> Clarification:
    connection.execute("UPDATE clarifications SET withdrawn_at = now() WHERE id = %s", [clarification_id])
    return lock(connection, clarification_id)
