"""What operators do with seasons: close one."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import Refused
from ladder import deeds
from ladder.access import Actor, Deed, require
from ladder.database.connection import Connection, Pool, transaction
from ladder.seasons import ending
from ladder.views.seasons import SeasonSoFar, ending_sentence, so_far, unplayed


@dataclass(frozen=True, slots=True)
class LastSeries:
    """Battles that are played before a season is closed: this many for each of the first `top` of every board."""

    battles: int
    top: int


def close(
    actor: Actor,
    pool: Pool,
    game: str,
    number: int | None = None,
    series: LastSeries | None = None,
    *,
    only_settled: bool = False,
) -> SeasonSoFar:
    """Close a game's season at once, or after a last series.

    `number`: only if it is that season; `only_settled`: only if nothing waits to be played. Raises NotAllowed, and
    Refused where the season has no match or, with `only_settled`, something is still to be played.
    """
    require(actor, Deed.CLOSE_SEASON)
    if only_settled:
        with transaction(pool) as connection:
            require_settled(connection, game)
    with transaction(pool) as connection:
        if series is None:
            season = ending.close(connection, game, number)
        else:
            season = ending.begin_series(connection, game, series.battles, series.top, number)
        found = so_far(connection, season)
        deeds.write(connection, actor.player, "season close", ending_sentence(found))
    return found


def require_settled(connection: Connection, game: str) -> None:
    """Raise Refused where a game's season has matches or battles that are still to be played."""
    left = unplayed(connection, game)
    if not left.is_settled:
        raise Refused(
            f"the season of {game} is not played to its end: {left.sentence}; --now closes it all the same, "
            "--when-settled waits"
        )
