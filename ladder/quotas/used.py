"""What a player has used of each quota. Versions that were rejected count, battles that were taken back do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from psycopg.rows import class_row

from ladder.accounts.accounts import Account
from ladder.database.connection import Connection, one
from ladder.quotas.rules import DAY, HOUR, Quota, Use


@dataclass(frozen=True, slots=True)
class Used:
    """What counts at present, the oldest first; each for that long. `counts_for`: None where it has no certain end."""

    uses: list[Use]
    counts_for: timedelta | None

    @property
    def much(self) -> float:
        """Return how much that is."""
        return sum(use.much for use in self.uses)


def used(connection: Connection, account: Account, quota: Quota) -> Used:
    """Return what a player has used of a quota."""
    return READERS[quota](connection, account)


def versions_within(period: timedelta) -> Callable[[Connection, Account], Used]:
    """Return what reads the versions that were submitted within that time."""

    def read(connection: Connection, account: Account) -> Used:
        query = """
            SELECT submitted_at AS at, 1 AS much FROM versions JOIN bots ON bots.id = bot_id
            WHERE player_id = %(player)s AND submitted_at > now() - %(period)s ORDER BY submitted_at
        """
        return Used(uses(connection, query, account, period), period)

    return read


def battles(connection: Connection, account: Account) -> Used:
    """Return the battles that were asked for within a day; of what was taken back only what was made."""
    query = """
        SELECT created_at AS at, CASE WHEN lapsed IS NULL THEN battles ELSE made END AS much FROM requests
        WHERE lower(asked_by) = lower(%(name)s) AND season_id IS NULL AND created_at > now() - %(period)s
        ORDER BY created_at
    """
    return Used(uses(connection, query, account, DAY), DAY)


def cpu_s(connection: Connection, account: Account) -> Used:
    """Return the processor time of the matches that a player asked for, in seconds, hour by hour of the last 24."""
    query = """
        SELECT hour AS at, cpu_us / 1e6::float8 AS much FROM usage
        WHERE player_id = %(player)s AND hour > now() - %(period)s ORDER BY hour
    """
    return Used(uses(connection, query, account, DAY), DAY)


def uses(connection: Connection, query: str, account: Account, period: timedelta) -> list[Use]:
    """Return what a query finds."""
    with connection.cursor(row_factory=class_row(Use)) as cursor:
        found = cursor.execute(query.encode(), {"player": account.id, "name": account.name, "period": period})
        return found.fetchall()


def gauntlets(connection: Connection, account: Account) -> Used:
    """Return the gauntlets of a player that run."""
    query = "SELECT count(*), now() FROM gauntlets WHERE state = 'running' AND lower(asked_by) = lower(%(name)s)"
    number, now = one(connection, query, {"name": account.name})
    return Used([Use(now, number)], None)


def tokens(connection: Connection, account: Account) -> Used:
    """Return the tokens of a player that are valid."""
    query = """
        SELECT count(*), now() FROM tokens
        WHERE player_id = %(player)s AND revoked_at IS NULL AND expires_at > now()
    """
    number, now = one(connection, query, {"player": account.id})
    return Used([Use(now, number)], None)


READERS: Mapping[Quota, Callable[[Connection, Account], Used]] = {
    Quota.VERSIONS_PER_HOUR: versions_within(HOUR),
    Quota.VERSIONS_PER_DAY: versions_within(DAY),
    Quota.BATTLES_PER_DAY: battles,
    Quota.GAUNTLETS_RUNNING: gauntlets,
    Quota.CPU_S_PER_DAY: cpu_s,
    Quota.TOKENS: tokens,
}
