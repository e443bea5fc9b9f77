"""A match that can be looked at turn by turn, by any of its names.

Imports inside functions: one that was played here is shown without the libraries for a database.
"""

from __future__ import annotations

from cli.context import Context
from cli.options.matches import MatchName
from ladder.matches.local_matches import LocalMatches, LocalName
from ladder.views.turns.watched import WatchedMatch
from ladder.views.turns.watched_local import watch_local


def watched(context: Context, match: MatchName) -> WatchedMatch:
    """Read a match, turn by turn. Raises UnknownName, Refused, Unavailable."""
    if isinstance(match.words, LocalName):
        return watch_local(LocalMatches(context.home.played), context.games, match.words)
    from ladder.views.turns.watched_stored import read_match

    return context.read(read_match, context.games, match.words)
