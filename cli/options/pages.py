"""Matches as pages: HTML files that need no network."""

from __future__ import annotations

from pathlib import Path

from cli.context import Context
from cli.options.files import write_file
from engine.errors import Refused, UnknownName
from engine.game import Game
from engine.referees.edition import game_played
from engine.text import listed
from ladder.viewer import page_of
from ladder.views.turns.watched_match import WatchedMatch


def game_to_show(context: Context, watched: WatchedMatch) -> Game | None:
    """Return a match's game; None where only a server has it, so it is shown without pictures."""
    try:
        return game_played(context.games, watched.game, watched.edition)
    except (UnknownName, Refused):
        if context.server is None:
            raise
        return None


def write_page(context: Context, path: Path, *matches: WatchedMatch, over: bool) -> None:
    """Write the page of a match, or of two on one seed, and say so. Raises Refused where it is there, UsageFault."""
    write_file(path, page_text(context, *matches), over=over)
    context.say(f"{path} shows {listed([match.name for match in matches])}: open it in a browser")


def page_text(context: Context, *matches: WatchedMatch) -> bytes:
    """Return the page of a match, or of two on one seed. Raises UsageFault where they do not compare."""
    return page_of(matches, game_to_show(context, matches[0])).encode()
