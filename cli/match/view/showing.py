"""What `ladder match view` and `ladder match schema` do."""

from __future__ import annotations

import sys

from cli.context import Context
from cli.match.looking import watched_match
from cli.match.view.latest import Latest
from cli.match.view.opening import open_view
from cli.options.matches import MatchName
from ladder.views.turns.replay_data import replay_data, replay_schema


def show_match(context: Context, match: MatchName | None, latest: Latest, turn: int | None, *, as_json: bool) -> None:
    """Show a match turn by turn, or print it as JSON. `match`: None where `latest` says which one is meant."""
    if match is not None:
        latest.refuse_beside_a_match()
    watched = watched_match(context, latest.find(context) if match is None else match)
    if as_json:
        context.show_json(replay_data(watched), compact=True)
    else:
        open_view(context, watched, turn)


def show_schema() -> None:
    """Print the JSON Schema of replays."""
    sys.stdout.write(replay_schema())
