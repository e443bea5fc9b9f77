"""From the `game.toml` of a game whose referee is a program to a `Game`, and back to text.

Each thing that is wrong with one is a sentence with file and key.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, TypeAlias

from engine.conversation import FOR_TWO, TimeLimits
from engine.errors import GameFault, UsageFault
from engine.game import Game, GameLeague
from engine.games.game_folder import CAPABILITIES, TABLE, GameTable, check_once, read_league, read_orders, read_weights
from engine.immutable import immutable
from engine.referees.program import (
    ALL_RULES,
    SEED_BITS,
    ProgramBounds,
    ProtocolKind,
    RefereeProgram,
    RepeatedBy,
    Reuse,
    command_words,
    takes_seed,
    why_unfit,
)
from engine.text import toml_text

Value: TypeAlias = bool | int | float | str | list[Any] | tuple[Any, ...]

TABLE_BEGINS = re.compile(r"[ \t]*\[")


def literal(value: Value) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, str):
        return toml_text(value)
    return json.dumps(value)


def key_text(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else literal(key)


def lines_of(values: Mapping[str, Value]) -> Iterable[str]:
    return (f"{key_text(key)} = {literal(value)}" for key, value in values.items())


def with_values(text: str, table: str, values: Mapping[str, Value]) -> str:
    """Table "" is the file's own. Comments stay. Raises GameFault where a key cannot be found as it is written."""
    lines = text.splitlines()
    begin, end = bounds(lines, table)
    for key, value in values.items():
        line = f"{key_text(key)} = {literal(value)}"
        places = [at for at in range(begin, end) if re.match(rf"[ \t]*{re.escape(key)}[ \t]*=", lines[at])]
        if places:
            lines[places[0]] = line
        else:
            lines.insert(begin, line)
            end += 1
    changed = "\n".join(lines) + "\n"
    check_changed(text, changed, table, values)
    return changed


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


def check_changed(before: str, after: str, table: str, values: Mapping[str, Value]) -> None:
    expected = tomllib.loads(before)
    place = expected.setdefault(table, {}) if table else expected
    place.update({key: list(value) if isinstance(value, tuple) else value for key, value in values.items()})
    try:
        is_right = tomllib.loads(after) == expected
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        names = ", ".join(values)
        raise GameFault(f"game.toml cannot be changed by itself: give each of these keys a line of its own: {names}")


ARENA = "arena"
BATTLES = 100
DRAW_PROBABILITY = 0.05
MOST_ASKS_PER_SEAT = 400
"""Where the file does not say; by it the longest match is estimated."""
LIMITS = {
    ProtocolKind.SDK: TimeLimits(1000, 50),
    ProtocolKind.BRUTALTESTER: TimeLimits(1000, 100),
    ProtocolKind.COMMAND: TimeLimits(1000, 100),
}
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
    weights, orders = read_weights(table, players), read_orders(table)
    limits = program.limits or LIMITS[program.kind]
    draws = table.share("draw_probability", DRAW_PROBABILITY)
    most_asks = table.number("most_asks_per_seat", MOST_ASKS_PER_SEAT)
    statement = table.text_if_any("statement") or ""
    if statement:
        require_inside(table, "statement", folder, statement)
    table.refuse_others()
    leagues = tuple(read_league(row, folder, ALL_RULES, BATTLES) for row in rows)
    leagues = leagues or (GameLeague(ARENA, "Arena", ALL_RULES, BATTLES, None),)
    check_once(table.path, [league.name for league in leagues])
    if program.kind is ProtocolKind.BRUTALTESTER and players != FOR_TWO and program.fault_line is None:
        raise table.fault("fault_line", "is missing; with more than two players this protocol needs one")
    if program.starts_bots:
        check_command(table, program, players)
    return Game(
        name=name,
        title=title,
        folder=folder,
        leagues=leagues,
        draw_probability=draws,
        most_asks_per_seat=most_asks,
        limits=limits,
        referee=no_rules_in_python,
        lacks=frozenset(CAPABILITIES),
        players=players,
        player_weights=weights,
        seat_orders=orders,
        program=program,
        edition=edition,
        statement_file=statement,
    )


def check_command(table: GameTable, program: RefereeProgram, players: tuple[int, ...]) -> None:
    if unfit := next((key for key in FOR_REFEREES_THAT_ASK if table.has(key)), None):
        raise table.fault(unfit, "means nothing for a command that starts the bots itself")
    if why := why_unfit(program.command, players):
        raise table.fault("command of [referee]", why)


def no_rules_in_python(*_: object) -> Any:
    raise UsageFault("the referee of this game is a program: its rules cannot be led without it")


