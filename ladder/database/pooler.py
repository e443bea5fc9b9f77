"""Whether an address leads to sessions of our own, or to a pooler that hands them around between transactions.

How this works. A worker lives as long as the session that holds its lock; a pooler in transaction mode lets that
session serve others, and stand when the worker is dead. To anybody who asks only once such a pooler looks as good as
PostgreSQL itself. So two connections are opened and each asks several times which of the server's processes serves
it. If the sessions are their own, each is always served by the same one, and both never by one. A pooler that has a
single session to give gives it to both; one that takes the session used last gives it to both; one that takes turns
serves two questions in a row from different sessions; and one that draws lots would have to draw the same again and
again.
"""

from __future__ import annotations

from contextlib import ExitStack

from engine.errors import Refused
from ladder.database.connection import NEEDS_SESSIONS, connect, one
from ladder.database.session import session_url

ROUNDS = 8


def require_own_sessions(database_url: str) -> None:
    """Raise Refused where neither this address nor the direct one beside it leads to sessions of our own.

    Raises DatabaseDown where the database does not answer.
    """
    with ExitStack() as open_connections:
        first, second = (
            open_connections.enter_context(connect(session_url(database_url), autocommit=True, any_schema=True))
            for _ in range(2)
        )
        seen: list[set[int]] = [set(), set()]
        for _ in range(ROUNDS):
            for connection, served_by in zip((first, second), seen, strict=True):
                served_by.update(int(one(connection, "SELECT pg_backend_pid()", {})[0]) for _ in range(2))
    if any(len(served_by) > 1 for served_by in seen) or seen[0] & seen[1]:
        raise Refused(NEEDS_SESSIONS)
