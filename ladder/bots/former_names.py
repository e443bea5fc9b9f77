"""Names that bots had before: each leads to its bot for good."""

from __future__ import annotations

from psycopg.rows import scalar_row

from engine.errors import Refused
from ladder.bots.bots import Bot, bots_called
from ladder.database.connection import Connection
from ladder.ids import BotId


def former_names(connection: Connection, bot_id: BotId) -> list[str]:
    with connection.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(
            "SELECT name FROM former_names WHERE bot_id = %s ORDER BY left_at DESC, name", [bot_id]
        ).fetchall()


def rename(connection: Connection, bot: Bot, name: str) -> None:
    """Give a locked bot another name; the old one leads to it. Raises Refused where it is taken, UsageFault."""
    other = next((found for found in bots_called(connection, name, bot.game) if found.id != bot.id), None)
    if other is not None:
        leads = "belongs" if other.name.lower() == name.lower() else f"leads to {other.name}, which belongs"
        raise Refused(f"the name {name} {leads} to {other.player}; choose another name")
    connection.execute("DELETE FROM former_names WHERE bot_id = %s AND lower(name) = lower(%s)", [bot.id, name])
    connection.execute("UPDATE bots SET name = %s WHERE id = %s", [name, bot.id])
    if bot.name.lower() != name.lower():
        connection.execute(
            "INSERT INTO former_names (bot_id, game, name) VALUES (%s, %s, %s)", [bot.id, bot.game, bot.name]
        )
