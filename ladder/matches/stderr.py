"""What bots wrote to stderr, as it is stored, and how much of it is kept of a player's day.

How this works. Each recording adds to a row of the player's what the bots wrote, in a transaction that others may wait
for. So a player has PARTS rows, and a session has always the same of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from psycopg.types.json import Jsonb

from ladder.database.connection import Connection
from ladder.errors import DamagedRecord
from ladder.ids import VersionId

COMPRESSED = b"\x78\x9c"
"""So begins what is compressed, and no UTF-8."""
PARTS = 16


def packed_text(text: str) -> bytes:
    plain = text.encode("utf-8", "replace")
    return min(zlib.compress(plain), plain, key=len)


def unpacked_text(stored: bytes) -> str:
    """Return the text of what `packed_text` made. No UTF-8 begins as compressed bytes do. Raises DamagedRecord."""
    try:
        plain = zlib.decompress(stored) if stored.startswith(COMPRESSED) else stored
    except zlib.error as error:
        raise DamagedRecord("what a bot wrote to stderr is damaged") from error
    return plain.decode("utf-8", "replace")


def beyond_bound(connection: Connection, written: Sequence[tuple[VersionId, int]], most_bytes: int) -> set[VersionId]:
    """Count what versions wrote, in bytes, and return those whose player has written too much today (UTC)."""
    query = """
        WITH written AS (
            SELECT version_id, player_id, sum(bytes)::bigint AS bytes
            FROM jsonb_to_recordset(%(written)s) AS given (version_id bigint, bytes bigint)
            JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
            GROUP BY version_id, player_id),
        counted AS (
            INSERT INTO stderr_usage AS usage (player_id, part, day, bytes)
            SELECT player_id, pg_backend_pid() %% %(parts)s, (now() AT TIME ZONE 'UTC')::date, sum(bytes)::bigint
            FROM written GROUP BY player_id ORDER BY player_id
            ON CONFLICT (player_id, part) DO UPDATE
            SET day = excluded.day,
                bytes = excluded.bytes + CASE WHEN usage.day = excluded.day THEN usage.bytes ELSE 0 END
            RETURNING player_id, part, day, bytes)
        SELECT version_id FROM written JOIN counted USING (player_id)
        WHERE counted.bytes > %(most)s - (
            SELECT coalesce(sum(others.bytes), 0) FROM stderr_usage AS others
            WHERE others.player_id = counted.player_id AND others.part <> counted.part AND others.day = counted.day)"""
    of_versions = Jsonb([{"version_id": version_id, "bytes": count} for version_id, count in written])
    rows = connection.execute(query, {"written": of_versions, "parts": PARTS, "most": most_bytes}).fetchall()
    return {version_id for (version_id,) in rows}
