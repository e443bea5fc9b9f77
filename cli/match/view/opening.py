"""Showing a match to the person who asked: on the terminal, or as plain text.

Imports inside functions: commands that show no match start without what shows one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.context import Context
    from ladder.views.turns.watched import WatchedMatch


def open_view(context: Context, watched: WatchedMatch, turn: int | None = None) -> None:
    """Print a match in short, or one turn of it. Raises UsageFault where it has no such turn."""
    from cli.match.view.plain import match_text, turn_text

    context.show(match_text(watched) if turn is None else turn_text(watched, turn))
