"""What operators do with ratings: rate leagues again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias

from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.database.connection import Connection, Pool, transaction
from ladder.leagues.leagues import League
from ladder.ratings import rewrite
from ladder.views.boards import wanted_leagues
from ladder.views.ratings import RatedLeague

Progress: TypeAlias = Callable[[Connection, Sequence[League]], AbstractContextManager[Callable[[], None]]]
"""Shows how far the leagues' matches are; it gives what is to be called after each of them."""


@contextmanager
def unseen(_connection: Connection, _leagues: Sequence[League]) -> Iterator[Callable[[], None]]:
    """Show nothing."""
    yield lambda: None


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
