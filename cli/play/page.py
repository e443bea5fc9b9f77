"""`ladder play --html FILE` and `--view`: a match that was just played as a page, and in the terminal view."""

from __future__ import annotations

from pathlib import Path

from cli.context import Context
from cli.match.view.command import open_view
from cli.options.pages import write_page
from cli.play.series import KeptMatch
from ladder.views.turns.watched_match import WatchedMatch, watched


def write_kept(context: Context, kept: KeptMatch, path: Path, *, over: bool) -> None:
    """Write a match as a page. `over`: the file may exist already. Raises Refused, UsageFault."""
    write_page(context, path, turn_by_turn(context, kept), over=over)


def open_kept(context: Context, kept: KeptMatch) -> None:
    open_view(context, turn_by_turn(context, kept))


def turn_by_turn(context: Context, kept: KeptMatch) -> WatchedMatch:
    """Return a match as it can be looked at. One that could not be kept is called by its seed."""
    return watched(kept.match, kept.name or f"seed {kept.match.head.seed}", context.games)
