"""A game whose referee is a program: its `game.toml`, and the edition that its files make, with a hash of them all.

Each thing that is wrong with a `game.toml` is a sentence with file and key.

How this works. The files that `game.toml` names make the edition, which is laid out in the workspace under its hash,
once on each machine, where boxes can see it. So it is the same wherever it came from, and never changes.

How a new game is gathered. Words of the command that name files belong to the game, and stand in it by their names;
further files are named besides. Everything is written into a folder of its own, and read from there as any folder is.
"""

import json
import re
import shlex
import shutil
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field
from itertools import starmap
from pathlib import Path
from typing import Any, TypeAlias

from engine.conversation import FOR_TWO, SeatOrders, TimeLimits
from engine.errors import GameFault, MissingTool, SandboxFault, UsageFault, plain_words
from engine.game import Game, GameLeague, Games
from engine.games.game_folder import CAPABILITIES, NAME, TABLE, GameTable, load_game, read_leagues, read_weights
from engine.immutable import immutable
from engine.referees.program import (
    ALL_RULES,
    JAVA,
    SEED_BITS,
    ProgramBounds,
    ProtocolKind,
    RefereeProgram,
    RepeatedBy,
    Reuse,
    command_words,
    jar_of,
    takes_seed,
    why_unfit,
)
from engine.text import toml_text
from engine.toolchains.languages import languages
from engine.toolchains.source import Member, Tree, Unfit, checked_name, lay_out, tree_of
from engine.workspace import open_workspace

Value: TypeAlias = bool | int | float | str | list[Any] | tuple[Any, ...]

TABLE_BEGINS = re.compile(r"[ \t]*\[")


def literal(value: Value) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    return toml_text(value) if isinstance(value, str) else json.dumps(value)


def line_of(key: str, value: Value) -> str:
    return f"{key if re.fullmatch(r'[A-Za-z0-9_-]+', key) else literal(key)} = {literal(value)}"


def with_values(text: str, table: str, values: Mapping[str, Value]) -> str:
    """Table "" is the file's own. Comments stay. Raises GameFault where a key cannot be found as it is written."""
    lines = text.splitlines()
    begin, end = bounds(lines, table)
    expected = tomllib.loads(text)
    place = expected.setdefault(table, {}) if table else expected
    place.update({key: list(value) if isinstance(value, tuple) else value for key, value in values.items()})
    for key, value in values.items():
        line = line_of(key, value)
        places = [at for at in range(begin, end) if re.match(rf"[ \t]*{re.escape(key)}[ \t]*=", lines[at])]
        if places:
            lines[places[0]] = line
        else:
            lines.insert(begin, line)
            end += 1
    changed = "\n".join(lines) + "\n"
    with suppress(tomllib.TOMLDecodeError):
        if tomllib.loads(changed) == expected:
            return changed
    names = ", ".join(values)
    raise GameFault(f"game.toml cannot be changed by itself: give each of these keys a line of its own: {names}")


