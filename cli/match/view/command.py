"""The command `ladder match view`."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.context import this
from cli.match.looking import watched_match
from cli.match.view.opening import open_view
from cli.options.matches import MatchArgument


def view_match(
    typer_context: typer.Context,
    match: MatchArgument,
    turn: Annotated[
        int | None, typer.Option("--turn", metavar="TURN", min=1, help="Print this turn of the match, and end.")
    ] = None,
) -> None:
    """Look at a match turn by turn.

    Turns are counted as `ladder match show --turns` counts them.

    Example: ladder match view 17 --turn 42

    Example: ladder match view play:1
    """
    context = this(typer_context)
    open_view(context, watched_match(context, match), turn)
