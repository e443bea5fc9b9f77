"""`ladder player sessions`: the browsers in which a player is logged in.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.context import this


def player_sessions(
    typer_context: typer.Context,
    name: Annotated[str, typer.Argument(help="The player's name.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """List the browsers in which a player is logged in: since when, when they were there last, until when.

    A player sees those of its own account, an operator everybody's. A new password ends them all, and so does
    `ladder player disable`.

    Example: ladder player sessions kim
    """
    from cli.account.shown import show_sessions

    show_sessions(this(typer_context), name, as_json=as_json)