def read_program(table: GameTable, folder: Path) -> RefereeProgram:
    referee = table.table("referee")
    kind = ProtocolKind(referee.word("kind", tuple(ProtocolKind), None))
    words = read_command(referee)
    files = tuple(referee.texts("files"))
    for file in files:
        require_inside(referee, "files", folder, file)
    needs, reuse = tuple(referee.texts("needs")), Reuse(referee.word("reuse", tuple(Reuse), Reuse.NONE))
    memory_mb = referee.number("memory_mb", 512)
    bounds = read_bounds(referee)
    referee.refuse_others()
    knows_seeds = kind is not ProtocolKind.COMMAND or takes_seed(words)
    bits = table.among("seed_bits", SEED_BITS if knows_seeds else (0,), SEED_BITS_OF[kind] if knows_seeds else 0)
    is_checked = table.truth("checked", default=False)
    return RefereeProgram(
        kind=kind,
        folder=folder,
        command=words,
        files=files,
        needs=needs,
        memory_mb=memory_mb,
        reuse=reuse,
        parameters=read_parameters(table),
        limits=read_limits(table),
        fault_line=table.text_if_any("fault_line"),
        negative_score_is_fault=table.truth("negative_score_is_fault", default=True),
        has_time_bank=table.truth("time_bank", default=False),
        seed_bits=bits,
        repeated_by=read_repeated(table, bits),
        keep_views=table.truth("keep_views", default=False),
        keeps_line_ends=table.truth("keep_line_ends", default=False),
        proven=is_checked,
        bounds=bounds,
    )


def read_command(referee: GameTable) -> tuple[str, ...]:
    try:
        return command_words(referee.text("command"))
    except GameFault:
        raise
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


def read_limits(table: GameTable) -> TimeLimits | None:
    if not table.has("first_limit_ms") and not table.has("turn_limit_ms"):
        return None
    return TimeLimits(table.number("first_limit_ms"), table.number("turn_limit_ms"))


def read_parameters(table: GameTable) -> tuple[tuple[str, str], ...]:
    if not table.has("parameters"):
        return ()
    values = table.table("parameters").all_values()
    for key, value in values.items():
        if not isinstance(value, str | int | float) or "\n" in f"{key}{value}" or "=" in key:
            raise table.fault("parameters", f"holds {key!r}, which cannot be written as one line `key=value`")
    return tuple((key, str(value).lower() if isinstance(value, bool) else str(value)) for key, value in values.items())


def read_repeated(table: GameTable, seed_bits: int) -> RepeatedBy:
    is_repeatable = table.truth("repeatable", default=seed_bits > 0)
    by = table.word("repeated_by", (RepeatedBy.SEED, RepeatedBy.PARAMETERS), RepeatedBy.SEED)
    return RepeatedBy(by) if is_repeatable else RepeatedBy.NOTHING


def files_named(folder: Path) -> Iterator[str]:
    game = game_of(folder)
    program = game.program
    yield from program.files if program else ()
    yield from (f"bots/{league.boss}" for league in game.leagues if league.boss is not None)
    yield from [game.statement_file] if game.statement_file else ()


@immutable
class NewGame:
    """What somebody says of a game when they add it; see `RefereeProgram` for the words."""

    name: str
    title: str
    kind: ProtocolKind
    command: str
    players: tuple[int, ...]
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    rules_level: int = ALL_RULES
    fault_line: str | None = None
    limits: TimeLimits | None = None
    statement: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])


def game_text(new: NewGame) -> str:
    top: dict[str, Value] = {"name": new.name, "title": new.title, "players": list(new.players)}
    if new.fault_line is not None:
        top["fault_line"] = new.fault_line
    if new.limits is not None:
        top |= {"first_limit_ms": new.limits.first_ms, "turn_limit_ms": new.limits.turn_ms}
    if new.statement:
        top["statement"] = new.statement
    referee: dict[str, Value] = {"kind": new.kind.value, "command": new.command, "files": list(new.files)}
    if new.needs:
        referee["needs"] = list(new.needs)
    league: dict[str, Value] = {"name": ARENA, "title": "Arena", "rules_level": new.rules_level, "battles": BATTLES}
    tables: list[tuple[str, Mapping[str, Value]]] = [
        ("", top),
        ("[referee]", referee),
        ("[parameters]", new.parameters),
        ("[[leagues]]", league),
    ]
    parts = ["\n".join([head, *lines_of(values)] if head else lines_of(values)) for head, values in tables if values]
    return "\n\n".join(parts) + "\n"
