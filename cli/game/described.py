"""What the options of `ladder game add` and `update` say of a game."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.conversation import FOR_TWO, MOST_PLAYERS, TimeLimits
from engine.errors import UsageFault
from engine.referees.game_file import NewGame
from engine.referees.gathering import gather, name_below
from engine.referees.program import ProtocolKind

if TYPE_CHECKING:
    from engine.game import Game
    from engine.referees.toml_text import Value


@dataclass(frozen=True, slots=True)
class Described:
    """The options, as they were typed."""

    referee: str | None
    kind: ProtocolKind | None
    players: str | None
    files: Sequence[Path]
    fault_line: str | None
    title: str | None
    statement: Path | None
    params: Sequence[str]
    first_limit: int | None
    turn_limit: int | None

    @property
    def is_said(self) -> bool:
        """Whether any of them was used."""
        values = (self.referee, self.kind, self.players, self.fault_line, self.title, self.statement, self.first_limit)
        return any(value is not None for value in (*values, self.turn_limit)) or bool(self.files or self.params)

    @property
    def all_files(self) -> list[Path]:
        """The files besides those of the command."""
        return [*self.files, *([self.statement] if self.statement else [])]

    @property
    def limits(self) -> TimeLimits | None:
        """The limits of the bots' time; None: not said. Raises UsageFault where only one is said."""
        if (self.first_limit is None) != (self.turn_limit is None):
            raise UsageFault("--first-limit and --turn-limit go together: say both, or neither")
        if self.first_limit is None or self.turn_limit is None:
            return None
        return TimeLimits(self.first_limit, self.turn_limit)


def described_game(said: Described, name: str, rules_level: int) -> NewGame:
    """Return the game that the options describe; its kind is sdk where they do not say it. Raises UsageFault."""
    if said.referee is None:
        raise UsageFault('--referee is missing: the command that starts the referee, as in --referee "./tron"')
    return NewGame(
        name=name,
        title=said.title or name.replace("-", " ").title(),
        kind=said.kind or ProtocolKind.SDK,
        command=said.referee,
        players=numbers_of_players(said.players),
        rules_level=rules_level,
        fault_line=said.fault_line,
        limits=said.limits,
        statement=name_below(Path.cwd() / said.statement, Path.cwd()) if said.statement else "",
        parameters=parameters_of(said.params),
    )


def require_fault_line(new: NewGame) -> None:
    """Raise UsageFault where the protocol needs a fault line and none is said."""
    if new.kind is ProtocolKind.BRUTALTESTER and new.players != FOR_TWO and new.fault_line is None:
        raise UsageFault(
            "--fault-line is missing: with more than two players this protocol needs a line that the referee takes "
            "for a wrong move"
        )


def numbers_of_players(words: str | None) -> tuple[int, ...]:
    """Read numbers of players: 3, 2-4 or 2,4. Raises UsageFault."""
    if words is None:
        raise UsageFault("--players is missing: how many play, as in --players 3 or --players 2-4")
    found: set[int] = set()
    for part in words.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})(?:\s*-\s*(\d{1,3}))?\s*", part)
        numbers = range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)
        if not numbers or not (numbers[0] >= 2 and numbers[-1] <= MOST_PLAYERS):
            raise UsageFault(f"--players {words}: a game has from 2 to {MOST_PLAYERS} players, as in 3, 2-4 or 2,4")
        found.update(numbers)
    return tuple(sorted(found))


def parameters_of(words: Sequence[str]) -> dict[str, str]:
    """Read `key=value`. Raises UsageFault."""
    found = {}
    for word in words:
        key, mark, value = word.partition("=")
        if not (key and mark) or "\n" in word:
            raise UsageFault(f"--param {word}: it must be key=value")
        found[key] = value
    return found


def described_changes(said: Described, before: Game) -> tuple[dict[str, dict[str, Value]], dict[str, Path]]:
    """Return which keys of a `game.toml` change, by tables, and which files come. Raises UsageFault, MissingTool."""
    program = before.program
    if program is None:
        raise UsageFault(f"the rules of {before.name} are in Python")
    own: dict[str, Value] = {"checked": False}
    referee: dict[str, Value] = {}
    files = {name_below(Path.cwd() / path, Path.cwd()): Path.cwd() / path for path in said.all_files}
    names = [*program.files, *(name for name in files if name not in program.files)]
    if said.referee is not None:
        gathered = gather(said.referee, said.all_files, Path.cwd())
        files = dict(gathered.files)
        names = list(files)
        referee |= {"command": gathered.command, "needs": list(gathered.needs)}
    elif missing := next((path for path in files.values() if not path.exists()), None):
        raise UsageFault(f"--file {missing}: no such file is there")
    if files:
        referee["files"] = names
    if said.players is not None:
        own["players"] = list(numbers_of_players(said.players))
    if said.fault_line is not None:
        own["fault_line"] = said.fault_line
    if said.title is not None:
        own["title"] = said.title
    if said.statement is not None:
        own["statement"] = name_below(Path.cwd() / said.statement, Path.cwd())
    if limits := said.limits:
        own |= {"first_limit_ms": limits.first_ms, "turn_limit_ms": limits.turn_ms}
    changes: dict[str, dict[str, Value]] = {"": own, "referee": referee, "parameters": dict(parameters_of(said.params))}
    return {table: values for table, values in changes.items() if values}, files
