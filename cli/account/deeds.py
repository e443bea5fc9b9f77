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
    were stopped, seasons that were closed, leagues that were changed or rated again. On a ladder behind a server only
    operators see that.

    Example: ladder deeds --limit 5
    """
    from cli.account.shown import show_deeds_of_others

    show_deeds_of_others(this(typer_context), limit, as_json=as_json)
