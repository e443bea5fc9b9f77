"""`ladder deeds`: what operators did that concerns others, and by which name such a deed is written down."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from cli.context import default_player, this
from cli.options.numbers import MOST_ROWS

ByOption = Annotated[
    str | None,
    typer.Option("--player", "-p", help="Who does it; it is written down. [default: LADDER_PLAYER or your login name]"),
]


def doer_named(player: str | None) -> str:
    """Return by which name a deed is written down, by default this person's. Raises UsageFault for an empty one."""
    from engine.errors import UsageFault

    if player == "":
        raise UsageFault("--player is empty: name who does it, or leave it out to be yourself")
    return default_player() if player is None else player


def show_deeds(
    typer_context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MOST_ROWS, help="How many, the latest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """Show what operators did that concerns others: who, when and what.

    Matches that were taken back, gauntlets of others that were stopped, seasons that were closed, leagues that were
    changed or rated again.

    Example: ladder deeds --limit 5
    """
    from cli.render import moment_text
    from cli.terminal.table import FittingTable
    from ladder import deeds

    context = this(typer_context)
    with context.database() as connection:
        found = deeds.latest(connection, limit)
    if as_json:
        context.show_json([asdict(one) for one in found])
    elif found:
        rows = [(moment_text(one.done_at), one.done_by, one.deed, one.about) for one in found]
        heads = ("when", "who", "deed", "about")
        context.show(FittingTable(heads, rows, names=("who", "about"), words=("when", "deed")))
    else:
        context.say("no operator has done anything yet that concerns others")
