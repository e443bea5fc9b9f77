"""`ladder export | backup | restore | prune` and `ladder import export`: a whole ladder as files; what is let go of."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import workers
from cli.answer import Answer, ExitStatus, option
from cli.context import Context
from cli.ladders.direct import address_to_read, database_to_read
from cli.options.files import file_argument, file_option, force_option, new_file
from cli.options.names import ByOption, operator_named
from cli.options.numbers import id_option
from cli.terminal.steps import stepping
from engine.errors import UsageFault
from engine.text import counted
from ladder import actions, transfer, views
from ladder.ids import GauntletId
from ladder.retention import ARCHIVE, RECORD_DAYS, STDERR_DAYS, retention_from
from ladder.views.encoding import CSV, PARQUET, require_parquet, row_file

if TYPE_CHECKING:
    from ladder.flows.pruning import PrunedAmount
    from ladder.transfer.manifest import Manifest


Counts = Annotated[Answer, "Print as JSON how many rows of each table there are."]
TURNS = "In place of it, write all turns as a table into this new file, .csv or .parquet."


def export_ladder(
    context: Context,
    place: Annotated[Path | None, file_argument("A new folder, or a new file that ends in .tar.")] = None,
    turns: Annotated[Path | None, file_option("--turns", TURNS)] = None,
    where: Annotated[str | None, option("--where", "With --turns: only matches that a filter in words picks.")] = None,
    force: Annotated[bool, force_option("--turns")] = False,
) -> Counts:
    """Write the whole ladder into a folder or a tar file, or all turns of its matches as a table.

    Players, bots, sources, versions, matches with all that was said, ratings, seasons, gauntlets and league settings,
    as JSON lines and source files; docs/export.md describes them. It shows one moment, also of a ladder that plays on,
    and needs no services. What is there already is refused with exit status 3. It holds everybody's sources, so only
    you can read it.

    --turns is for pandas, DuckDB and the like: one row for each turn of each finished match, with its bot, what that
    said, the time it was charged, and how the match ended. Parquet needs the package pyarrow.

    Example: ladder export ./ladder-november
    Example: ladder export ladder-november.tar
    Example: ladder export --turns kraken.parquet --where "bot = kraken and time > 2d"
    """
    if (place is None) == (turns is None):
        raise UsageFault("name a new folder or file for the whole ladder, or with --turns one for all turns")
    if turns is not None:
        return export_turns(context, turns, where, over=force)
    if where is not None:
        raise UsageFault("--where goes with --turns: an export of the whole ladder has all matches")
    with (
        database_to_read(context) as connection,
        stepping(context.err, "exporting", partial(transfer.exporting.count_rows, connection)) as on_row,
    ):
        manifest = transfer.exporting.export(connection, Path(place or ""), on_row)
    return Answer(manifest, f"{place} holds {content_text(manifest)}")


def export_turns(context: Context, file: Path, where: str | None, *, over: bool) -> Answer:
    kind = file.suffix.lower()
    if kind not in {CSV, PARQUET}:
        raise UsageFault(f"{file} has to end in {CSV} or {PARQUET}, which says what is written")
    if kind == PARQUET:
        require_parquet()
    filter_ = views.matches.wanted_by([], where)
    matches = count = 0
    with (
        new_file(file, over=over) as place,
        database_to_read(context) as connection,
        row_file(place, views.turns.table.COLUMNS, kind) as write,
        stepping(context.err, "exporting", partial(views.turns.table.count_matches, connection, filter_)) as on_match,
    ):
        for rows in views.turns.table.rows_of_matches(connection, filter_):
            write(rows)
            on_match()
            matches += 1
            count += len(rows)
    written = views.turns.table.TurnsWritten(str(file), matches, count)
    return Answer(written, f"{file} holds {counted(count, 'turn')} of {counted(matches, 'match', 'matches')}")


def import_ladder(
    context: Context, place: Annotated[Path, file_argument("The folder or tar file that `ladder export` wrote.")]
) -> Counts:
    """Make this ladder the one that an export holds.

    Only into a new ladder, without players' bots and matches; its leagues and bosses are replaced. Everything is
    imported or nothing: an export that is damaged, cut short or of a newer Ladder is refused with exit status 2, and so
    is a ladder that is in use. Matches that were queued are played on.

    Example: ladder import ./ladder-november
    Example: ladder import export ./ladder-november
    """
    with ExitStack() as bar:

        def begin(rows: int) -> Callable[[], None]:
            return bar.enter_context(stepping(context.err, "importing", lambda: rows))

        manifest = context.act(actions.installation.import_ladder, operator_named(None), place, begin)
    return Answer(manifest, f"this ladder has {content_text(manifest)} now")


def content_text(manifest: Manifest) -> str:
    rows = {name: part.rows for name, part in manifest.tables.items()}
    matches = counted(rows.get("matches", 0), "match", "matches")
    return f"{counted(rows.get('bots', 0), 'bot')}, {counted(rows.get('versions', 0), 'version')} and {matches}"


def back_up(
    context: Context,
    file: Annotated[Path, file_argument("A new file.")],
    force: Annotated[bool, force_option("FILE")] = False,
) -> Annotated[Answer, "Print as JSON what the file holds."]:
    """Write the whole database into one file, in PostgreSQL's custom format.

    It shows one moment, also of a ladder that plays on, and needs no services. It holds passwords as hashes and
    everybody's sources, so only you can read it. `ladder restore` makes the same ladder of it, with its accounts and
    numbers; `ladder export` is for reading and moving in. Where something keeps it from its end no part is left.

    Example: ladder backup ladder-2026-11-27.dump
    """
    with address_to_read(context) as url, telling(context, "backing up") as on_table:
        with new_file(file, over=force) as draft:
            backup = workers.backup.write(url, draft, on_table)
        backup = replace(backup, file=str(file))
    return Answer(backup, f"{file} holds {content(backup)} ({backup.bytes / 1e6:,.1f} MB); `ladder restore` reads it")


def restore(
    context: Context,
    file: Annotated[Path, file_argument("What `ladder backup` has written.")],
    verify: Annotated[bool, option("--verify", "Replay the ledger afterwards: is every rating right?")] = False,
) -> Annotated[Answer, "Print as JSON what was restored."]:
    """Make a ladder of a file that `ladder backup` has written, in an empty database.

    That is a LADDER_HOME in which nothing was ever started, or a database without tables that LADDER_DATABASE_URL
    names; anything else is refused with exit status 3. All of it happens, or nothing. Start it by `ladder up`, or with
    services of your own after `ladder db migrate`. The ladder that the file is of must not play on beside it: both
    would be the same one, and go different ways. With --verify the exit status is 1 if a rating cannot be reproduced.

    Example: LADDER_HOME=~/second ladder restore ladder-2026-11-27.dump --verify
    """
    context.require_here()
    if not file.is_file():
        raise UsageFault(f"there is no file {file}")
    named = context.settings.database_url
    if not named:
        context.require_both_or_neither()
    empty_database = nullcontext(named) if named else workers.backup.new_home(context.home)
    with telling(context, "restoring") as on_table, empty_database as url:
        backup = workers.backup.restore(file, url, on_table, verify=verify)
    words = f"restored {content(backup)}" + ("" if backup.is_verified is None else f"; {VERIFIED[backup.is_verified]}")
    return Answer(backup, words, status=ExitStatus.FAILED if backup.is_verified is False else ExitStatus.OK)


VERIFIED = {True: "every rating is reproduced", False: "some ratings are not: `ladder rating verify` names them"}


@contextmanager
def telling(context: Context, what: str) -> Iterator[Callable[[str], None]]:
    with context.err.status(what) as status:
        yield lambda table: status.update(f"{what}: {table}")


def content(backup: workers.backup.Backup) -> str:
    return f"{counted(backup.versions, 'version')} and {counted(backup.matches, 'match', 'matches')}"


FIRST_INTO = f"Write each match into this folder first, as FOLDER/17.match, in place of {ARCHIVE}."
HOWEVER_NEW = "All matches of this gauntlet, however new."


def prune(
    context: Context,
    dry_run: Annotated[bool, option("--dry-run", "Only say what would be let go.")] = False,
    archive: Annotated[Path | None, option("--archive", FIRST_INTO, metavar="FOLDER")] = None,
    gauntlet: Annotated[GauntletId | None, id_option("--gauntlet", of="gauntlet", about=HOWEVER_NEW)] = None,
    stderr_days: Annotated[str | None, option("--stderr-days", f"In place of {STDERR_DAYS}.", metavar="DAYS")] = None,
    record_days: Annotated[str | None, option("--record-days", f"In place of {RECORD_DAYS}.", metavar="DAYS")] = None,
    player: ByOption = None,
) -> Annotated[Answer, "Print as JSON how many matches' records and stderr were let go, and how many bytes."]:
    """Let go of what bots wrote to stderr in old matches, and of old matches' turns.

    Results, times, ratings and the ledger stay, and every number on the boards. A worker does the same once a day by
    the settings; docs/operations.md says what is kept for how long. Matches of a gauntlet that runs are never let go:
    to name one is refused with exit status 3. It works while matches are played, and may be cut off at any time.

    --archive writes each match whole before anything of it is let go; `ladder match view FOLDER/17.match` opens it.
    Where the folder cannot be written the exit status is 4, and what is not there stays in the ladder.

    Example: ladder prune --dry-run
    Example: ladder prune --record-days 365 --archive ./old-matches
    Example: ladder prune --gauntlet 12
    """
    context.require_here()
    folder = None if archive is None else str(archive.expanduser().absolute())
    typed = {STDERR_DAYS: stderr_days, RECORD_DAYS: record_days, ARCHIVE: folder}
    retention = retention_from(dict(os.environ) | {name: word for name, word in typed.items() if word is not None})
    with context.err.status("looking through all matches") as status:

        def tell(found: PrunedAmount) -> None:
            status.update(f"looking through all matches: {pruned_words(found)}")

        pruned = context.act(
            actions.matches.prune,
            operator_named(player),
            retention,
            gauntlet=gauntlet,
            is_dry_run=dry_run,
            on_batch=tell,
        )
    would = "would be let go" if dry_run else "let go"
    text = f"{pruned_words(pruned)}, {pruned.bytes / 1e6:,.1f} MB: {would}" if pruned.bytes else "nothing is due"
    return Answer(pruned, text)


def pruned_words(amount: PrunedAmount) -> str:
    records, stderr = (counted(number, "match", "matches") for number in (amount.records, amount.stderr))
    return f"the turns of {records} and the stderr of {stderr}"
