"""`ladder backup | restore`: a whole ladder's database as one file, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from cli.answer import Answer
from cli.context import Context, this
from cli.database_to_read import address_to_read
from cli.exit_status import ExitStatus
from cli.options.files import file_argument, force_option, new_file
from engine.errors import Refused, UsageFault
from engine.text import counted
from workers import backup as whole
from workers.backup import Backup
from workers.embedded import control
from workers.embedded.postgres_alone import has_data


def backup(
    typer_context: typer.Context,
    file: Annotated[Path, file_argument("A new file.")],
    force: Annotated[bool, force_option("FILE")] = False,
) -> Annotated[Answer, "Print as JSON what the file holds."]:
    """Write the whole database into one file, in PostgreSQL's custom format.

    It shows one moment, also of a ladder that plays on, and needs no services. It holds passwords as hashes and
    everybody's sources, so only you can read it. `ladder restore` makes the same ladder of it, with its accounts and
    numbers; `ladder export` is for reading and moving in. Where something keeps it from its end no part is left.

    Example: ladder backup ladder-2026-11-27.dump
    """
    context = this(typer_context)
    with address_to_read(context) as url, telling(context, "backing up") as on_table:
        with new_file(file, over=force) as draft:
            whole.write(url, draft, on_table)
        found = whole.content_of(url, file)
    return Answer(found, f"{file} holds {content(found)} ({found.bytes / 1e6:,.1f} MB); `ladder restore` reads it")


def restore(
    typer_context: typer.Context,
    file: Annotated[Path, file_argument("What `ladder backup` has written.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Replay the ledger afterwards: is every rating right?")
    ] = False,
) -> Annotated[Answer, "Print as JSON what was restored."]:
    """Make a ladder of a file that `ladder backup` has written, in an empty database.

    That is a LADDER_HOME in which nothing was ever started, or a database without tables that LADDER_DATABASE_URL
    names; anything else is refused with exit status 3. All of it happens, or nothing. Start it by `ladder up`, or with
    services of your own after `ladder db migrate`. The ladder that the file is of must not play on beside it: both
    would be the same one, and go different ways. With --verify the exit status is 1 if a rating cannot be reproduced.

    Example: LADDER_HOME=~/second ladder restore ladder-2026-11-27.dump --verify
    """
    context = this(typer_context)
    context.require_here()
    if not file.is_file():
        raise UsageFault(f"there is no file {file}")
    with empty_database(context) as url, telling(context, "restoring") as on_table:
        whole.restore(file, url, on_table)
        found = whole.content_of(url, file, verify=verify)
    words = f"restored {content(found)}" + ("" if found.is_verified is None else f"; {VERIFIED[found.is_verified]}")
    return Answer(found, words, status=ExitStatus.FAILED if found.is_verified is False else ExitStatus.OK)


VERIFIED = {True: "every rating is reproduced", False: "some ratings are not: `ladder rating verify` names them"}


@contextmanager
def empty_database(context: Context) -> Iterator[str]:
    """Give the address of the database that is named, or start that of a home without data, and stop it at the end.

    What was made for the home goes again where the block fails. Raises Refused where the home has data.
    """
    if context.settings.database_url:
        yield context.settings.database_url
        return
    context.require_both_or_neither()
    if has_data(context.home):
        raise Refused(
            f"there is a ladder in {context.home.folder} already: name a new folder in LADDER_HOME, or an empty "
            "database in LADDER_DATABASE_URL"
        )
    with context.err.status("starting") as status:
        running = control.up(context.home, (), status.update, prepare="workers.backup:leave_empty")
    try:
        yield running.database_url
    except BaseException:
        control.destroy(context.home)
        raise
    control.down(context.home)


@contextmanager
def telling(context: Context, what: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal which table is at its turn."""
    with context.err.status(what) as status:
        yield lambda table: status.update(f"{what}: {table}")


def content(found: Backup) -> str:
    return f"{counted(found.versions, 'version')} and {counted(found.matches, 'match', 'matches')}"
