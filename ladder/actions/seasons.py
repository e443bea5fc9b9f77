"""What operators do with seasons: close one."""

from __future__ import annotations

from dataclasses import dataclass

from ladder import deeds
from ladder.access import Actor, Deed, require
from ladder.database.connection import Pool, transaction
from ladder.seasons import ending
from ladder.views.seasons import SeasonSoFar, ending_sentence, so_far


@dataclass(frozen=True, slots=True)
class LastSeries:
    """Battles that are played before a season is closed: this many for each of the first `top` of every board."""

    battles: int
    top: int


def close(
    actor: Actor, pool: Pool, game: str, number: int | None = None, series: LastSeries | None = None
) -> SeasonSoFar:
    """Close a game's season at once, or after a last series.

    `number`: only if it is that season. Raises NotAllowed, and Refused where the season has no match.
    """
    require(actor, Deed.CLOSE_SEASON)
    with transaction(pool) as connection:
        if series is None:
            season = ending.close(connection, game, number)
        else:
            season = ending.begin_series(connection, game, series.battles, series.top, number)
        found = so_far(connection, season)
        deeds.write(connection, actor.player, "season close", ending_sentence(found))
    return found
