"""The command by which another program's referee becomes a game here: a Java archive, or a command that starts bots."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from engine.errors import UsageFault
from engine.referees.java import has_referee_main
from engine.referees.program import ProtocolKind, command_words
from engine.referees.whole.words import why_unfit
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
SCRIPTS = {".py", ".sh", ".bat", ".js", ".pl", ".rb"}


def game_commands(commands: Iterable[str], folder: Path, game: str, players: Iterable[int]) -> tuple[str, ...]:
    """Return the `ladder game add` for each `java -jar` in commands, and in scripts of the folder that they run.

    A command in which there is none, and which is given the bots, is a game itself, of the kind `command`.
    """
    numbers = sorted(players) or [2]
    seats = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
    found: dict[tuple[tuple[str, ...], ProtocolKind], None] = {}
    for command in commands:
        archives = [referee(java, folder) for java in java_in(command, folder)]
        found |= dict.fromkeys(archives or whole(command, folder, numbers))
    return tuple(
        f"ladder game add {game} --referee {shlex.quote(' '.join(map(plain, words)))} --kind {kind} --players {seats}"
        + (FAULT_LINE if kind is ProtocolKind.BRUTALTESTER and numbers != [2] else "")
        for words, kind in found
    )


def still_to_fill_in(command: str) -> str:
    """Say what is to be filled in before such a command is given; "" where it is complete."""
    if not command.endswith(FAULT_LINE):
        return ""
    return f"with a line that the referee takes for a wrong move in the place of {FILL_IN}"


def whole(command: str, folder: Path, players: Sequence[int]) -> Iterator[tuple[tuple[str, ...], ProtocolKind]]:
    """Give a command that plays whole matches, with the way to its files; nothing where it is not given the bots."""
    try:
        words = command_words(command)
    except UsageFault:
        return
    if why_unfit(words, players) is None:
        yield (
            tuple(str(folder / word) if is_plain(folder, word) else word for word in words),
            (ProtocolKind.COMMAND),
        )


def is_plain(folder: Path, name: str) -> bool:
    """Say whether a folder has a file of that name without a link on the way."""
    return (folder / name).is_file() and not goes_by_link(folder, name)


def plain(word: str) -> str:
    """Return a word as it stands between quotes: the signs for seed and bots need none of their own there."""
    return word if PLAIN.fullmatch(word) else shlex.quote(word)


def referee(words: tuple[str, ...], folder: Path) -> tuple[tuple[str, ...], ProtocolKind]:
    """Return the command with the way to its archive, and what it speaks: sdk, unless the archive shows otherwise."""
    jar = folder / words[-1]
    if not is_plain(folder, words[-1]):
        return words, ProtocolKind.SDK
    try:
        kind = ProtocolKind.SDK if has_referee_main(jar) else ProtocolKind.BRUTALTESTER
    except UsageFault:
        kind = ProtocolKind.SDK
    return (*words[:-1], str(jar)), kind


def java_in(command: str, folder: Path) -> Iterator[tuple[str, ...]]:
    """Give each start of a Java archive in a command and in the scripts that it runs."""
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
