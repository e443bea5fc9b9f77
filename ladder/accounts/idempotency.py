"""What a write has answered, for whoever asks the same again: the table `idempotency`.

How this works. Somebody who gets no answer does not know whether the write has happened, and asks again with the same
key. The answer is stored in the transaction of the write. So either both are there or neither, whatever dies in
between. While the first is at it, it holds a lock of that player's key; nobody waits for it.
"""

from hashlib import sha256

from engine.errors import UsageFault
from engine.immutable import immutable
from ladder.database.connection import Connection, one
from ladder.errors import StillAtIt

LASTS_HOURS = 24


@immutable
class KeyedWrite:
    """A write that somebody asks for. `route`: method and path; `key`: how the player calls this one write."""

    player: str
    key: str
    route: str
    body: bytes

    @property
    def body_hash(self) -> bytes:
        return sha256(self.body).digest()


@immutable
class Answered:
    """What a write has answered. `body`: None where it held a secret, which is not stored."""

    status: int
    body: str | None


def claim(connection: Connection, write: KeyedWrite) -> Answered | None:
    """Return the first answer, if there is one. Raises StillAtIt; UsageFault for a key of something else."""
    lock = f"{write.player.lower()} {write.key}"
    if not one(connection, "SELECT pg_try_advisory_xact_lock(hashtextextended(%(lock)s, 0))", {"lock": lock})[0]:
        raise StillAtIt("the first request with this Idempotency-Key is still being carried out: ask again")
    connection.execute("DELETE FROM idempotency WHERE created_at < now() - make_interval(hours => %s)", [LASTS_HOURS])
    query = """
        SELECT route, body_hash, status, body FROM idempotency
        WHERE player_id = (SELECT id FROM players WHERE lower(name) = lower(%s)) AND key = %s
        """
    row = connection.execute(query, [write.player, write.key]).fetchone()
    if row is None:
        return None
    route, body_hash, status, body = row
    if (route, body_hash) != (write.route, write.body_hash):
        raise UsageFault("this Idempotency-Key was used for another request: each write has a key of its own")
    return Answered(status, body)


def keep(connection: Connection, write: KeyedWrite, answered: Answered) -> None:
    query = """
        INSERT INTO idempotency (player_id, key, route, body_hash, status, body)
        SELECT id, %s, %s, %s, %s, %s FROM players WHERE lower(name) = lower(%s)
        """
    connection.execute(query, [write.key, write.route, write.body_hash, answered.status, answered.body, write.player])
