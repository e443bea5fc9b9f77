"""The command by which another program's referee becomes a game here: a Java archive, or a command that starts bots."""

from __future__ import annotations

import re
import shlex
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from engine.errors import UsageFault
from engine.referees.command_line import why_unfit
from engine.referees.java import has_referee_main, jar_of
from engine.referees.program import ProtocolKind, command_words
from engine.toolchains.source import goes_by_link

BETWEEN = r"""[\s'",]+"""
"""What stands between the words of a command, in a shell or in the lists of scripts."""
JAVA = re.compile(rf"""\bjava((?:{BETWEEN}-[\w:.=/+-]+)*?){BETWEEN}-jar{BETWEEN}([^\s'",|;&]+\.jar)""")
OPTION = re.compile(r"-[\w:.=/+-]+")
PLAIN = re.compile(r"[\w@%+=:,./{}-]+")
MOST_BYTES_OF_A_SCRIPT = 100_000
FILL_IN = "WRONG_MOVE"
FAULT_LINE = f" --fault-line {FILL_IN}"
"""What only the referee's author knows: with more than two players this protocol needs such a line."""
LEVEL = "-Dleague.level="
"""The option of referees of the SDK that gives the rules level."""
LEVELS = range(1, 1001)
LONGEST_NAME = 39
SCRIPTS = {".py", ".sh", ".bat", ".js", ".pl", ".rb"}


@dataclass(frozen=True, slots=True)
class Start:
    """How a referee is started. `words`: its command; `level`: the rules by which it plays, where that is said."""

    words: tuple[str, ...]
    kind: ProtocolKind
    level: int | None = None


def game_commands(commands: Iterable[str], folder: Path, game: str, players: Iterable[int]) -> tuple[str, ...]:
    """Return the `ladder game add` for each `java -jar` in commands, and in scripts of the folder that they run.

    A command in which there is none, and which is given the bots, is a game itself, of the kind `command`.
    """
    numbers = sorted(players) or [2]
    found: dict[Start, None] = {}
    for command in commands:
        archives = [referee(java, folder) for java in java_in(command, folder)]
        found |= dict.fromkeys(archives or whole(command, folder, numbers))
    return tuple(game_command(start, game, numbers) for start in found)


def game_command(start: Start, game: str, numbers: Sequence[int]) -> str:
    """Return the `ladder game add` for a referee."""
    seats = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
    words = shlex.quote(" ".join(map(plain, start.words)))
    level = "" if start.level is None else f" --rules-level {start.level}"
    needs_line = start.kind is ProtocolKind.BRUTALTESTER and list(numbers) != [2]
    return (
        f"ladder game add {game} --referee {words} --kind {start.kind} --players {seats}{level}"
        f"{FAULT_LINE if needs_line else ''}"
    )


def free_name(name: str, taken: Container[str]) -> str:
    """Return a name for a game that is allowed and that no game has: the one that is wanted, or one like it."""
    plain_name = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST_NAME] or "game"
    others = (f"{plain_name[: LONGEST_NAME - 4]}-{number}" for number in count(2))
    return next(one for one in chain([plain_name], others) if one not in taken)


def still_to_fill_in(command: str) -> str:
    """Say what is to be filled in before such a command is given; "" where it is complete."""
    if not command.endswith(FAULT_LINE):
        return ""
    return f"with a line that the referee takes for a wrong move in the place of {FILL_IN}"


def whole(command: str, folder: Path, players: Sequence[int]) -> Iterator[Start]:
    """Give a command that plays whole matches, with the way to its files; nothing where it is not given the bots."""
    try:
        words = command_words(command)
    except UsageFault:
        return
    if why_unfit(words, players) is None:
        yield Start(
            tuple(str(folder / word) if is_plain(folder, word) else word for word in words),
            ProtocolKind.COMMAND,
        )


def is_plain(folder: Path, name: str) -> bool:
    return (folder / name).is_file() and not goes_by_link(folder, name)


def plain(word: str) -> str:
    """Return a word as it stands between quotes: the signs for seed and bots need none of their own there."""
    return word if PLAIN.fullmatch(word) else shlex.quote(word)


def referee(words: tuple[str, ...], folder: Path) -> Start:
    """Return the start of an archive, with the way to it, and what it speaks: sdk, unless the archive shows otherwise.

    The option that gives the rules level is the game's own here.
    """
    level = next((word.removeprefix(LEVEL) for word in words if word.startswith(LEVEL)), "")
    rest = tuple(word for word in words if not word.startswith(LEVEL))
    jar = folder / words[-1]
    kind = ProtocolKind.SDK
    if is_plain(folder, words[-1]):
        rest = (*rest[:-1], str(jar))
        with suppress(UsageFault):
            kind = ProtocolKind.SDK if has_referee_main(jar) else ProtocolKind.BRUTALTESTER
    return Start(rest, kind, int(level) if level.isdecimal() and int(level) in LEVELS else None)


def java_in(command: str, folder: Path) -> Iterator[tuple[str, ...]]:
    """Give each start of a Java archive in a command and in the scripts that it runs."""
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
    """Give the words of each `java ... -jar FILE` of a text."""
    for found in JAVA.finditer(text):
        yield ("java", *OPTION.findall(found[1]), "-jar", found[2])
