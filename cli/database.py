"""`ladder db`: the schema."""

from __future__ import annotations

import typer

from cli.context import this
from cli.options.names import operator_named
from ladder import actions


def migrate(typer_context: typer.Context) -> None:
    """Bring the database up to date.

    Schema, leagues and bosses; safe to run again.

    Example: LADDER_DATABASE_URL=postgresql://ladder@db/ladder ladder db migrate
    """
    context, actor = this(typer_context), operator_named(None)
    applied = actions.installation.migrate(actor, context.database_url)
    for migration in applied:
        context.say(f"applied {migration.number:04} {migration.name}")
    changed = context.act(actions.installation.bring_in_games, actor, context.games)
    for version in changed:
        context.say(f"submitted {version.name}, a boss")
    if not applied and not changed:
        context.say("the database is up to date")
