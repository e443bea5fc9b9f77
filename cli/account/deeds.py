"""`ladder deeds`: what operators did that concerns others, and by which name such a deed is written down.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.context import this
from cli.options.numbers import MOST_ROWS


def show_deeds(
    typer_context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MOST_ROWS, help="How many, the latest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """Show what was done that concerns others: who, when and what.

    Bots that were disqualified, reinstated, retired or renamed, matches that were taken back, gauntlets of others that
    were stopped, seasons that were closed, leagues that were changed or rated again.

    Example: ladder deeds --limit 5
    """
    from cli.account import tables
    from ladder.audit import concerning_others

    context = this(typer_context)
    found = context.read(concerning_others, limit)
    if as_json:
        context.show_json(found)
    elif found:
        context.show(tables.deeds_table(found))
    else:
        context.say("no operator has done anything yet that concerns others")
