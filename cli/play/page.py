"""`ladder play --html FILE`: a match that was just played as a page."""

from __future__ import annotations

from pathlib import Path

from cli.context import Context
from cli.options.pages import write_page
from cli.play.keeping import KeptMatch
from ladder.views.turns.local import watched


def write_kept(context: Context, kept: KeptMatch, path: Path, *, over: bool) -> None:
    """Write a match as a page. `over`: the file may exist already. Raises Refused, UsageFault."""
    name = kept.name or f"seed {kept.match.head.seed}"
    write_page(context, path, watched(kept.match, name, context.games), over=over)
