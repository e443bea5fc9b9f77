"""Showing a match to the person who asked: on the terminal, or as plain text.

Imports inside functions: commands that show no match start without what shows one, and plain text without Textual.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.context import Context
    from ladder.views.turns.watched import WatchedMatch


def open_view(context: Context, watched: WatchedMatch, turn: int | None = None) -> None:
    """Show a match on the terminal until somebody has seen enough; elsewhere, or without a turn, print it in short.

    `turn`: print that turn alone. Raises UsageFault where the match has no such turn, KeyboardInterrupt at Ctrl-C.
    """
    from cli.match.view.plain import scene_of, show_plain

    scene = scene_of(context, watched)
    if turn is not None or not scene.turns or not is_screen():
        show_plain(context, scene, turn)
        return
    from cli.match.view.app import run_viewer

    run_viewer(scene)


def is_screen() -> bool:
    files = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    if not all(file is not None and file.isatty() and file.encoding.lower() == "utf-8" for file in files):
        return False
    return os.environ.get("TERM", "dumb") not in {"dumb", "unknown"}
