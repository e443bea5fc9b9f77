"""The command by which another program's referee becomes a game here, where it is a Java archive."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

JAVA = re.compile(r"""\bjava(?:\s+-[^\s'"|;&]+)*?\s+-jar\s+[^\s'"|;&]+""")
MOST_BYTES_OF_A_SCRIPT = 100_000
SCRIPTS = {".py", ".sh", ".bat", ".js", ".pl", ".rb"}


def game_commands(commands: Iterable[str], folder: Path, game: str, players: Iterable[int]) -> tuple[str, ...]:
    """Return the `ladder game add` for each `java -jar` in commands, and in scripts of the folder that they run."""
    found = dict.fromkeys(java for command in commands for java in java_in(command, folder))
    numbers = sorted(players) or [2]
    seats = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
    return tuple(f"ladder game add {game} --referee {shlex.quote(java)} --kind sdk --players {seats}" for java in found)


def java_in(command: str, folder: Path) -> Iterator[str]:
    """Give each start of a Java archive in a command and in the scripts that it runs."""
    yield from starts(command)
    for word in command.split():
        path = folder / word.strip("'\"")
        if path.suffix in SCRIPTS and path.is_file() and path.stat().st_size <= MOST_BYTES_OF_A_SCRIPT:
            yield from starts(path.read_text("utf-8", "replace"))


def starts(text: str) -> Iterator[str]:
    """Give each `java ... -jar FILE` of a text, with single blanks."""
    for found in JAVA.finditer(text):
        yield " ".join(found[0].split())
