"""Which moment of the database a transaction sees, as a text that can be compared.

How this works. A snapshot of PostgreSQL is a list of the transactions whose changes it shows. Whatever is committed
makes the next snapshot another one; so two equal ones show the same rows, of all tables. That holds within one life of
one server, so the text also says when the server was started. On a standby a snapshot does not list all that it needs.
"""

from __future__ import annotations

from ladder.database.connection import Connection, one


def moment_seen(connection: Connection) -> str | None:
    """Return a text that another transaction has too only if it sees the same data, less than a second away.

    So whatever follows from the data and from `now()` to the second is the same for both. None where that cannot be
    said. The connection must see one snapshot.
    """
    query = """
        SELECT CASE WHEN NOT pg_is_in_recovery()
               THEN concat_ws(' ', pg_postmaster_start_time(), pg_current_snapshot(), date_trunc('second', now())) END
        """
    found = one(connection, query, {})[0]
    return None if found is None else str(found)
