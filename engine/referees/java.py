"""Referees in jars: whether a jar speaks the protocol `sdk`, and how it is started so that it does.

How this works. The main class of such a jar starts bots by itself. But it also holds a class that speaks the protocol
on stdin and stdout, under the same name in every jar; so that class is started. Its JVM gets options for a short life:
one compiler, one collector, its own messages on stderr. The user's options come after ours, and win.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from engine.errors import UsageFault
from engine.referees.program import ALL_RULES

MAIN_CLASS = "com.codingame.gameengine.core.RefereeMain"
CLASS_FILE = MAIN_CLASS.replace(".", "/") + ".class"
HEAP_SHARE = 2 / 3
"""Of a referee's memory. The rest is for classes, compiled code and threads."""
OPTIONS = (
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Xlog:disable",
    "-Xlog:all=warning:stderr",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "-Dfile.encoding=UTF-8",
    "-Dstdout.encoding=UTF-8",
    "-Dsun.stdout.encoding=UTF-8",
)
COLLECTOR = "-XX:+UseSerialGC"


@dataclass(frozen=True, slots=True)
class JarStart:
    java: str
    options: tuple[str, ...]
    jar: str

    @property
    def command(self) -> tuple[str, ...]:
        return (self.java, *self.options, "-cp", self.jar, MAIN_CLASS)


def jar_of(command: Sequence[str]) -> str | None:
    """Return None for any other command than `java ... -jar X.jar ...`."""
    is_java = Path(command[0]).name == "java"
    place = command.index("-jar") + 1 if is_java and "-jar" in command else len(command)
    return command[place] if place < len(command) else None


def has_referee_main(jar: Path) -> bool:
    """Raises UsageFault for what is no jar."""
    try:
        status = jar.stat()
        return _holds_class(jar, status.st_ino, status.st_size, status.st_mtime_ns)
    except (OSError, BadZipFile) as error:
        raise UsageFault(f"the jar {jar} cannot be read: {error}") from error


@lru_cache
def _holds_class(jar: Path, *_version: int) -> bool:
    """The list of what is in a jar may have thousands of names."""
    with ZipFile(jar) as archive:
        return CLASS_FILE in archive.namelist()


def jar_start(command: Sequence[str], folder: Path, *, memory_mb: int, rules_level: int = ALL_RULES) -> JarStart | None:
    """Return None where a command is run as it is, in `folder`. Raises UsageFault for what is no jar."""
    jar = jar_of(command)
    if jar is None or not has_referee_main(folder / jar):
        return None
    own = tuple(command[1 : command.index("-jar")])
    collector = () if any(option.startswith("-XX:+Use") and option.endswith("GC") for option in own) else (COLLECTOR,)
    heap = f"-Xmx{int(memory_mb * HEAP_SHARE)}m"
    game = ("-Dgame.mode=multi", f"-Dleague.level={rules_level}")
    return JarStart(command[0], (*OPTIONS, *collector, heap, *own, *game), jar)
