"""The command `ladder demo`.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.context import this
from cli.options.numbers import MOST_OWN_BATTLES

BATTLES = 8
"""Battles in each league: few, so that the demo is over in a minute."""


def demo(
    typer_context: typer.Context,
    battles: Annotated[
        int, typer.Option("--battles", min=1, max=MOST_OWN_BATTLES, help="Battles in each league.")
    ] = BATTLES,
) -> None:
    """Show the whole thing once, in a minute.

    Services, submissions, sandboxed matches, leagues, leaderboards. A line for each promotion says how it came about;
    at the end one match is drawn. It works in a home of its own, made anew each time, beside LADDER_HOME. Only bots
    that ship with Ladder play, so where no sandbox works it runs without one, and says so.

    Example: ladder demo --battles 10
    """
    from cli.demo.running import run_demo

    run_demo(this(typer_context), battles)
