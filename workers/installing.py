"""What a database needs before workers start: the schema, and the leagues and bosses of all games here."""

from __future__ import annotations

from engine.games.catalogue import all_games
from ladder.actions import installation


def bring_up_to_date(database_url: str) -> None:
    installation.bring_up_to_date(database_url, all_games())
