"""A folder of cgarena: `cgarena_config.toml`, and `cgarena.db`, a SQLite database that is opened read-only.

Since September 2026 the file has only the settings of its server, and the others are in the database, as JSON.
"""

import json
import re
import shlex
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain, count, groupby
from operator import itemgetter
from pathlib import Path, PurePath
from typing import Any, TypeVar
from urllib.parse import quote

from engine.conversation import MOST_PLAYERS
from engine.errors import UsageFault
from engine.immutable import immutable
from engine.referees.program import ProtocolKind, command_words, has_referee_main, jar_of, why_unfit
from engine.text import counted, one_line
from engine.toolchains.source import goes_by_link
from ladder.imports import foreign
from ladder.imports.foreign import ForeignBot, ForeignLeague, ForeignMatch
from ladder.names import LONGEST

BETWEEN = r"""[\s'",]+"""
JAVA = re.compile(rf"""\bjava((?:{BETWEEN}-[\w:.=/+-]+)*?){BETWEEN}-jar{BETWEEN}([^\s'",|;&]+\.jar)""")
OPTION = re.compile(r"-[\w:.=/+-]+")
PLAIN = re.compile(r"[\w@%+=:,./{}-]+")
MOST_BYTES_OF_A_SCRIPT = 100_000
FILL_IN = "WRONG_MOVE"
FAULT_LINE = f" --fault-line {FILL_IN}"
"""What only the referee's author knows: with more than two players this protocol needs such a line."""
LEVEL = "-Dleague.level="
LEVELS = range(1, 1001)
SCRIPTS = {".py", ".sh", ".bat", ".js", ".pl", ".rb"}


@immutable
class RefereeStart:
    """How a referee is started. `words`: its command; `level`: the rules by which it plays, where that is said."""

    words: tuple[str, ...]
    kind: ProtocolKind
    level: int | None = None


def game_commands(commands: Iterable[str], folder: Path, game: str, players: Iterable[int]) -> tuple[str, ...]:
    """Return the `ladder game add` for each `java -jar` in commands, and in scripts of the folder that they run.

    A command in which there is none, and which is given the bots, is a game itself, of the kind `command`.
    """
    numbers = sorted(players) or [2]
    starts: dict[RefereeStart, None] = {}
    for command in commands:
        archives = [referee(java, folder) for java in java_in(command, folder)]
        starts |= dict.fromkeys(archives or whole_match_command(command, folder, numbers))
    return tuple(game_command(start, game, numbers) for start in starts)


def game_command(start: RefereeStart, game: str, numbers: Sequence[int]) -> str:
    seats = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
    # Between quotes the signs for seed and bots need none of their own.
    words = shlex.quote(" ".join(word if PLAIN.fullmatch(word) else shlex.quote(word) for word in start.words))
    level = "" if start.level is None else f" --rules-level {start.level}"
    needs_line = start.kind is ProtocolKind.BRUTALTESTER and list(numbers) != [2]
    return (
        f"ladder game add {game} --referee {words} --kind {start.kind} --players {seats}{level}"
        f"{FAULT_LINE if needs_line else ''}"
    )


def free_name(name: str, used: Container[str]) -> str:
    plain_name = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST] or "game"
    others = (f"{plain_name[: LONGEST - 4]}-{number}" for number in count(2))
    return next(name for name in chain([plain_name], others) if name not in used)


def still_to_fill_in(command: str) -> str:
    """Say what is to be filled in before such a command is given; "" where it is complete."""
    if not command.endswith(FAULT_LINE):
        return ""
    return f"with a line that the referee takes for a wrong move in the place of {FILL_IN}"


def whole_match_command(command: str, folder: Path, players: Sequence[int]) -> Iterator[RefereeStart]:
    """Give a command that plays whole matches, with the way to its files; nothing where it is not given the bots."""
    try:
        words = command_words(command)
    except UsageFault:
        return
    if why_unfit(words, players) is None:
        yield RefereeStart(
            tuple(str(folder / word) if is_plain(folder, word) else word for word in words), ProtocolKind.COMMAND
        )


def is_plain(folder: Path, name: str) -> bool:
    return (folder / name).is_file() and not goes_by_link(folder, name)


