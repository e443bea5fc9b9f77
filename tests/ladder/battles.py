"""Battles that tests make one by one."""

from typing import Any

from ladder.database.connection import Connection
from ladder.ids import MatchId
from ladder.matches.matches import NewBattle, insert_battles


def insert_battle(connection: Connection, *battle: Any, **more: Any) -> list[MatchId]:
    """Insert what `NewBattle` is made of, and return its matches."""
    return insert_battles(connection, [NewBattle(*battle, **more)])
