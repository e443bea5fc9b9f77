"""Setting up a ladder: its schema, and the games' leagues and bosses in it; letting its workers end."""

from __future__ import annotations

from engine.errors import UnknownName
from engine.game import Games
from engine.games.catalogue import all_games
from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.bots.versions import Version
from ladder.database.connection import Pool, connect, transaction
from ladder.database.migrate import Migration
from ladder.database.migrate import migrate as apply_migrations
from ladder.fleet import workers
from ladder.fleet.workers import FleetSize
from ladder.flows.installation import prepare
from ladder.leagues import leagues


def bring_up_to_date(database_url: str, games: Games | None = None) -> None:
    """Do all that a database needs before workers start, without an actor: the supervisor of a home does it.

    `games`: those that get leagues and bosses; None: all that are here.
    """
    apply_migrations(database_url)
    with connect(database_url) as connection:
        prepare(connection, all_games() if games is None else games)


def migrate(actor: Actor, database_url: str) -> list[Migration]:
    """Bring the schema up to date, whole or not at all. Raises NotAllowed, Refused for an unknown schema."""
    require(actor, Deed.INSTALL)
    applied = apply_migrations(database_url)
    if applied:
        with connect(database_url) as connection:
            audit.write(connection, actor, "db migrate", f"schema {applied[-1].number}")
    return applied


def bring_in_games(actor: Actor, pool: Pool, games: Games) -> list[Version]:
    """Bring all games' leagues and bosses into the database, or up to date. Returns the bosses that are new."""
    require(actor, Deed.INSTALL)
    with transaction(pool) as connection:
        new = prepare(connection, games)
        if new:
            audit.write(connection, actor, "db migrate", ", ".join(version.name for version in new))
    return new


def drain(actor: Actor, pool: Pool, host: str | None) -> FleetSize:
    """Let the workers that live, or those of a host, finish their matches and end. Raises NotAllowed, UnknownName."""
    require(actor, Deed.DRAIN)
    with transaction(pool) as connection:
        asked = workers.drain(connection, host)
        if host is not None and not asked.processes:
            hosts = sorted({one.host for one in workers.live_workers(connection) if one.host is not None})
            raise UnknownName.of("host with workers", host, hosts)
        if asked.processes:
            audit.write(connection, actor, "worker drain", host or "all hosts")
    return asked


def set_battles(actor: Actor, pool: Pool, game: str, battles: int) -> None:
    require(actor, Deed.INSTALL)
    with transaction(pool) as connection:
        leagues.set_battles(connection, game, battles)
        audit.write(connection, actor, "set battles", f"{game}: {battles}")
