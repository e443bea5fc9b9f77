"""What people tell and ask each other: announcements and answers of operators, questions of players."""

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
    with audit.transaction_for(actor, pool, Deed.ANNOUNCE) as connection:
        words = checked("announcement", text)
        check_about(connection, actor, game)
        announcement = clarifications.announce(connection, game, words, actor.player)
        audit.write_deed(connection, actor, "contest announce", f"announcement {announcement.id}{about(announcement)}")
    return announcement


def ask_question(actor: Actor, pool: Pool, text: str, game: str | None = None) -> Clarification:
    """Ask the operators something, about a game or the whole ladder. Raises UsageFault, UnknownName, QuotaUsed."""
    with audit.transaction_for(actor, pool, Deed.ASK) as connection:
        words = checked("question", text)
        require_room(connection, actor, Quota.QUESTIONS_PER_HOUR)
        check_about(connection, actor, game)
        question = clarifications.ask(connection, game, words, actor.player)
        audit.write(connection, actor, "contest ask", f"question {question.id}{about(question)}")
    return question


def answer(
    actor: Actor, pool: Pool, clarification_id: ClarificationId, text: str, *, to_all: bool = False
) -> Clarification:
    """Answer a question to the one who asked, or to all. Raises NotAllowed, UsageFault, UnknownName, Refused."""
    with audit.transaction_for(actor, pool, Deed.ANSWER) as connection:
        words = checked("answer", text)
        row = clarifications.lock(connection, clarification_id)
        check_about(connection, actor, row.game)
        if row.question is None:
            raise Refused(f"{clarification_id} is an announcement: `ladder contest announce` makes another one")
        if row.withdrawn_at is not None:
            raise Refused(f"question {clarification_id} is withdrawn, so it takes no answer")
        if row.answered_by is not None:
            raise Refused(
                f"question {clarification_id} was answered by {row.answered_by}: withdraw that, or announce the rest"
            )
        answered = clarifications.answer(connection, clarification_id, words, actor.player, to_all=to_all)
        to = "all" if to_all else row.asked_by
        audit.write_deed(connection, actor, "contest answer", f"question {answered.id} of {row.asked_by}, to {to}")
    return answered


def withdraw(actor: Actor, pool: Pool, clarification_id: ClarificationId) -> Clarification:
    """Withdraw an announcement, a question with its answer, or one's own open one. Raises NotAllowed, Refused."""
    with transaction(pool) as connection:
        row = clarifications.lock(connection, clarification_id)
        is_own = row.asked_by is not None and actor.is_(row.asked_by)
        if not (row.to_all or actor.operates or is_own):
            raise UnknownName(f"{actor.player} has no question {clarification_id}")
        answered = f"question {clarification_id} is answered, so only an operator may withdraw it" if is_own else ""
        require(actor, Deed.WITHDRAW, answered, row.asked_by if row.answer is None else None)
        check_about(connection, actor, row.game)
        if row.withdrawn_at is not None:
            raise Refused(f"{clarification_id} is withdrawn already")
        withdrawn = clarifications.withdraw(connection, clarification_id)
        what = "announcement" if row.question is None else f"question of {row.asked_by}"
        note = audit.write if is_own else audit.write_deed
        note(connection, actor, "contest withdraw", f"{what} {withdrawn.id}{about(withdrawn)}")
    return withdrawn


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


def about(row: Clarification) -> str:
    return "" if row.game is None else f" about {row.game}"
