"""`ladder db`: the schema."""

from __future__ import annotations

import typer

from cli.context import this

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="The database.\n\nExample: ladder db migrate",
)


@app.command()
def migrate(typer_context: typer.Context) -> None:
    """Bring the database up to date.

    Schema, leagues and bosses; safe to run again.

    Example: LADDER_DATABASE_URL=postgresql://ladder@db/ladder ladder db migrate
    """
    from ladder.database import connection as database
    from ladder.flows import installation

    context = this(typer_context)
    applied = database.migrate(context.database_url)
    for migration in applied:
        context.say(f"applied {migration.number:04} {migration.name}")
    with context.database() as connection:
        changed = installation.prepare(connection, context.games)
    for version in changed:
        context.say(f"submitted {version.name}, a boss")
    if not applied and not changed:
        context.say("the database is up to date")