def bounds(lines: list[str], table: str) -> tuple[int, int]:
    starts = [at for at, line in enumerate(lines) if TABLE_BEGINS.match(line)]
    if not table:  # what a file says of itself, in comments, stays above
        keys = (at for at, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#"))
        return next(keys, len(lines)), starts[0] if starts else len(lines)
    for at in starts:
        if re.match(rf"[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\]", lines[at]):
            return at + 1, next((other for other in starts if other > at), len(lines))
    lines += ["", f"[{table}]"]
    return len(lines), len(lines)


ARENA = "arena"
BATTLES = 100
DRAW_PROBABILITY = 0.05
MOST_ASKS_PER_SEAT = 400
"""Where the file does not say; by it the longest match is estimated."""
LIMITS = {kind: TimeLimits(1000, 50 if kind is ProtocolKind.SDK else 100) for kind in ProtocolKind}
"""By which leases are made where the referee has its own limits, and those that count where it has none."""
SEED_BITS_OF = {ProtocolKind.SDK: 64, ProtocolKind.BRUTALTESTER: 0, ProtocolKind.COMMAND: 31}
"""How wide seeds are until a check has found out. A command that is given no seed knows none."""
FOR_REFEREES_THAT_ASK = (
    "first_limit_ms",
    "turn_limit_ms",
    "fault_line",
    "time_bank",
    "keep_views",
    "keep_line_ends",
    "parameters",
)
"""Keys that mean nothing for a command that starts the bots itself."""
MOST_MATCH_S = 300
"""A worker waits for no match longer than its league's leases last."""


def game_of(folder: Path, edition: str = "") -> Game:
    """`edition`: the hash of its files. Raises GameFault, which names file and key."""
    table = GameTable(folder / TABLE)
    name, title = table.name("name"), table.text("title")
    rows = table.rows("leagues") if table.has("leagues") else []
    program = read_program(table, folder)
    players = table.players("players")
    weights = read_weights(table, players)
    orders = SeatOrders(table.word("seat_orders", tuple(SeatOrders), SeatOrders.ROTATIONS))
    draw_probability = table.share("draw_probability", DRAW_PROBABILITY)
    most_asks = table.number("most_asks_per_seat", MOST_ASKS_PER_SEAT)
    statement = table.text_if_any("statement") or ""
    if statement:
        require_inside(table, "statement", folder, statement)
    table.refuse_others()
    leagues = read_leagues(rows, folder, ALL_RULES, BATTLES)
    leagues = leagues or (GameLeague(ARENA, "Arena", ALL_RULES, BATTLES, None),)
    check_protocol(table, program, players)
    return Game(
        name,
        title,
        folder,
        leagues,
        draw_probability=draw_probability,
        most_asks_per_seat=most_asks,
        limits=program.limits or LIMITS[program.kind],
        referee=no_rules_in_python,
        lacks=frozenset(CAPABILITIES),
        players=players,
        player_weights=weights,
        seat_orders=orders,
        program=program,
        edition=edition,
        statement_file=statement,
    )


def check_protocol(table: GameTable, program: RefereeProgram, players: tuple[int, ...]) -> None:
    if program.kind is ProtocolKind.BRUTALTESTER and players != FOR_TWO and program.fault_line is None:
        raise table.fault("fault_line", "is missing; with more than two players this protocol needs one")
    if not program.starts_bots:
        return
    if unfit := next((key for key in FOR_REFEREES_THAT_ASK if table.has(key)), None):
        raise table.fault(unfit, "means nothing for a command that starts the bots itself")
    if why := why_unfit(program.command, players):
        raise table.fault("command of [referee]", why)


def no_rules_in_python(*_: object) -> Any:
    raise UsageFault("the referee of this game is a program: its rules cannot be led without it")


def read_program(table: GameTable, folder: Path) -> RefereeProgram:
    """Take what a `game.toml` says of its referee, in its table and beside it. Raises GameFault."""
    referee = table.table("referee")
    kind = ProtocolKind(referee.word("kind", tuple(ProtocolKind), None))
    words = read_command(referee)
    files = tuple(referee.texts("files"))
    for file in files:
        require_inside(referee, "files", folder, file)
    needs = tuple(referee.texts("needs"))
    reuse = Reuse(referee.word("reuse", tuple(Reuse), Reuse.NONE))
    memory_mb = referee.number("memory_mb", 512)
    bounds = read_bounds(referee)
    referee.refuse_others()
    knows_seeds = kind is not ProtocolKind.COMMAND or takes_seed(words)
    bits = table.among("seed_bits", SEED_BITS if knows_seeds else (0,), SEED_BITS_OF[kind] if knows_seeds else 0)
    is_repeatable = table.truth("repeatable", default=bits > 0)
    by = table.word("repeated_by", (RepeatedBy.SEED, RepeatedBy.PARAMETERS), RepeatedBy.SEED)
    limits = None
    if table.has("first_limit_ms") or table.has("turn_limit_ms"):
        limits = TimeLimits(table.number("first_limit_ms"), table.number("turn_limit_ms"))
    return RefereeProgram(
        kind,
        folder,
        words,
        files=files,
        needs=needs,
        memory_mb=memory_mb,
        reuse=reuse,
        parameters=read_parameters(table),
        limits=limits,
        fault_line=table.text_if_any("fault_line"),
        negative_score_is_fault=table.truth("negative_score_is_fault", default=True),
        has_time_bank=table.truth("time_bank", default=False),
        seed_bits=bits,
        repeated_by=RepeatedBy(by) if is_repeatable else RepeatedBy.NOTHING,
        keep_views=table.truth("keep_views", default=False),
        keeps_line_ends=table.truth("keep_line_ends", default=False),
        proven=table.truth("checked", default=False),
        bounds=bounds,
    )


def read_command(referee: GameTable) -> tuple[str, ...]:
    command = referee.text("command")
    try:
        return command_words(command)
    except UsageFault as fault:
        raise referee.fault("command", f"cannot be used: {fault}") from fault


def require_inside(table: GameTable, key: str, folder: Path, file: str) -> None:
    path = Path(file)
    if path.is_absolute() or ".." in path.parts:
        raise table.fault(key, f"names {file!r}, which is not below the game's folder")
    if not (folder / path).exists():
        raise table.fault(key, f"names {folder / path}, and no such file is there")


def read_bounds(referee: GameTable) -> ProgramBounds:
    keys = ("first_question_s", "question_s", "cpu_s", "questions", "match_s")
    limits = {key: referee.number(key) for key in keys if referee.has(key)}
    if referee.has("output_mb"):
        limits["output_bytes"] = referee.number("output_mb") * 1_000_000
    if limits.get("match_s", 0) > MOST_MATCH_S:
        raise referee.fault("match_s", f"is {limits['match_s']}; a match may last at most {MOST_MATCH_S} s")
    return ProgramBounds(**limits)


def read_parameters(table: GameTable) -> tuple[tuple[str, str], ...]:
    values = table.take("parameters", dict, {})
    for key, value in values.items():
        if not isinstance(value, str | int | float) or "\n" in f"{key}{value}" or "=" in key:
            raise table.fault("parameters", f"holds {key!r}, which cannot be written as one line `key=value`")
    return tuple((key, str(value).lower() if isinstance(value, bool) else str(value)) for key, value in values.items())


@immutable
class NewGame:
    """What somebody says of a game when they add it; see `RefereeProgram` for the words. `command`: as it was typed."""

    name: str
    title: str
    kind: ProtocolKind
    command: str
    players: tuple[int, ...]
    rules_level: int = ALL_RULES
    fault_line: str | None = None
    limits: TimeLimits | None = None
    statement: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])


