"""Quotas in the database: what they are, what is used of them, what refuses more, and games that are locked.

How this works. Quotas hold for what comes through the web: by a token, or by the session of a browser. Whoever reaches
the database has none. The player's row is locked first, before anything else that the transaction locks, and until its
end: so what others of the same player have used is there to be counted, or waits.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import ClassVar, LiteralString

from engine.errors import Refused
from engine.immutable import immutable
from ladder.access import Actor, Via
from ladder.accounts import accounts
from ladder.accounts.accounts import Account
from ladder.database.connection import Connection, Rows, first_column, one, without_nul
from ladder.database.schema import names_of_fields
from ladder.errors import QuotaUsed
from ladder.ids import GauntletId, PlayerId
from ladder.quotas.rules import DAY, HOUR, Quota, Quotas, Use, possible_from, refusal


@immutable
class GameLock:
    """A game is locked: since when, why, and by whom."""

    game: str
    closed_at: datetime
    why: str
    by: str


def put(connection: Connection, game: str, why: str, by: str) -> bool:
    """Lock a game. Returns whether it was not locked before; a lock that is there stays as it is."""
    query = "INSERT INTO game_locks (game, why, by) VALUES (%s, %s, %s) ON CONFLICT (game) DO NOTHING"
    inserted = connection.execute(query, [game, without_nul(why), without_nul(by)])
    return inserted.rowcount == 1


def remove(connection: Connection, game: str) -> bool:
    return connection.execute("DELETE FROM game_locks WHERE game = %s", [game]).rowcount == 1


def find(connection: Connection, game: str) -> GameLock | None:
    return Rows(connection, GameLock).first("SELECT game, closed_at, why, by FROM game_locks WHERE game = %s", [game])


def require_unlocked(connection: Connection, game: str) -> None:
    lock = find(connection, game)
    if lock is not None:
        raise Refused(f"{game} is locked, so no version is submitted or activated ({lock.why}); play goes on")


@immutable
class QuotaLine:
    """A quota. `limit`: None for none; `used`: None of everybody's quotas; `again_at`: when more is possible.

    That is None while more is possible, and where no time is known.
    """

    SHOWN: ClassVar = ("words",)

    quota: Quota
    limit: int | None
    used: float | None
    again_at: datetime | None

    @property
    def words(self) -> str:
        return self.quota.words


@immutable
class QuotaList:
    """The quotas of a player, or everybody's where `player` is None. `is_own`: they are not those by default."""

    player: str | None
    is_own: bool
    lines: list[QuotaLine]


def everybodys(connection: Connection) -> QuotaList:
    quotas = quotas_of(connection, None)
    lines = [QuotaLine(quota, quotas.limit(quota), None, None) for quota in Quota]
    return QuotaList(None, own_quotas(connection, None) is not None, lines)


def of_player(connection: Connection, name: str) -> QuotaList:
    account = accounts.find_player(connection, name)
    quotas = quotas_of(connection, account.id)
    lines: list[QuotaLine] = []
    for quota in Quota:
        limit = quotas.limit(quota)
        so_far = usage_of(connection, account, quota)
        is_over = limit is not None and so_far.much + 1 > limit
        lines.append(QuotaLine(quota, limit, so_far.much, so_far.again_at(limit or 0) if is_over else None))
    return QuotaList(account.name, own_quotas(connection, account.id) is not None, lines)


def waiting_until(connection: Connection, players: Collection[str]) -> dict[str, datetime]:
    """Return who has no processor time left, in small letters, and until when: at last tomorrow."""
    until: dict[str, datetime] = {}
    tomorrow: datetime = one(connection, "SELECT date_trunc('day', now(), 'UTC') + interval '1 day'", {})[0]
    for name in players:
        account = accounts.account_called(connection, name)
        if account is not None:
            limit = quotas_of(connection, account.id).limit(Quota.CPU_S_PER_DAY)
            so_far = usage_of(connection, account, Quota.CPU_S_PER_DAY)
            if limit is not None and so_far.much + 1 > limit:
                until[name.lower()] = so_far.again_at(limit) or tomorrow
    return until


def beyond_room(connection: Connection, players: Collection[str]) -> set[GauntletId]:
    """Return their gauntlets beyond the quota: one that begins by itself refuses nobody."""
    query = "SELECT id FROM gauntlets WHERE state = 'running' AND lower(asked_by) = lower(%s) ORDER BY id OFFSET %s"
    beyond: set[GauntletId] = set()
    for player in players:
        account = accounts.account_called(connection, player)
        limit = None if account is None else quotas_of(connection, account.id).limit(Quota.GAUNTLETS_RUNNING)
        if limit is not None:
            beyond.update(first_column(connection, query, [player, limit]))
    return beyond


def write_down(connection: Connection, gauntlet_id: GauntletId, until: datetime | None, *, for_room: bool) -> None:
    """Write down until when a gauntlet waits for time, None where it does not, and whether it waits for room."""
    query = "UPDATE gauntlets SET waits_until = %s, waits_for_room = %s WHERE id = %s"
    connection.execute(query, [until, for_room, gauntlet_id])


def holds_for(actor: Actor) -> bool:
    return actor.via in {Via.SESSION, Via.TOKEN}


