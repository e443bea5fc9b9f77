"""`ladder audit` and `ladder deeds`: what was done: by which name, when, by which way and from where."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import texts
from cli.answer import Rows
from cli.context import this
from cli.options.numbers import MOST_ROWS


def show_deeds(
    typer_context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MOST_ROWS, help="How many, the latest first.")] = 20,
) -> Rows:
    """Show what was done that concerns others: who, when and what.

    Bots that were disqualified, reinstated, retired or renamed, matches that were taken back, gauntlets of others that
    were stopped, seasons that were closed, leagues that were changed or rated again. On a ladder behind a server only
    operators see that.

    Example: ladder deeds --limit 5
    """
    return texts.accounts.show_deeds_of_others(this(typer_context), limit)


def show_audit(
    typer_context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MOST_ROWS, help="How many, the latest first.")] = 20,
    player: Annotated[str | None, typer.Option("--player", "-p", help="Only what this player did.")] = None,
    action: Annotated[str | None, typer.Option("--action", help="Only this, as in `match void`.")] = None,
) -> Rows:
    """Show every change that was made: who, when, what, from where.

    A line for each, whether it was made by a command or in a browser. On a ladder behind a server players see their
    own lines alone, and operators those of everybody.

    Lines are added in the transaction that makes the change, and the database lets none be changed. `ladder deeds`
    shows those alone that concern others.

    Example: ladder audit --player kim --limit 5
    """
    return texts.accounts.show_lines(this(typer_context), limit, player, action)
