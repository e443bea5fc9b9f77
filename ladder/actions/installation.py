"""Setting up a ladder: its schema, and the games' leagues and bosses in it."""

from __future__ import annotations

from engine.game import Games
from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.bots.versions import Version
from ladder.database.connection import Pool, connect, transaction
from ladder.database.migrate import Migration
from ladder.database.migrate import migrate as apply_migrations
from ladder.flows.installation import prepare
from ladder.leagues import leagues


def bring_up_to_date(database_url: str, games: Games) -> None:
    """Migrate the schema and bring leagues and bosses into it: all that a database needs before workers start.

    The supervisor of the embedded services does it, without an actor.
    """
    apply_migrations(database_url)
    with connect(database_url) as connection:
        prepare(connection, games)


def migrate(actor: Actor, database_url: str) -> list[Migration]:
    """Bring the schema up to date, whole or not at all, and return what was applied.

    Raises NotAllowed, and Refused for a database that a newer or a changed program has migrated.
    """
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


def set_battles(actor: Actor, pool: Pool, game: str, battles: int) -> None:
    """Let every version have that many battles in each league of a game."""
    require(actor, Deed.INSTALL)
    with transaction(pool) as connection:
        leagues.set_battles(connection, game, battles)
        audit.write(connection, actor, "set battles", f"{game}: {battles}")
