"""Whether there is room for further matches where the database is; without it none are made until there is again.

LADDER_LEAST_ROOM_MB  so many megabytes are to be free on the database's disk (default 500)
LADDER_DATABASE_MB    the database may take so many megabytes (by default as many as there are)

How this works. Each round of the scheduler looks. How full the disk is can be known only where the database is on the
same machine, as the embedded one is; how large the database is, everywhere. What was found is a row, for all who show
it. What is queued by then is still played, so the room that is left is to be enough for that.
"""

import os
from collections.abc import Mapping
from datetime import datetime

from engine.immutable import immutable
from ladder.database.connection import Connection, Rows, one
from ladder.retention import MEGABYTE, number_in

LEAST_ROOM, DATABASE_MB = "LADDER_LEAST_ROOM_MB", "LADDER_DATABASE_MB"
USUAL_LEAST_ROOM_MB = 500


@immutable
class Lack:
    """Since when no matches are made, and why, as one sentence."""

    since: datetime
    why: str


def bounds_from(environment: Mapping[str, str] = os.environ) -> tuple[int, int | None]:
    least_mb = number_in(environment, LEAST_ROOM, USUAL_LEAST_ROOM_MB)
    return least_mb, number_in(environment, DATABASE_MB, None) if environment.get(DATABASE_MB) else None


def lack_of_room(connection: Connection) -> str | None:
    """Return why there is no room; None where there is. Raises UsageFault for a setting that cannot be."""
    least_mb, most_mb = bounds_from()
    free_mb = free_room_mb(connection)
    if free_mb is not None and free_mb < least_mb:
        return (
            f"the database's disk has {free_mb} MB free and {LEAST_ROOM} is {least_mb}: free some space there, or let "
            "old matches go by `ladder prune`"
        )
    if most_mb is not None:
        size_mb = one(connection, "SELECT pg_database_size(current_database())", {})[0] // MEGABYTE
        if size_mb > most_mb:
            return (
                f"the database has {size_mb} MB and {DATABASE_MB} is {most_mb}: let old matches go by `ladder prune` "
                "and `VACUUM FULL matches, seats`, or raise it"
            )
    return None


def free_room_mb(connection: Connection) -> int | None:
    """Return None where the database is elsewhere, or does not say where its files are."""
    query = """
        SELECT CASE WHEN inet_server_addr() IS NULL AND pg_has_role('pg_read_all_settings', 'USAGE')
               THEN current_setting('data_directory') END
        """
    folder = one(connection, query, {})[0]
    try:
        status = os.statvfs(folder) if folder else None
    except OSError:
        return None
    return status.f_bavail * status.f_frsize // MEGABYTE if status and status.f_blocks else None


def write_down(connection: Connection, why: str | None) -> bool:
    """Write down what was found. Returns whether it has changed that there is room, or none."""
    if why is None:
        return connection.execute("DELETE FROM no_room").rowcount > 0
    query = """
        INSERT INTO no_room (why) VALUES (%(why)s)
        ON CONFLICT (is_row) DO UPDATE SET why = excluded.why RETURNING xmax = 0
        """
    return bool(one(connection, query, {"why": why})[0])


def written_down(connection: Connection) -> Lack | None:
    return Rows(connection, Lack).first("SELECT since, why FROM no_room")
