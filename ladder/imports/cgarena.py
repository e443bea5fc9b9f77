"""A folder of cgarena: `cgarena_config.toml`, and `cgarena.db`, a SQLite database that is opened read-only.

Since September 2026 the file has only the settings of its server, and the others are in the database, as JSON.
"""

from __future__ import annotations

import json
import shlex
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path, PurePath
from typing import Any, TypeVar
from urllib.parse import quote

from engine.conversation import MOST_PLAYERS
from engine.errors import UsageFault
from engine.text import counted, one_line
from ladder.imports.foreign import (
    ForeignBot,
    ForeignLeague,
    ForeignMatch,
    inside,
    keys_of,
    metrics_from,
    read_toml,
    require_file,
    seed_of,
    written_at,
)
from ladder.imports.referees import LEVEL
from ladder.imports.sources import source_given

ORIGIN = "cgarena"
CONFIGURATION = "cgarena_config.toml"
DATABASE = "cgarena.db"
BESIDE_A_DATABASE = ("-wal", "-shm", "-journal")
"""The endings of the files that SQLite reads together with it."""
COMMANDS = ("cmd_", "play_match", "watch_replay", "referee_cmd")
"""How the keys of commands begin."""
JAR = "codingame_jar"
"""What a referee's table is called that names an archive."""
TABLES_OF_SETTINGS = ("game", "matchmaking", "ranking")
LATEST_IN_SECONDS = 10**11
"""Moments are counted in seconds; above this number, which is far in the future, in milliseconds."""
T = TypeVar("T")


def read(folder: Path, labels: Mapping[str, str]) -> ForeignLeague:
    """Read a folder. `labels`: see ladder.imports.sources. Raises UsageFault, which names what is broken."""
    path, *_ = (inside(folder, DATABASE + ending) for ending in ("", *BESIDE_A_DATABASE))
    of_file = read_toml(folder / CONFIGURATION) if inside(folder, CONFIGURATION).exists() else {}
    if not path.is_file() and dict(commands_in(of_file)):
        return league_without_matches(of_file)
    require_file(folder, ORIGIN, path)
    configuration = {**of_file, **read_from(path, lambda connection: read_configuration(connection, path))}
    bots = read_from(path, lambda connection: read_bots(connection, path, labels))
    names = {number: bot.name for number, bot in bots.items()}
    noted, matches = read_from(path, lambda connection: read_matches(connection, path, names))
    return ForeignLeague(
        ORIGIN,
        path.name,
        tuple(bots.values()),
        matches,
        tuple(sorted({len(match.players) for match in matches})),
        written_at=written_at(path),
        commands=dict(commands_in(configuration)),
        settings=dict(settings_in(configuration)),
        seats=seats_in(configuration),
        left_out=noted.left_out,
    )


def league_without_matches(configuration: Mapping[str, Any]) -> ForeignLeague:
    """Return what a folder holds in which only the configuration is."""
    return ForeignLeague(
        ORIGIN,
        CONFIGURATION,
        (),
        (),
        (),
        commands=dict(commands_in(configuration)),
        settings=dict(settings_in(configuration)),
        seats=seats_in(configuration),
    )


def read_from(path: Path, reading: Callable[[sqlite3.Connection], T]) -> T:
    """Read a database that nobody changes by that. Raises UsageFault where it is none of cgarena's.

    A database with a write-ahead log that lies in a folder where nothing can be made, and has none at the moment, can
    be opened only by a reader who promises that nobody writes.
    """
    error: sqlite3.Error | None = None
    for way in ("mode=ro", "immutable=1"):
        try:
            with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?{way}", uri=True)) as connection:
                return reading(connection)
        except sqlite3.Error as raised:
            error = raised
            if "unable to open" not in str(raised) or path.with_name(f"{path.name}-wal").exists():
                break
    raise UsageFault(f"{path} cannot be read as a database of {ORIGIN}: {one_line(str(error))}; nothing is imported")


def read_configuration(connection: sqlite3.Connection, path: Path) -> dict[str, Any]:
    """Return the configuration that a database holds; nothing from one of before it did. Raises UsageFault."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'arena_configuration'").fetchone() is None:
        return {}
    row = connection.execute("SELECT config_json FROM arena_configuration ORDER BY id LIMIT 1").fetchone()
    try:
        found: object = json.loads(row[0]) if row else {}
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageFault(f"{path}: its configuration is not JSON; nothing is imported") from error
    if not isinstance(found, dict):
        raise UsageFault(f"{path}: its configuration is not a JSON object; nothing is imported")
    return found


def read_bots(connection: sqlite3.Connection, path: Path, labels: Mapping[str, str]) -> dict[int, ForeignBot]:
    """Read the bots by their ids. Raises UsageFault for a language that nobody knows."""
    found: dict[int, ForeignBot] = {}
    for number, name, text, label, created_at in connection.execute(
        "SELECT id, name, source_code, language, created_at FROM bots ORDER BY id"
    ):
        if not (isinstance(name, str) and name and isinstance(text, str) and isinstance(label, str)):
            raise UsageFault(f"{path}, bot {number}: no bot as {ORIGIN} writes them; nothing is imported")
        source = source_given(text, label, labels)
        found[number] = ForeignBot(
            name,
            created_at=moment_of(created_at),
            source=source.text,
            language=source.language,
            why_no_source=source.why,
        )
    return found


def moment_of(number: object) -> datetime | None:
    """Return a moment that is counted in seconds or milliseconds; None for anything else."""
    if isinstance(number, bool) or not isinstance(number, int):
        return None
    try:
        return datetime.fromtimestamp(number if abs(number) < LATEST_IN_SECONDS else number / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


@dataclass(slots=True)
class Noted:
    """What is noted of matches: of the match, and of the bots in it, by their ids. `of_turns`: values of single turns.

    Of those the last one of each name is taken.
    """

    of_match: dict[int, dict[str, object]] = field(default_factory=lambda: defaultdict(dict))
    of_bot: dict[tuple[int, int], dict[str, object]] = field(default_factory=lambda: defaultdict(dict))
    of_turns: Counter[tuple[int, int | None, str]] = field(default_factory=Counter)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Say what is not taken."""
        dropped = sum(count - 1 for count in self.of_turns.values())
        return (f"{counted(dropped, 'value')} of single turns: the last one of each match stays",) if dropped else ()


