"""What operators do with ratings: rate leagues again."""

from __future__ import annotations

from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.database.connection import Pool, transaction
from ladder.ratings import rewrite
from ladder.views.boards import wanted_leagues
from ladder.views.ratings import Progress, RatedLeague, unseen


def recompute(
    actor: Actor, pool: Pool, game: str | None = None, league: str | None = None, progress: Progress = unseen
) -> list[RatedLeague]:
    """Rate all finished matches of leagues again, and return what that has changed in each.

    Raises NotAllowed, UnknownName, UsageFault, and ArenaError for a match that cannot be rated.
    """
    require(actor, Deed.RECOMPUTE)
    with transaction(pool) as connection:
        wanted = wanted_leagues(connection, game, league)
        by_id = {found.id: found for found in wanted}
        with progress(connection, wanted) as on_match:
            done = rewrite.recompute(connection, list(by_id), on_match)
        lines = sum(row.changed_lines for row in done)
        about = f"{', '.join(found.title for found in wanted)}: {lines} ledger lines changed"
        audit.write_deed(connection, actor, "rating recompute", about)
    return [RatedLeague(row, by_id[row.league_id].game, by_id[row.league_id].name) for row in done]
