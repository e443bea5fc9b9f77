"""Writing down that somebody was refused what only operators may do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from engine.errors import ArenaError
from ladder import audit
from ladder.access import Actor, is_for_operators
from ladder.database.connection import Pool, transaction
from ladder.errors import NotAllowed


@contextmanager
def written_down(actor: Actor, pool: Pool) -> Iterator[None]:
    """Add a line to the audit where the block is refused a deed of operators, in a transaction of its own."""
    try:
        yield
    except NotAllowed as refusal:
        if is_for_operators(refusal.deed):
            with suppress(ArenaError), transaction(pool) as connection:
                audit.write(connection, actor, "refused", refusal.deed, why=str(refusal))
        raise
