"""`ladder export` and `ladder import export`: a whole ladder as files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from cli.answer import Answer
from cli.context import this
from cli.database_to_read import database_to_read
from cli.options.files import file_argument
from cli.options.names import operator_named
from cli.terminal.steps import stepping
from engine.text import counted
from ladder import actions
from ladder.transfer import exporting
from ladder.transfer.manifest import Manifest


def export_ladder(
    typer_context: typer.Context,
    place: Annotated[Path, file_argument("A new folder, or a new file that ends in .tar.")],
) -> Annotated[Answer, "Print as JSON how many rows of each table there are."]:
    """Write the whole ladder into a folder or a tar file.

    Players, bots, sources, versions, matches with all that was said, ratings, seasons, gauntlets and league settings,
    as JSON lines and source files; docs/export.md describes them. It shows one moment, also of a ladder that plays on,
    and needs no services. What is there already is refused with exit status 3. It holds everybody's sources, so only
    you can read it.

    Example: ladder export ./ladder-november

    Example: ladder export ladder-november.tar
    """
    context = this(typer_context)
    with (
        database_to_read(context) as connection,
        stepping(context.err, "exporting", partial(exporting.count_rows, connection)) as on_row,
    ):
        done = exporting.export(connection, place, on_row)
    return Answer(done, f"{place} holds {content_text(done)}")


def import_ladder(
    typer_context: typer.Context,
    place: Annotated[Path, file_argument("The folder or tar file that `ladder export` wrote.")],
) -> Annotated[Answer, "Print as JSON how many rows of each table there are."]:
    """Make this ladder the one that an export holds.

    Only into a new ladder, without players' bots and matches; its leagues and bosses are replaced. Everything is
    imported or nothing: an export that is damaged, cut short or of a newer Ladder is refused with exit status 2, and so
    is a ladder that is in use. Matches that were queued are played on.

    Example: ladder import ./ladder-november

    Example: ladder import export ./ladder-november
    """
    context = this(typer_context)
    with ExitStack() as bar:

        def begin(rows: int) -> Callable[[], None]:
            return bar.enter_context(stepping(context.err, "importing", lambda: rows))

        done = context.act(actions.imports.import_ladder, operator_named(None), place, begin)
    return Answer(done, f"this ladder has {content_text(done)} now")


def content_text(manifest: Manifest) -> str:
    rows = {name: part.rows for name, part in manifest.tables.items()}
    matches = counted(rows.get("matches", 0), "match", "matches")
    return f"{counted(rows.get('bots', 0), 'bot')}, {counted(rows.get('versions', 0), 'version')} and {matches}"