@immutable
class Gathered:
    """A command as it is in the game's folder, and the files that belong to it: where each is, by its name there."""

    command: str
    files: Mapping[str, Path]
    needs: tuple[str, ...]


def game_text(new: NewGame, gathered: Gathered) -> str:
    top: dict[str, Value] = {"name": new.name, "title": new.title, "players": new.players}
    if new.fault_line is not None:
        top["fault_line"] = new.fault_line
    if new.limits is not None:
        top |= {"first_limit_ms": new.limits.first_ms, "turn_limit_ms": new.limits.turn_ms}
    if new.statement:
        top["statement"] = new.statement
    referee: dict[str, Value] = {"kind": new.kind, "command": gathered.command, "files": list(gathered.files)}
    if gathered.needs:
        referee["needs"] = gathered.needs
    league: dict[str, Value] = {"name": ARENA, "title": "Arena", "rules_level": new.rules_level, "battles": BATTLES}
    tables: list[tuple[str, Mapping[str, Value]]] = [("", top), ("[referee]", referee)]
    tables += [("[parameters]", new.parameters), ("[[leagues]]", league)]
    parts = ["\n".join(filter(None, [head, *starmap(line_of, values.items())])) for head, values in tables if values]
    return "\n\n".join(parts) + "\n"


MOST_MB = 64
MOST_FILES = 2000
KEY = "game-"
"""Before the hash: programs in the workspace have keys without such a word."""


