"""What an export holds, and what it says of itself in `ladder.json`: its form, its schema, and each file's content.

How this works. The database that is exported or filled says which columns, keys and sequences there are: a new column
is exported with no word here. Here stand the tables, in an order in which each row refers only to rows before it, and
what is left out for a reason; a test compares them with the schema.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from typing import Any, LiteralString, TypeGuard

from engine.errors import UsageFault
from engine.immutable import immutable
from ladder.database import schema
from ladder.database.connection import Connection, first_column

NAME = "ladder.json"
FORMAT = "ladder-export"
VERSION = 2
"""Of the form. It grows when a program that reads this one could not read, or would misread, what is written.

In version 1 `schema` counts the migrations from before the first release.
"""


@immutable
class Former:
    """What a table was called in exports of older programs. `columns`: their names there, with those of today."""

    name: str
    columns: Mapping[str, str]
    also: Mapping[str, object] = field(default_factory=dict[str, object])


@immutable
class ExportTable:
    """A table of an export. `about`: what one row is.

    `left_out`: columns that are not part of an export. `written_as`: what is written in the place of a column.
    `packed`: columns of texts that the database holds packed.
    """

    name: LiteralString
    about: str
    left_out: tuple[LiteralString, ...] = ()
    formerly: Former | None = None
    written_as: Mapping[str, LiteralString] = field(default_factory=dict[str, LiteralString])
    packed: tuple[LiteralString, ...] = ()


@immutable
class Form:
    """What a database holds: by table its columns and the keys of its order; `sequences`: by PostgreSQL's names."""

    columns: Mapping[str, Sequence[str]]
    keys: Mapping[str, Sequence[str]]
    sequences: Sequence[str]


SOURCES = ExportTable("sources", "a source, in a file of its own that is named after its hash")
OF_WORK: tuple[LiteralString, ...] = ("worker_id", "lease_until", "enqueued_at")
TABLES: tuple[ExportTable, ...] = (
    ExportTable("game_files", "a file of games whose referee is a program"),
    ExportTable("game_editions", "the files of such a game at one time"),
    ExportTable("game_edition_files", "a file of an edition"),
    ExportTable("games", "such a game"),
    ExportTable("players", "a player", left_out=("password_hash",)),
    ExportTable("leagues", "a league of a game, with its settings"),
    ExportTable("bots", "a bot of a player"),
    ExportTable("former_names", "a name that a bot had before"),
    SOURCES,
    ExportTable("versions", "a version of a bot; `source_hash` names the file of its source", left_out=OF_WORK),
    ExportTable("standings", "a version's stay in a league: its rating and record there"),
    ExportTable("board_freezes", "a game whose boards everybody but operators sees as they were at a moment"),
    ExportTable("frozen_standings", "a stay as it was at that moment"),
    ExportTable("moves", "a version that changed its league"),
    ExportTable("seasons", "a season whose end has begun"),
    ExportTable("season_plans", "how a season is to end"),
    ExportTable("contest_players", "a player in a season's contest, and what the class list says of them"),
    ExportTable("clarifications", "an announcement, or a question with its answer"),
    ExportTable("season_ranks", "a line of a closed season's board"),
    ExportTable("requests", "battles that somebody asked for, or of a season's series"),
    ExportTable("gauntlets", "a gauntlet"),
    ExportTable("gauntlet_opponents", "an opponent of a gauntlet"),
    ExportTable("tunes", "a gauntlet that looks for the values of parameters"),
    ExportTable("tune_pairs", "a pair of a tune, and where all values were when it had counted"),
    ExportTable("automatic_gauntlets", "a gauntlet that is played for each new version of a bot or in a league"),
    ExportTable(
        "matches",
        "a match; one that was being played is written as queued, and `record` holds what was said in base64",
        left_out=OF_WORK,
        written_as={"state": "CASE state WHEN 'running' THEN 'queued' ELSE state END"},
    ),
    ExportTable("seats", "one side of a match", packed=("stderr",)),
    ExportTable("failed_attempts", "an attempt at a match that failed"),
    ExportTable("ledger", "a line of the ledger of ratings"),
    ExportTable("withdrawn_lines", "the place of a ledger line that does not count while a bot is disqualified"),
    ExportTable("quotas", "how much a player may ask for, or everybody by default"),
    ExportTable("usage", "what matches that a player asked for took in an hour"),
    ExportTable("game_locks", "a game that takes no new versions"),
    ExportTable(
        "audit",
        "a line of what was done",
        left_out=("token_id",),
        formerly=Former(
            "deeds",
            {"id": "id", "done_at": "at", "done_by": "actor", "deed": "action", "about": "target"},
            {"details": {"concerns_others": True}},
        ),
    ),
)
"""In an order in which each refers only to those before it."""

LETS_IN = "lets people in; on the new ladder an operator invites them again"
TABLES_LEFT_OUT: Mapping[str, str] = {
    "artefacts": "compiled programs, which workers build again when they need them",
    "workers": "the processes that play at this moment",
    "rounds": "when the scheduler was last at work",
    "tallies": "how often things have happened there; the new ladder counts from its own beginning",
    "board_demands": "what the scheduler computes whenever it makes matches",
    "tally_lines": "what has just been counted",
    "no_room": "whether there was room for further matches",
    "migrations": "how the database came to its schema",
    "tokens": LETS_IN,
    "sessions": LETS_IN,
    "device_grants": LETS_IN,
    "invitations": LETS_IN,
    "shares": LETS_IN,
    "stderr_usage": "how much players' bots wrote to stderr on one day",
    "hooks": "addresses to which notices go, and their secrets; on the new ladder they are added again",
    "notices": "what was to be sent there",
    "settled_chances": "what the scheduler computes of matches",
    "idempotency": "answers that were given within the last day",
}
"""Tables that are not part of an export, and why."""

