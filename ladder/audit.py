"""What was done: one line for each write, added in the transaction that writes. The database lets no line be changed.

Some lines concern others than who did it: what operators take back, close, change or disqualify. `concerning_others`
are shown as deeds, to operators: where a ladder is served, players see the lines of what they did themselves alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from engine.errors import ArenaError
from engine.immutable import immutable
from ladder.access import Actor, Deed, is_for_operators, require
from ladder.database.connection import Connection, Pool, Rows, transaction, without_nul
from ladder.errors import NotAllowed
from ladder.row_limits import require_limit


@immutable
class AuditLine:
    """Who did what and when. `action`: the command, as in `match void`; `target`: what it concerned, for people.

    `via`: session, token, database or scheduler; `token`: the name of the token; `address`: from where it came; None
    where there is none. `details`: what else is known.
    """

    id: int
    at: datetime
    actor: str
    via: str
    token: str | None
    address: str | None
    action: str
    target: str
    details: dict[str, Any]

    @property
    def by(self) -> str:
        member = self.details.get("member")
        return self.actor if member is None else f"{self.actor} ({member})"


@immutable
class PublicDeed:
    """Something that concerns others: who did what and when. `deed`: the command; `about`: what it concerned."""

    id: int
    done_at: datetime
    done_by: str
    deed: str
    about: str


@contextmanager
def transaction_for(actor: Actor, pool: Pool, deed: Deed) -> Iterator[Connection]:
    """Give the transaction in which somebody does something. Raises NotAllowed, before it begins."""
    require(actor, deed)
    with transaction(pool) as connection:
        yield connection


def write(connection: Connection, actor: Actor, action: str, target: str, **details: object) -> None:
    """Write down what somebody does in this transaction. `action`: the command; `target`: what it concerns."""
    if actor.member is not None:
        details["member"] = actor.member
    who = (without_nul(actor.player), actor.via, actor.token_id, actor.address)
    query = """
        INSERT INTO audit (actor, via, token_id, address, action, target, details)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        """
    connection.execute(query, [*who, action, without_nul(target), Jsonb(details)])


def write_deed(connection: Connection, actor: Actor, action: str, target: str) -> None:
    write(connection, actor, action, target, concerns_others=True)


def latest(connection: Connection, limit: int, actor: str | None = None, action: str | None = None) -> list[AuditLine]:
    require_limit(limit)
    query = """
        SELECT audit.id, at, actor, via, tokens.name AS token, address, action, target, details
        FROM audit LEFT JOIN tokens ON tokens.id = token_id
        WHERE (%(actor)s::text IS NULL OR lower(actor) = lower(%(actor)s)
               OR details ? 'member' AND lower(details->>'member') = lower(%(actor)s))
          AND (%(action)s::text IS NULL OR action = %(action)s)
        ORDER BY audit.id DESC LIMIT %(limit)s
        """
    return Rows(connection, AuditLine).all(query, {"actor": actor, "action": action, "limit": limit})


def concerning_others(connection: Connection, limit: int) -> list[PublicDeed]:
    require_limit(limit)
    query = """
        SELECT id, at AS done_at, actor || coalesce(' (' || (details->>'member') || ')', '') AS done_by,
               action AS deed, target AS about
        FROM audit
        WHERE details @> '{"concerns_others": true}' ORDER BY id DESC LIMIT %s
        """
    return Rows(connection, PublicDeed).all(query, [limit])


@contextmanager
def written_down(actor: Actor, pool: Pool) -> Iterator[None]:
    """Add a line to the audit where the block is refused a deed of operators, in a transaction of its own."""
    try:
        yield
    except NotAllowed as refusal:
        if is_for_operators(refusal.deed):
            with suppress(ArenaError), transaction(pool) as connection:
                write(connection, actor, "refused", refusal.deed, why=str(refusal))
        raise