def read_folder(folder: Path) -> Tree:
    """Raises GameFault, naming file and key."""
    game = game_of(folder)
    bosses = (f"bots/{league.boss}" for league in game.leagues if league.boss is not None)
    names = [TABLE, *(game.program.files if game.program else ()), *bosses, *filter(None, [game.statement_file])]
    try:
        tree = tree_of(members(folder, dict.fromkeys(names)))
    except Unfit as why:
        raise GameFault(f"{folder}: {why}") from why
    if len(tree.files) > MOST_FILES:
        raise GameFault(f"{folder}: the game has {len(tree.files)} files; the limit is {MOST_FILES}")
    return tree


def members(folder: Path, names: Iterable[str]) -> Iterator[Member]:
    """Read files, and all files of folders, of these names. Raises Unfit where they are too large, GameFault."""
    total = 0
    for name in names:
        path = folder / checked_name(name)
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_dir():
                continue
            try:
                status = file.stat()
                total += status.st_size
                if total > MOST_MB * 2**20:
                    raise Unfit(f"the files of the game have more than {MOST_MB} MB in all, which is the limit")
                content = file.read_bytes()
            except OSError as error:
                raise GameFault(f"a file of the game cannot be read: {plain_words(error)}") from error
            own_name = checked_name(str(file.relative_to(folder)))
            yield Member(own_name, content, executable=bool(status.st_mode & 0o100))


def edition_here(edition_hash: str) -> Path | None:
    """Return None where it is not laid out on this machine. Raises UsageFault."""
    place = open_workspace().entry(KEY + edition_hash)
    return place if place.is_dir() else None


def lay_out_edition(tree: Tree) -> Path:
    """Several processes may do so at once. Raises SandboxFault where the disk is full, UsageFault."""
    workspace, key = open_workspace(), KEY + tree.hash
    if workspace.entry(key).is_dir():
        return workspace.entry(key)
    with workspace.scratch() as scratch:
        try:
            folder = lay_out(scratch / "edition", tree.files)
        except OSError as error:
            raise SandboxFault(f"a game's files cannot be laid out: {plain_words(error)}") from error
        return workspace.publish(folder, key)


def load_edition(tree: Tree) -> Game:
    return game_of(lay_out_edition(tree), tree.hash)


def game_played(games: Games, name: str, edition: str | None) -> Game:
    """An edition that is laid out here is found also where no ladder knows it. Raises as `Games.find`."""
    folder = edition_here(edition) if edition else None
    return games.find(name, edition or None) if folder is None else game_of(folder, edition or "")


def load_any_folder(folder: Path) -> Game:
    """Whether its referee is a program or its rules are in Python. Raises as both do."""
    is_program = GameTable(folder / TABLE).is_table("referee")
    return load_folder(folder) if is_program else load_game(folder.absolute())


def load_folder(folder: Path) -> Game:
    return load_edition(read_folder(folder))


def gather(command: str, further: Iterable[Path], base: Path) -> Gathered:
    """`base`: the folder from which the command is called; `further`: other files. Raises UsageFault, MissingTool."""
    words, files = list(command_words(command)), dict[str, Path]()
    for number, word in enumerate(words):
        path = base / word
        if path.is_file() and not (number == 0 and "/" not in word and shutil.which(word)):
            name = name_below(path, base)
            files[name] = path
            words[number] = f"./{name}" if number == 0 else name
    for path in further:
        if not (base / path).exists():
            raise UsageFault(f"--file {path}: no such file is there")
        files[name_below(base / path, base)] = base / path
    require_program(words[0], files)
    jar = jar_of(words)
    if jar is not None and jar not in files:
        raise UsageFault(f"the referee's command names the jar {jar}, and no such file is there")
    ways = ((language.name, way.run[0]) for language in languages().values() for way in language.toolchains)
    runtimes = [name for name, program in ways if program == words[0]]
    return Gathered(shlex.join(words), files, tuple(runtimes[:1]))


