"""A match that can be looked at turn by turn, by any of its names."""

from __future__ import annotations

from cli.context import Context
from cli.database_to_read import database_to_read
from cli.options.matches import MatchName
from ladder.matches.local_matches import LocalMatches
from ladder.matches.local_names import LocalName
from ladder.views.turns.local import watch_local
from ladder.views.turns.watched import WatchedMatch, read_match


def watched(context: Context, match: MatchName) -> WatchedMatch:
    """Read a match, turn by turn. Raises UnknownName, Refused, Unavailable."""
    if isinstance(match.words, LocalName):
        return watch_local(LocalMatches(context.home.played), context.games, match.words)
    with database_to_read(context) as connection:
        return read_match(connection, context.games, match.words)
