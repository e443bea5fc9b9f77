"""What people tell and ask each other: announcements and answers of operators, questions of players."""

from __future__ import annotations

from engine.errors import Refused, UnknownName, UsageFault
from ladder import audit
from ladder.access import Actor, Deed, require, require_bot
from ladder.database.connection import Connection, Pool, transaction
from ladder.ids import ClarificationId
from ladder.leagues.leagues import check_game
from ladder.quotas.quotas import require_room
from ladder.quotas.rules import Quota
from ladder.seasons import clarifications
from ladder.seasons.clarifications import Clarification

MOST_CHARS = 2000


def announce(actor: Actor, pool: Pool, text: str, game: str | None = None) -> Clarification:
    """Tell all something, about a game or the whole ladder. Raises NotAllowed, UsageFault, UnknownName."""
    require(actor, Deed.ANNOUNCE)
    words = checked("announcement", text)
    with transaction(pool) as connection:
        check_about(connection, actor, game)
        done = clarifications.announce(connection, game, words, actor.player)
        audit.write_deed(connection, actor, "contest announce", f"announcement {done.id}{about(done)}")
    return done


def ask_question(actor: Actor, pool: Pool, text: str, game: str | None = None) -> Clarification:
    """Ask the operators something, about a game or the whole ladder. Raises UsageFault, UnknownName, QuotaUsed."""
    require(actor, Deed.ASK)
    words = checked("question", text)
    with transaction(pool) as connection:
        require_room(connection, actor, Quota.QUESTIONS_PER_HOUR)
        check_about(connection, actor, game)
        done = clarifications.ask(connection, game, words, actor.player)
        audit.write(connection, actor, "contest ask", f"question {done.id}{about(done)}")
    return done


def answer(
    actor: Actor, pool: Pool, clarification_id: ClarificationId, text: str, *, to_all: bool = False
) -> Clarification:
    """Answer a question to the one who asked, or to all. Raises NotAllowed, UsageFault, UnknownName, Refused."""
    require(actor, Deed.ANSWER)
    words = checked("answer", text)
    with transaction(pool) as connection:
        found = clarifications.lock(connection, clarification_id)
        check_about(connection, actor, found.game)
        if found.question is None:
            raise Refused(f"{clarification_id} is an announcement: `ladder contest announce` makes another one")
        if found.withdrawn_at is not None:
            raise Refused(f"question {clarification_id} is withdrawn, so it takes no answer")
        if found.answered_by is not None:
            raise Refused(
                f"question {clarification_id} was answered by {found.answered_by}: withdraw that, or announce the rest"
            )
        done = clarifications.answer(connection, clarification_id, words, actor.player, to_all=to_all)
        to = "all" if to_all else found.asked_by
        audit.write_deed(connection, actor, "contest answer", f"question {done.id} of {found.asked_by}, to {to}")
    return done


def withdraw(actor: Actor, pool: Pool, clarification_id: ClarificationId) -> Clarification:
    """Withdraw an announcement, a question with its answer, or one's own open one. Raises NotAllowed, Refused."""
    with transaction(pool) as connection:
        found = clarifications.lock(connection, clarification_id)
        if not (found.to_all or actor.operates or (found.asked_by is not None and actor.is_(found.asked_by))):
            raise UnknownName(f"{actor.player} has no question {clarification_id}")
        require(actor, Deed.WITHDRAW, owner=found.asked_by if found.answer is None else None)
        check_about(connection, actor, found.game)
        if found.withdrawn_at is not None:
            raise Refused(f"{clarification_id} is withdrawn already")
        done = clarifications.withdraw(connection, clarification_id)
        what = "announcement" if found.question is None else f"question of {found.asked_by}"
        write = audit.write if found.asked_by is not None and actor.is_(found.asked_by) else audit.write_deed
        write(connection, actor, "contest withdraw", f"{what} {done.id}{about(done)}")
    return done


def checked(what: str, text: str) -> str:
    words = text.replace("\r\n", "\n").strip()
    if not words:
        raise UsageFault(f"the {what} is empty: say it in a sentence or two")
    if len(words) > MOST_CHARS:
        raise UsageFault(f"the {what} has {len(words):,} characters; it can have {MOST_CHARS:,}")
    return words


def check_about(connection: Connection, actor: Actor, game: str | None) -> None:
    check_game(connection, game)
    require_bot(actor, game or "")


def about(done: Clarification) -> str:
    return "" if done.game is None else f" about {done.game}"
