"""What a player does with a bot: submit its next version, put another one on the board, send it back a league."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ladder.access import Actor
from ladder.bots.versions import Version
from ladder.database.connection import Pool, transaction
from ladder.errors import QueueDown
from ladder.flows.submission import Submission, insert
from ladder.promotions import lifecycle
from ladder.promotions.lifecycle import Activation, Rewind
from ladder.queue import Queue


@dataclass(frozen=True, slots=True)
class Submitted:
    """A version that is safe in the database; where not `queue_answers`, workers find it when the broker is back."""

    MERGED: ClassVar = ("row",)
    HIDDEN: ClassVar = ("queue_answers",)

    version: str
    row: Version
    queue_answers: bool


def submit(actor: Actor, pool: Pool, queue: Queue, submission: Submission) -> Submitted:
    """Keep a source as the bot's next version and ask for its build.

    Once this returns, the version is safe: where the queue does not answer, the sweep asks again later. Raises
    DuplicateSource, NotYourBot, UsageFault, UnknownName, DatabaseDown.
    """
    with transaction(pool) as connection:
        version = insert(connection, actor, submission)
    return Submitted(version.name, version, asked_for_build(queue, version))


def asked_for_build(queue: Queue, version: Version) -> bool:
    """Ask for a version's build and return whether the queue answered."""
    try:
        queue.enqueue_build(version.id)
    except QueueDown:
        return False
    return True


def activate(actor: Actor, pool: Pool, bot: str, number: int, game: str | None = None) -> Activation:
    """Put a bot's version of that number on the board in place of the present one.

    Raises Refused for a version that is not accepted, NotYourBot, UnknownName, UsageFault.
    """
    with transaction(pool) as connection:
        return lifecycle.activate(connection, actor, bot, number, game)


def rewind(actor: Actor, pool: Pool, bot: str, game: str | None = None, *, to_league: str | None = None) -> Rewind:
    """Send a bot back a league, or to a lower one by name.

    Raises Refused where it cannot go back, NotYourBot, UnknownName, UsageFault.
    """
    with transaction(pool) as connection:
        return lifecycle.rewind(connection, actor, bot, game, to_league=to_league)