def referee(words: tuple[str, ...], folder: Path) -> RefereeStart:
    """Return an archive's start and what it speaks: sdk, unless it shows otherwise. Its level is the game's own."""
    level = next((word.removeprefix(LEVEL) for word in words if word.startswith(LEVEL)), "")
    rest = tuple(word for word in words if not word.startswith(LEVEL))
    jar = folder / words[-1]
    kind = ProtocolKind.SDK
    if is_plain(folder, words[-1]):
        rest = (*rest[:-1], str(jar))
        with suppress(UsageFault):
            kind = ProtocolKind.SDK if has_referee_main(jar) else ProtocolKind.BRUTALTESTER
    return RefereeStart(rest, kind, int(level) if level.isdecimal() and int(level) in LEVELS else None)


def java_in(command: str, folder: Path) -> Iterator[tuple[str, ...]]:
    words: tuple[str, ...] = ()
    with suppress(UsageFault):
        words = command_words(command)
    if words and jar_of(words) is not None:
        yield words[: words.index("-jar") + 2]
    else:
        yield from starts(command)
    for word in command.split():
        name = word.strip("'\"")
        path = folder / name
        if path.suffix in SCRIPTS and is_plain(folder, name) and path.stat().st_size <= MOST_BYTES_OF_A_SCRIPT:
            yield from starts(path.read_text("utf-8-sig", "replace"))


def starts(text: str) -> Iterator[tuple[str, ...]]:
    for command in JAVA.finditer(text):
        yield ("java", *OPTION.findall(command[1]), "-jar", command[2])


ORIGIN = "cgarena"
CONFIGURATION = "cgarena_config.toml"
DATABASE = "cgarena.db"
BESIDE_A_DATABASE = ("-wal", "-shm", "-journal")
COMMANDS = ("cmd_", "play_match", "watch_replay", "referee_cmd")
JAR = "codingame_jar"
LATEST_IN_SECONDS = 10**11
"""Moments are counted in seconds; above this number, which is far in the future, in milliseconds."""
T = TypeVar("T")


def read(folder: Path, labels: Mapping[str, str]) -> ForeignLeague:
    """Read a folder. `labels`: see ladder.imports.foreign. Raises UsageFault, which names what is broken."""
    path, *_ = (foreign.path_inside(folder, DATABASE + ending) for ending in ("", *BESIDE_A_DATABASE))
    of_file = foreign.read_toml(folder / CONFIGURATION) if foreign.path_inside(folder, CONFIGURATION).exists() else {}
    league = with_settings(ForeignLeague(ORIGIN, file=CONFIGURATION), of_file)
    if not path.is_file() and league.commands:
        return league
    foreign.require_file(folder, ORIGIN, path)
    configuration = {**of_file, **read_from(path, lambda connection: read_configuration(connection, path))}
    bots = read_from(path, lambda connection: read_bots(connection, path, labels))
    names = {number: bot.name for number, bot in bots.items()}
    noted, matches = read_from(path, lambda connection: read_matches(connection, path, names))
    of_database = ForeignLeague(
        ORIGIN,
        file=path.name,
        bots=tuple(bots.values()),
        matches=matches,
        players=tuple(sorted({len(match.players) for match in matches})),
        written_at=foreign.written_at(path),
        left_out=noted.left_out,
    )
    return with_settings(of_database, configuration)


def with_settings(league: ForeignLeague, configuration: Mapping[str, Any]) -> ForeignLeague:
    tables = {name: configuration.get(name) for name in ("game", "matchmaking", "ranking")}
    settings = {
        f"{name}.{key}": str(value)
        for name, table in tables.items()
        if isinstance(table, Mapping)
        for key, value in table.items()
    }
    game, seats = tables["game"], tuple[int, ...]()
    least, most = (game.get(key) if isinstance(game, Mapping) else None for key in ("min_players", "max_players"))
    if isinstance(least, int) and isinstance(most, int):
        seats = tuple(range(max(2, least), min(most, MOST_PLAYERS) + 1))
    return replace(league, commands=dict(commands_in(configuration)), settings=settings, seats=seats)


