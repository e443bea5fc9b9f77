"""Setting up a ladder: its schema, the games' leagues and bosses, what is moved in; and letting its workers end."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engine.errors import UnknownName
from engine.game import Games
from engine.games.catalogue import all_games
from engine.text import counted
from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.bots.versions import Version
from ladder.database.connection import Pool, connect
from ladder.database.migrate import Migration
from ladder.database.migrate import migrate as apply_migrations
from ladder.errors import QueueDown
from ladder.fleet import workers
from ladder.fleet.workers import FleetSize
from ladder.flows.games import prepare
from ladder.imports import league_import
from ladder.imports.league_import import ImportedLeague, ImportOrder
from ladder.leagues import leagues
from ladder.queue import Queue
from ladder.transfer.importing import import_all
from ladder.transfer.manifest import Manifest


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
    with audit.transaction_for(actor, pool, Deed.INSTALL) as connection:
        new = prepare(connection, games)
        if new:
            audit.write(connection, actor, "db migrate", ", ".join(version.name for version in new))
    return new


def drain(actor: Actor, pool: Pool, host: str | None) -> FleetSize:
    """Let the workers that live, or those of a host, finish their matches and end. Raises NotAllowed, UnknownName."""
    with audit.transaction_for(actor, pool, Deed.DRAIN) as connection:
        size = workers.drain(connection, host)
        if host is not None and not size.processes:
            hosts = sorted({worker.host for worker in workers.live_workers(connection) if worker.host is not None})
            raise UnknownName.of("host with workers", host, hosts)
        if size.processes:
            audit.write(connection, actor, "worker drain", host or "all hosts")
    return size


def set_battles(actor: Actor, pool: Pool, game: str, battles: int) -> None:
    with audit.transaction_for(actor, pool, Deed.INSTALL) as connection:
        leagues.set_battles(connection, game, battles)
        audit.write(connection, actor, "set battles", f"{game}: {battles}")


def import_ladder(actor: Actor, pool: Pool, place: Path, begin: Callable[[int], Callable[[], None]]) -> Manifest:
    """Make this ladder the one that an export holds, audit and all. Raises NotAllowed, and as `import_all`."""
    with audit.transaction_for(actor, pool, Deed.IMPORT) as connection:
        return import_all(connection, place, begin)


def import_league(actor: Actor, pool: Pool, queue: Queue | None, order: ImportOrder) -> ImportedLeague:
    """Import another program's league, as the actor's bots; without a queue take it back. Raises NotAllowed."""
    with (
        audit.transaction_for(actor, pool, Deed.IMPORT_LEAGUE) as connection,
        connection.transaction(force_rollback=queue is None),
    ):
        imported = league_import.import_league(connection, actor.player, order)
        if not imported.changes_nothing:
            what = [counted(len(imported.versions), "version"), counted(imported.matches, "match", "matches")]
            what += [f"{name} = {value}" for name, value in imported.settings_taken.items()]
            about = f"{imported.league} of {imported.game}: {', '.join(what)}"
            audit.write_deed(connection, actor, f"import {imported.origin}", about)
    if queue is None:
        return replace(imported, applied=False)
    with suppress(QueueDown):  # the sweep asks again
        for version_id in imported.to_build:
            queue.enqueue_build(version_id)
    return imported