ATTRIBUTES = """
    SELECT match_id, bot_id, turn, names.name, coalesce(strings.value, value_int, value_float)
    FROM match_attributes
    JOIN match_attribute_names AS names ON names.id = name_id
    LEFT JOIN match_attribute_string_values AS strings ON strings.id = value_string_id
    ORDER BY match_id, turn, match_attributes.id
"""


def read_noted(connection: sqlite3.Connection) -> Noted:
    """Read what is noted of matches; nothing from a database of before that was kept."""
    noted = Noted()
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'match_attribute_names'").fetchone() is None:
        return noted
    for match, bot, turn, name, value in connection.execute(ATTRIBUTES):
        own = noted.of_match[match] if bot is None else noted.of_bot[match, bot]
        own[str(name)] = value
        if turn is not None:
            noted.of_turns[match, bot, name] += 1
    return noted


SEATS = """
    SELECT matches.id, seed, bot_id, "index", rank, error
    FROM matches LEFT JOIN participations ON match_id = matches.id
    ORDER BY matches.id, "index"
"""


def read_matches(
    connection: sqlite3.Connection, path: Path, names: Mapping[int, str]
) -> tuple[Noted, tuple[ForeignMatch, ...]]:
    """Read the matches, and what is noted of them. Raises UsageFault, which names the match that is broken."""
    noted = read_noted(connection)
    played = [(number, list(rows)) for number, rows in groupby(connection.execute(SEATS), itemgetter(0))]
    for number, rows in played:
        if not is_sound(rows, names):
            raise UsageFault(f"{path}, match {number}: no match as {ORIGIN} writes them; nothing is imported")
    keys = keys_of([repr((number, [(row[1], names[row[2]], *row[3:]) for row in rows])) for number, rows in played])
    matches = [match_of(noted, rows, key, names) for (_, rows), key in zip(played, keys, strict=True)]
    return noted, tuple(matches)


def is_sound(rows: list[Any], names: Mapping[int, str]) -> bool:
    """Say whether rows are the seats of a whole match: numbered from 0, of different bots, each with a rank."""
    seats, bots = [row[3] for row in rows], [row[2] for row in rows]
    if seats != list(range(len(rows))) or not 2 <= len(rows) <= MOST_PLAYERS:
        return False
    return all(bot in names for bot in bots) and len(set(bots)) == len(bots) and all(map(has_end, rows))


def has_end(row: Any) -> bool:
    return isinstance(row[4], int) and row[5] in {0, 1}


def match_of(noted: Noted, rows: list[Any], key: str, names: Mapping[int, str]) -> ForeignMatch:
    """Return a match that is sound."""
    number = rows[0][0]
    return ForeignMatch(
        key,
        tuple(names[row[2]] for row in rows),
        tuple(row[4] for row in rows),
        tuple(bool(row[5]) for row in rows),
        tuple(metrics_from(noted.of_match.get(number, {}), noted.of_bot.get((number, row[2]), {})) for row in rows),
        seed_of(rows[0][1]),
    )


def commands_in(configuration: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give the commands that stand anywhere in the configuration; the referee's jar as the command that starts it."""
    for key, value in configuration.items():
        if isinstance(value, str) and key.startswith(COMMANDS):
            yield key, value
        elif isinstance(value, Mapping):
            yield from commands_in(value)
            if key == "referee" and (command := command_of_jar(value)):
                yield "referee", command
        elif isinstance(value, list):
            for table in value:
                yield from commands_in(table) if isinstance(table, Mapping) else ()


def command_of_jar(table: Mapping[str, Any]) -> str:
    """Return the command that starts the archive that a table names, with its rules level; "" where it names none."""
    path, java, level = table.get("path"), table.get("java"), table.get("league")
    if not isinstance(path, str) or not (path.endswith(".jar") or table.get("type") == JAR):
        return ""
    own = java if isinstance(java, str) and PurePath(java).name == "java" else "java"
    option = [f"{LEVEL}{level}"] if isinstance(level, int) and not isinstance(level, bool) else []
    return shlex.join([own, *option, "-jar", path])


def seats_in(configuration: Mapping[str, Any]) -> tuple[int, ...]:
    """Return how many may play a match; () where that does not stand there."""
    game = configuration.get("game")
    least, most = (game.get(key) if isinstance(game, Mapping) else None for key in ("min_players", "max_players"))
    if not isinstance(least, int) or not isinstance(most, int):
        return ()
    return tuple(range(max(2, least), min(most, MOST_PLAYERS) + 1))


def settings_in(configuration: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give the settings of its game, pairing and ranking."""
    for name in TABLES_OF_SETTINGS:
        table = configuration.get(name)
        for key, value in table.items() if isinstance(table, Mapping) else ():
            yield f"{name}.{key}", str(value)
