"""Announcements, questions and their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cli.answer import Answer, Found, Rows, listing
from cli.context import Context
from cli.options.names import ByOption, OwnerOption, game_option, operator_named, owner_named
from cli.options.numbers import id_argument
from cli.program.parameters import argument, option
from cli.terminal.table import NAME, WORDS, Column, Columns, table_of
from cli.terminal.words import moment_text
from ladder import actions, seasons
from ladder.ids import ClarificationId

if TYPE_CHECKING:
    from ladder.seasons.clarifications import Clarification

GameOption = Annotated[
    str | None, game_option("The game that it is about. [default: the whole ladder]", from_folder=False)
]

ANNOUNCEMENTS: Columns[Clarification] = (
    Column("number", lambda one: one.id),
    Column("when", lambda one: moment_text(one.answered_at), WORDS, leaves=2),
    Column("by", lambda one: one.answered_by, NAME, leaves=0),
    Column("about", lambda one: one.game or "all", NAME, leaves=1),
    Column("question", lambda one: one.question, NAME),
    Column("announcement or answer", lambda one: one.answer, NAME),
)
QUESTIONS: Columns[Clarification] = (
    Column("number", lambda one: one.id),
    Column("when", lambda one: moment_text(one.asked_at), WORDS, leaves=1),
    Column("by", lambda one: one.asked_by, NAME),
    Column("about", lambda one: one.game or "all", NAME, leaves=0),
    Column("state", lambda one: one.state, WORDS),
    Column("question", lambda one: one.question, NAME),
    Column("answer", lambda one: one.answer, NAME),
)


def announce(
    context: Context,
    text: Annotated[str, argument("What to tell, in 2,000 characters at most.")],
    game: GameOption = None,
    player: ByOption = None,
) -> Found:
    """Tell all something: every page shows it for three days, and `ladder submit --watch` prints it.

    It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder contest announce "The final series begins at 18:00." --game ocean-of-code
    """
    done = context.act(actions.clarifications.announce, operator_named(player), text, game_meant(context, game))
    return Answer(done, f"announcement {done.id} is made; `ladder contest withdraw {done.id}` takes it back")


def list_announcements(context: Context, game: GameOption = None) -> Rows:
    """List announcements, and the questions with answers for all, the latest first.

    Example: ladder contest announcements --game ocean-of-code
    """
    found = context.read(seasons.clarifications.announcements, game_meant(context, game))
    return listing(found, lambda: table_of(ANNOUNCEMENTS, found), "nothing was announced yet")


def ask(
    context: Context,
    text: Annotated[str, argument("The question, in 2,000 characters at most.")],
    game: GameOption = None,
    player: OwnerOption = None,
) -> Found:
    """Ask the operators something. You and they alone see it, unless they answer to all, without your name.

    Example: ladder contest ask "Does the torpedo pass islands?" --game ocean-of-code
    """
    done = context.act(actions.clarifications.ask_question, owner_named(player), text, game_meant(context, game))
    return Answer(done, f"question {done.id} is asked; `ladder contest questions` shows its answer")


def list_questions(context: Context, player: OwnerOption = None) -> Rows:
    """List your questions and their answers, for an operator everybody's; the latest first.

    Example: ladder contest questions
    """
    found = context.read(seasons.clarifications.questions, player)
    return listing(found, lambda: table_of(QUESTIONS, found), "nothing was asked yet")


def answer(
    context: Context,
    number: Annotated[ClarificationId, id_argument("question")],
    text: Annotated[str, argument("The answer, in 2,000 characters at most.")],
    to_all: Annotated[bool, option("--all", "Let all read the question and the answer.")] = False,
    player: ByOption = None,
) -> Found:
    """Answer a question, to the one who asked or to all.

    It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder contest answer 3 "It does not: see the rules." --all
    """
    done = context.act(actions.clarifications.answer, operator_named(player), number, text, to_all=to_all)
    return Answer(done, f"question {done.id} is answered, to {'all' if to_all else done.asked_by}")


def withdraw(
    context: Context,
    number: Annotated[ClarificationId, id_argument("question", "The number of a question, or of an announcement.")],
    player: ByOption = None,
) -> Found:
    """Withdraw an announcement, or a question with its answer: only its asker and operators still see it.

    Who asked may withdraw a question as long as it is open; all else is an operator's deed, which `ladder deeds` shows.

    Example: ladder contest withdraw 3
    """
    done = context.act(actions.clarifications.withdraw, operator_named(player), number)
    return Answer(done, f"{'announcement' if done.question is None else 'question'} {done.id} is withdrawn")


def game_meant(context: Context, game: str | None) -> str | None:
    return None if game is None else context.game_named(game)