def name_below(path: Path, base: Path) -> str:
    whole, folder = path.resolve(), base.resolve()
    return str(whole.relative_to(folder)) if whole.is_relative_to(folder) and whole != folder else whole.name


def require_program(word: str, files: Mapping[str, Path]) -> None:
    """Raise UsageFault unless it can be run; MissingTool for Java that is not here."""
    file = files.get(word.removeprefix("./"))
    if file is not None and not file.stat().st_mode & 0o111:
        raise UsageFault(f"the referee {file} may not be run: `chmod +x {file}` allows it")
    if file is None and shutil.which(word) is None:
        if word == JAVA:
            raise MissingTool("this referee needs Java, which is not installed here")
        raise UsageFault(f"the referee's command begins with {word}, which is neither a file here nor a program")


def new_edition(new: NewGame, gathered: Gathered) -> Tree:
    if not NAME.fullmatch(new.name):
        raise UsageFault(f"{new.name!r} cannot name a game: small letters, digits and hyphens, at most 39")
    with files_in_a_folder(gathered.files) as folder:
        (folder / TABLE).write_text(game_text(new, gathered), "utf-8")
        return tree_of_folder(folder)


def changed_edition(present: Path, values: Mapping[str, Mapping[str, Value]], files: Mapping[str, Path]) -> Tree:
    """`present`: the folder of the edition before; `values`: by their tables. Raises GameFault, UsageFault."""
    present_files = {str(path.relative_to(present)): path for path in sorted(present.rglob("*")) if path.is_file()}
    with files_in_a_folder({**present_files, **files}) as folder:
        text = (folder / TABLE).read_text("utf-8")
        for table, changes in values.items():
            text = with_values(text, table, changes)
        (folder / TABLE).write_text(text, "utf-8")
        return tree_of_folder(folder)


def tree_of_folder(folder: Path) -> Tree:
    """The sentence of a GameFault does not name that folder."""
    try:
        return read_folder(folder)
    except GameFault as fault:
        raise GameFault(str(fault).replace(f"{folder}/", "").replace(f"{folder}: ", "")) from fault


@contextmanager
def files_in_a_folder(files: Mapping[str, Path]) -> Iterator[Path]:
    """Copy files into a folder of the block, by their names there. Raises UsageFault."""
    every = {
        Path(name) / file.relative_to(path): file
        for name, path in files.items()
        for file in (path.rglob("*") if path.is_dir() else [path])
        if file.is_file()
    }
    size_mb = sum(file.stat().st_size for file in every.values()) / 2**20
    if size_mb > MOST_MB:
        raise UsageFault(f"the files of the game have {size_mb:.1f} MB in all; the limit is {MOST_MB} MB")
    with tempfile.TemporaryDirectory(prefix="ladder-game-") as name:
        folder = Path(name).resolve()
        try:
            for name_there, file in every.items():
                (folder / name_there).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, folder / name_there)
        except OSError as error:
            raise UsageFault(f"a file of the game cannot be copied: {plain_words(error)}") from error
        yield folder


def write_folder(tree: Tree, folder: Path) -> None:
    """`folder`: empty, or not there yet. Raises UsageFault."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageFault(f"{folder} is there already, and is not an empty folder")
    try:
        for file in tree.files:
            path = folder / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content or b"")
            path.chmod(0o755 if file.executable else 0o644)
    except OSError as error:
        raise UsageFault(f"cannot write {folder}: {plain_words(error)}") from error