def require_room(connection: Connection, actor: Actor, *concerned: Quota, much: float = 1) -> None:
    """Raise QuotaUsed, or lock the player's row. Of processor time a second has to be left."""
    if not holds_for(actor):
        return
    account = accounts.find_account(connection, actor.player)
    accounts.lock(connection, account.id)
    quotas = quotas_of(connection, account.id)
    now: datetime = one(connection, "SELECT now()", {})[0]
    for quota in concerned:
        limit = quotas.limit(quota)
        more = 1 if quota is Quota.CPU_S_PER_DAY else much
        so_far = Used([], None) if limit is None else usage_of(connection, account, quota)
        if limit is not None and so_far.much + more > limit:
            again_at = so_far.again_at(limit, more)
            wait_s = None if again_at is None else max((again_at - now).total_seconds(), 1)
            raise QuotaUsed(refusal(quota, account.name, limit, so_far.much, more, again_at, now), again_at, wait_s)


@immutable
class Used:
    """What counts at present, the oldest first; each for that long. `counts_for`: None where it has no certain end."""

    uses: list[Use]
    counts_for: timedelta | None

    @property
    def much(self) -> float:
        return sum(use.much for use in self.uses)

    def again_at(self, limit: float, more: float = 1) -> datetime | None:
        return None if self.counts_for is None else possible_from(self.uses, limit, more, self.counts_for)


def usage_of(connection: Connection, account: Account, quota: Quota) -> Used:
    query, period = USED[quota]
    uses = Rows(connection, Use).all(query, {"player": account.id, "name": account.name, "period": period})
    return Used(uses, period)


SUBMITTED: LiteralString = """
    SELECT submitted_at AS at, 1 AS much FROM versions JOIN bots ON bots.id = bot_id
    WHERE player_id = %(player)s AND submitted_at > now() - %(period)s ORDER BY submitted_at"""
BATTLES: LiteralString = """
    SELECT created_at AS at, CASE WHEN lapsed IS NULL THEN battles ELSE made END AS much FROM requests
    WHERE lower(asked_by) = lower(%(name)s) AND season_id IS NULL AND created_at > now() - %(period)s
    ORDER BY created_at"""
RUNNING: LiteralString = """
    SELECT now() AS at, count(*) AS much FROM gauntlets
    WHERE state = 'running' AND lower(asked_by) = lower(%(name)s)"""
CPU_S: LiteralString = """
    SELECT hour AS at, cpu_us / 1e6::float8 AS much FROM usage
    WHERE player_id = %(player)s AND hour > now() - %(period)s ORDER BY hour"""
TOKENS: LiteralString = """
    SELECT now() AS at, count(*) AS much FROM tokens
    WHERE player_id IN (SELECT id FROM players WHERE %(player)s IN (id, team_id)) AND revoked_at IS NULL
      AND expires_at > now()"""
QUESTIONS: LiteralString = """
    SELECT asked_at AS at, 1 AS much FROM clarifications
    WHERE lower(asked_by) = lower(%(name)s) AND asked_at > now() - %(period)s ORDER BY asked_at"""
USED: Mapping[Quota, tuple[LiteralString, timedelta | None]] = {
    Quota.VERSIONS_PER_HOUR: (SUBMITTED, HOUR),
    Quota.VERSIONS_PER_DAY: (SUBMITTED, DAY),
    Quota.BATTLES_PER_DAY: (BATTLES, DAY),
    Quota.GAUNTLETS_RUNNING: (RUNNING, None),
    Quota.CPU_S_PER_DAY: (CPU_S, DAY),
    Quota.TOKENS: (TOKENS, None),
    Quota.QUESTIONS_PER_HOUR: (QUESTIONS, HOUR),
}
"""What a player has used, and how long each use counts; of what was taken back only the battles that were made."""

COLUMNS = names_of_fields(Quotas)


def own_quotas(connection: Connection, player_id: PlayerId | None) -> Quotas | None:
    """Return a player's own quotas, or everybody's that an operator has set; None where there are none."""
    query = f"SELECT {', '.join(COLUMNS)} FROM quotas WHERE player_id IS NOT DISTINCT FROM %s"  # noqa: S608
    return Rows(connection, Quotas).first(query, [player_id])


def quotas_of(connection: Connection, player_id: PlayerId | None) -> Quotas:
    """Return the quotas that hold for a player: its own, else everybody's; with None everybody's."""
    of_player = None if player_id is None else own_quotas(connection, player_id)
    return of_player or own_quotas(connection, None) or Quotas()


def change(connection: Connection, player_id: PlayerId | None, changes: Mapping[Quota, int | None]) -> Quotas:
    """Give a player, or with None everybody, other quotas from now on; those that are not named stay as they are."""
    quotas = replace(quotas_of(connection, player_id), **{quota.value: limit for quota, limit in changes.items()})
    query = f"""
        INSERT INTO quotas (player_id, {", ".join(COLUMNS)})
        VALUES (%(player)s, {", ".join(f"%({name})s" for name in COLUMNS)})
        ON CONFLICT (player_id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in COLUMNS)}"""  # noqa: S608
    connection.execute(query, {"player": player_id, **asdict(quotas)})
    return quotas


def reset(connection: Connection, player_id: PlayerId | None) -> bool:
    """Let everybody's quotas hold for a player again, or for everybody those by default. Returns whether others did."""
    return connection.execute("DELETE FROM quotas WHERE player_id IS NOT DISTINCT FROM %s", [player_id]).rowcount == 1
