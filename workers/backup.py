"""A whole database as one file, and back, by PostgreSQL's own programs.

How this works. `pg_dump` writes what one moment shows, in PostgreSQL's custom format, while the ladder plays on.
`pg_restore` does all in one transaction, so of a file that is cut off nothing is left. The password is given to both in
the environment, as command lines are for everybody to see. They come with the embedded server; where only commands for
servers of one's own are installed, the machine's own are taken.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from engine.errors import MissingTool, Refused, Unavailable, UsageFault
from engine.immutable import immutable
from engine.text import one_line
from ladder.database.connection import Connection, connect, limit_idleness, one
from ladder.database.migrate import check_history
from ladder.database.session import session_url
from ladder.views import ratings
from workers.embedded import control
from workers.embedded.folders import SystemAccount, postgres_programs
from workers.embedded.home import LadderHome
from workers.embedded.postgres import has_data

OF_A_TABLE = re.compile(r'(?:dumping contents of|processing data for) table "(?:public\.)?([^"]+)"')
MIGRATION = re.compile(r"^(\d+)\t[^\t]*\t([0-9a-f]+)\t", re.MULTILINE)
OnTable = Callable[[str], object]


@immutable
class Backup:
    """A file that holds a ladder, and what of it. `is_verified`: whether its ledger was reproduced; None: not tried."""

    file: str
    bytes: int
    versions: int
    matches: int
    is_verified: bool | None


def write(database_url: str, file: Path, on_table: OnTable) -> Backup:
    """`on_table`: gets each table's name. Raises MissingTool where `pg_dump` is missing or too old, Unavailable."""
    url = session_url(database_url)
    words = ("--format=custom", "--no-owner", "--no-privileges", "--verbose", "--lock-wait-timeout=30s", "--file")
    with connect(url, snapshot=True) as connection:
        limit_idleness(connection, 0, this_transaction=True)
        moment = one(connection, "SELECT pg_export_snapshot()", {})[0]
        file.touch(mode=0o600)
        run("pg_dump", [f"--snapshot={moment}", *words, str(file)], url, on_table)
        return content_of(connection, file)


def restore(file: Path, database_url: str, on_table: OnTable, *, verify: bool = False) -> Backup:
    """Fill an empty database from such a file, or leave nothing of it. Raises UsageFault for another or damaged file,
    Refused for one of a newer Ladder and for a database that is not empty, MissingTool and Unavailable as `write`.
    `verify`: replay the ledger afterwards.
    """
    check_history(migrations_in(file))
    with connect(database_url, any_schema=True) as connection:
        if one(connection, TABLES, {})[0]:
            raise Refused(
                "there are tables in this database already, and a backup is restored into an empty one alone: name "
                "another in LADDER_DATABASE_URL, or another folder in LADDER_HOME"
            )
    words = ("--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error", "--verbose")
    run("pg_restore", [*words, str(file)], session_url(database_url), on_table)
    with connect(database_url, autocommit=True, any_schema=True) as connection:
        connection.execute("ANALYZE")
    with connect(database_url, snapshot=True) as connection:
        return content_of(connection, file, verify=verify)


TABLES = """
    SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname IN ('public', 'frozen') AND relkind IN ('r', 'v')
"""


def migrations_in(file: Path) -> dict[int, str]:
    """Return the migrations of the database in a file, by number, with their fingerprints. Raises UsageFault."""
    command = [program("pg_restore"), "--data-only", "--table=migrations", "--file=-", str(file)]
    process = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, env=PLAIN)
    migrations = {int(number): fingerprint for number, fingerprint in MIGRATION.findall(process.stdout)}
    if process.returncode or not migrations:
        reason = why(process.stderr)
        raise UsageFault(f"{file} is not a whole backup of a ladder, as `ladder backup` writes them{reason}")
    return migrations


PLAIN = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "PGCLIENTENCODING": "UTF8"}


def run(name: str, words: Sequence[str], database_url: str, on_table: OnTable) -> None:
    named = conninfo_to_dict(database_url)
    kept = ("PGPASS", "PGSSL")
    environment = PLAIN | {word: value for word, value in os.environ.items() if word.startswith(kept) or word == "HOME"}
    if secret := named.pop("password", None):
        environment = {**PLAIN, "PGPASSWORD": str(secret)}
    command = [program(name), f"--dbname={make_conninfo('', **named)}", *words]
    last = ""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="replace", env=environment) as process:
        try:
            for line in process.stderr or ():
                last = line if "error:" in line else last
                if table := OF_A_TABLE.search(line):
                    on_table(table[1])
        except BaseException:
            process.terminate()
            raise
    if not process.returncode:
        return
    if "server version" in last:
        raise MissingTool(f"{name} here is older than the server of the database{why(last)}")
    if name == "pg_restore" and FILE_IS_BAD.search(last):
        raise UsageFault(f"the backup is cut off or damaged, and nothing of it was kept{why(last)}")
    raise Unavailable(f"{name} did not come to an end, and nothing was kept{why(last)}")


FILE_IS_BAD = re.compile("could not read|uncompress|unexpected end|corrupt|out of order|invalid|COPY failed")


def why(words: str) -> str:
    """Return the last line of what a program of PostgreSQL says, for the end of a sentence."""
    lines = [line.partition("error: ")[2] or line for line in words.splitlines() if line.strip()]
    return f": {one_line(lines[-1])}" if lines else ""


def program(name: str) -> str:
    try:
        return str(postgres_programs(SystemAccount.current()) / name)
    except MissingTool:
        path = shutil.which(name)
    if path is None:
        raise MissingTool(f"{name} is missing: install PostgreSQL's client programs (Debian: postgresql-client)")
    return path


def content_of(connection: Connection, file: Path, *, verify: bool = False) -> Backup:
    """Return what a file holds by the database that it is of, or that was made of it. `verify`: replay its ledger."""
    versions, matches = one(connection, "SELECT (SELECT count(*) FROM versions), (SELECT count(*) FROM matches)", {})
    is_verified = ratings.verified(connection).clean if verify else None
    return Backup(str(file), file.stat().st_size, versions, matches, is_verified)


@contextmanager
def new_home(home: LadderHome) -> Iterator[str]:
    """Start a home with an empty database for the block; undo it where that fails. Raises Refused for data."""
    if has_data(home):
        raise Refused(
            f"there is a ladder in {home.folder} already: name a new folder in LADDER_HOME, or an empty database in "
            "LADDER_DATABASE_URL"
        )
    running = control.up(home, prepare="builtins:bool")  # the database of a home that is to be restored stays empty
    try:
        yield running.database_url
    except BaseException:
        control.destroy(home)
        raise
    control.down(home)