def read_from(path: Path, reading: Callable[[sqlite3.Connection], T]) -> T:
    """Read a database that nobody changes by that. Raises UsageFault where it is none of cgarena's.

    One with a write-ahead log, in a folder where nothing can be made, is read by the promise that nobody writes.
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
        configuration: object = json.loads(row[0]) if row else {}
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageFault(f"{path}: its configuration is not JSON; nothing is imported") from error
    if not isinstance(configuration, dict):
        raise UsageFault(f"{path}: its configuration is not a JSON object; nothing is imported")
    return configuration


def read_bots(connection: sqlite3.Connection, path: Path, labels: Mapping[str, str]) -> dict[int, ForeignBot]:
    bots: dict[int, ForeignBot] = {}
    for number, name, text, label, created_at in connection.execute(
        "SELECT id, name, source_code, language, created_at FROM bots ORDER BY id"
    ):
        if not (isinstance(name, str) and name and isinstance(text, str) and isinstance(label, str)):
            raise UsageFault(f"{path}, bot {number}: no bot as {ORIGIN} writes them; nothing is imported")
        source = foreign.source_given(text, label, labels)
        bots[number] = ForeignBot(name, created_at=moment_of(created_at), source=source)
    return bots


def moment_of(number: object) -> datetime | None:
    if isinstance(number, bool) or not isinstance(number, int):
        return None
    try:
        return datetime.fromtimestamp(number if abs(number) < LATEST_IN_SECONDS else number / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


@dataclass(slots=True)
class Noted:
    """What is noted of matches, and of bots in them, by ids; of single turns (`of_turns`) the last one of each name."""

    of_match: dict[int, dict[str, object]] = field(default_factory=lambda: defaultdict(dict))
    of_bot: dict[tuple[int, int], dict[str, object]] = field(default_factory=lambda: defaultdict(dict))
    of_turns: Counter[tuple[int, int | None, str]] = field(default_factory=Counter)

    @property
    def left_out(self) -> tuple[str, ...]:
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
    noted = Noted()
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'match_attribute_names'").fetchone() is None:
        return noted
    for match, bot, turn, name, value in connection.execute(ATTRIBUTES):
        attributes = noted.of_match[match] if bot is None else noted.of_bot[match, bot]
        attributes[str(name)] = value
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
    noted = read_noted(connection)
    played = [(number, list(rows)) for number, rows in groupby(connection.execute(SEATS), itemgetter(0))]
    for number, rows in played:
        if not is_sound(rows, names):
            raise UsageFault(f"{path}, match {number}: no match as {ORIGIN} writes them; nothing is imported")
    keys = foreign.keys_of(
        [repr((number, [(row[1], names[row[2]], *row[3:]) for row in rows])) for number, rows in played]
    )
    matches = [match_of(noted, rows, key, names) for (_, rows), key in zip(played, keys, strict=True)]
    return noted, tuple(matches)


def is_sound(rows: list[Any], names: Mapping[int, str]) -> bool:
    seats, bots = [row[3] for row in rows], {row[2] for row in rows}
    if seats != list(range(len(rows))) or not 2 <= len(rows) <= MOST_PLAYERS:
        return False
    are_known = bots <= names.keys() and len(bots) == len(rows)
    return are_known and all(isinstance(row[4], int) and row[5] in {0, 1} for row in rows)


def match_of(noted: Noted, rows: list[Any], key: str, names: Mapping[int, str]) -> ForeignMatch:
    number, seed, *_ = rows[0]
    return ForeignMatch(
        key,
        players=tuple(names[row[2]] for row in rows),
        ranks=tuple(row[4] for row in rows),
        faults=tuple(bool(row[5]) for row in rows),
        metrics=tuple(
            foreign.metrics_from(noted.of_match.get(number, {}), noted.of_bot.get((number, row[2]), {})) for row in rows
        ),
        seed=foreign.seed_of(seed),
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
    path, java, level = table.get("path"), table.get("java"), table.get("league")
    if not isinstance(path, str) or not (path.endswith(".jar") or table.get("type") == JAR):
        return ""
    program = java if isinstance(java, str) and PurePath(java).name == "java" else "java"
    option = [f"{LEVEL}{level}"] if isinstance(level, int) and not isinstance(level, bool) else []
    return shlex.join([program, *option, "-jar", path])
