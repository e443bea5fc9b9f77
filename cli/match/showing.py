"""`ladder match show`: one match, of the ladder or played here."""

from __future__ import annotations

from cli.context import Context
from cli.database_to_read import database_to_read
from cli.match.detail_text import detail_text
from cli.match.local_texts import local_text
from cli.options.matches import MatchName
from ladder.matches.local_matches import LocalMatches
from ladder.matches.local_names import LocalName
from ladder.views.matches import read_match
from ladder.views.turns.local import read_local


def show(context: Context, match: MatchName, *, turns: bool, as_json: bool) -> None:
    """Show a match; `turns`: also every line that was said. Raises UnknownName, Refused, Unavailable."""
    width = context.width
    if isinstance(match.words, LocalName):
        local = read_local(LocalMatches(context.home.played), context.games, match.words)
        context.show_json(local) if as_json else context.show(local_text(local, width, turns=turns))
        return
    with database_to_read(context) as connection:
        found = read_match(connection, context.games, match.words)
    context.show_json(found) if as_json else context.show(detail_text(found, width, turns=turns))
