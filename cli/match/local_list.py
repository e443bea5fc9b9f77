"""`ladder match list --local`: the last matches of `ladder play`."""

from __future__ import annotations

from cli.context import Context
from cli.match.local_texts import local_table
from ladder.matches.local_matches import LocalMatches
from ladder.views.turns.local import list_local


def list_played_here(context: Context, limit: int, *, as_json: bool) -> None:
    """List the last matches of `ladder play`, and say which files of them are damaged."""
    store = LocalMatches(context.home.played)
    found = list_local(store, limit)
    if as_json:
        context.show_json(found.matches)
    elif found.matches:
        context.show(local_table(found.matches))
        context.show("look at one with `ladder match view MATCH`; `ladder match show MATCH` has all of it in words")
    else:
        context.say("`ladder play` has played no match here yet")
    if found.damaged:
        context.say(f"damaged files in {store.folder} were left out: {', '.join(found.damaged)}")