FORMER_SEQUENCES: Mapping[str, str] = {
    "promotions_id_seq": "moves_id_seq",
    "standing_gauntlets_id_seq": "automatic_gauntlets_id_seq",
    "deeds_id_seq": "audit_id_seq",
}
"""What exports of version 1 call them."""

FRESH = frozenset({"players", "leagues", "bots", "sources", "versions", "standings", "audit"})
"""The tables that hold rows as soon as a ladder is set up: the leagues and bosses of its games, and who set it up."""
REFERRING: tuple[LiteralString, ...] = (
    "tokens", "sessions", "device_grants", "invitations", "shares", "notices", "hooks", "stderr_usage",
    "settled_chances", "idempotency",
)  # fmt: skip
"""The tables left out that refer to others."""


def form_of(connection: Connection) -> Form:
    """Return what the connected database holds. A sequence belongs to the export where its table does, or to none."""
    names = [table.name for table in TABLES]
    of_tables = """
        SELECT name, array_agg(attname::text ORDER BY attnum), (
            SELECT array_agg(key.attname::text ORDER BY key.attnum) FROM pg_attribute AS key
            WHERE key.attrelid = (SELECT indexrelid FROM pg_index WHERE indrelid = name::regclass AND indisunique
                                  ORDER BY indisprimary DESC LIMIT 1))
        FROM unnest(%(names)s::text[]) AS name
        JOIN pg_attribute ON attrelid = name::regclass AND attnum > 0 AND NOT attisdropped GROUP BY name"""
    of_sequences = """
        SELECT relname::text FROM pg_class
        LEFT JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = pg_class.oid
                           AND refclassid = 'pg_class'::regclass
        WHERE relkind = 'S' AND pg_table_is_visible(pg_class.oid)
          AND (refobjid IS NULL OR refobjid IN (SELECT name::regclass FROM unnest(%(names)s::text[]) AS name))
        ORDER BY pg_class.oid"""
    rows = connection.execute(of_tables, {"names": names}).fetchall()
    left_out = {table.name: table.left_out for table in TABLES}
    return Form(
        columns={name: [column for column in columns if column not in left_out[name]] for name, columns, _ in rows},
        keys={name: key for name, _, key in rows},
        sequences=first_column(connection, of_sequences, {"names": names}),
    )


@immutable
class TablePart:
    """A table in an export. `columns`: those of each row; `rows`: how many; `sha256`: of its file, "" for sources."""

    columns: list[str]
    rows: int
    sha256: str


@immutable
class Manifest:
    """`schema`: the number of the latest migration. `tables`: by their names; `next`: each sequence's next number."""

    schema: int
    tables: dict[str, TablePart]
    next: dict[str, int]

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.tables.values())

    def written(self) -> bytes:
        return (json.dumps({"format": FORMAT, "version": VERSION, **asdict(self)}, indent=2) + "\n").encode()


def read(content: bytes, place: str, form: Form) -> Manifest:
    """`place`: where it is, for people. Raises UsageFault where it makes no sense or is too new."""
    try:
        stored: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UsageFault(f"{place} is not an export of a ladder: its {NAME} cannot be read ({error})") from error
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise UsageFault(f'{place} is not an export of a ladder: its {NAME} does not say "format": "{FORMAT}"')
    check_age(stored, place)
    try:
        return check_manifest(stored, form)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if (stored["version"], stored["schema"]) < (VERSION, schema.needed()):
            raise UsageFault(
                f"{place} was made by an older Ladder, whose schema {stored['schema']} this one cannot read ({error}): "
                "import it with that Ladder, and update then"
            ) from error
        raise UsageFault(f"{place} is not a whole export of a ladder: its {NAME} is damaged ({error})") from error


def check_age(stored: dict[str, Any], place: str) -> None:
    for what, newest in (("version", VERSION), ("schema", schema.needed())):
        number = stored.get(what)
        if not is_number(number):
            raise UsageFault(f"{place} is not a whole export of a ladder: its {NAME} says nothing of its {what}")
        if number > newest and (what == "version" or stored["version"] == VERSION):
            known = f"{what} {number}, this program knows {newest} at most"
            raise UsageFault(f"{place} was made by a newer Ladder ({known}): update Ladder")


def is_number(value: Any) -> TypeGuard[int]:
    return type(value) is int and value > 0


def check_manifest(stored: dict[str, Any], form: Form) -> Manifest:
    """Return a manifest whose tables, columns and sequences are those of that form, but for what was added since.

    Raises ValueError, or what else Python raises for values that are of other kinds.
    """
    columns = {name: set(of_table) for name, of_table in form.columns.items()}
    former = {table.formerly.name: set[str](table.formerly.columns) for table in TABLES if table.formerly}
    parts = {name: TablePart(**part) for name, part in stored["tables"].items()}
    for name, part in parts.items():
        strange = set(part.columns) - columns.get(name, former.get(name, set()))
        if strange or not part.columns:
            raise ValueError(f"{name}: {', '.join(sorted(strange)) or 'no columns'}")
        if type(part.rows) is not int or type(part.sha256) is not str:
            raise ValueError(f"{name}: it does not say how many rows there are")
    numbers = {FORMER_SEQUENCES.get(name, name): number for name, number in stored["next"].items()}
    if set(numbers) - set(form.sequences) or not all(map(is_number, numbers.values())):
        raise ValueError("its next numbers make no sense")
    is_of_now = (stored["version"], stored["schema"]) == (VERSION, schema.needed())
    if is_of_now and {name: set(part.columns) for name, part in parts.items()} != columns:
        raise ValueError("tables or columns are missing")
    return Manifest(stored["schema"], parts, numbers)
