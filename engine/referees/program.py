"""What is known of a referee program: how it is started, what it speaks, and what its check found out about it.

How jars are started. The main class of a referee's jar starts bots by itself. But it also holds a class that speaks the
protocol `sdk` on stdin and stdout, under the same name in every jar; so that class is started. Its JVM gets options for
a short life: one compiler, one collector, its own messages on stderr. The user's options come after ours, and win.

A command that plays a whole match has words for the seed and for the bots. Two tools have such commands, and each has
its own signs. cgarena: `{SEED}`, `{PLAYERS}` for the commands of all bots, a word each, and `{P1}`, `{P2}` ... for that
of one. psyleague: `%P1%`, `%P2%` ... for the name of one, `%DIR%` for the folder where they are, and a word with
`%ALL_PLAYERS%` stands there once for each of them. Here a bot's command is a program without arguments, in one folder
with the others. So either way the word is the path of a program, and what follows a name, as `.exe`, is part of the
file's name.
"""

import re
import shlex
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from engine.conversation import TimeLimits
from engine.errors import UsageFault
from engine.immutable import immutable

JAVA = "java"
ALL_RULES = 19
"""The rules level at which nearly every game of the SDK has all its rules."""
NARROW_BITS = 31
SEED_BITS = (64, NARROW_BITS, 0)
"""How wide the seeds of a referee program can be; 0: it knows no seed."""


WHOLE_MATCHES = "whole-matches"
"""Among the languages that a referee needs, and that a worker has: matches that a command plays."""


class ProtocolKind(StrEnum):
    """`sdk`: blocks, `[[NAME] n]`; it asks and has no clock. `brutaltester`: lines that begin with `###`. `command`: it
    starts the bots by itself, and plays the whole match.
    """

    SDK = "sdk"
    BRUTALTESTER = "brutaltester"
    COMMAND = "command"


class Reuse(StrEnum):
    """Whether a process plays more than one match. `loader`: a JVM does, each match with a class loader of its own."""

    NONE = "none"
    LOADER = "loader"


class RepeatedBy(StrEnum):
    """What makes a match again: its seed, the parameters that the referee gave back (`UINPUT`), or nothing."""

    SEED = "seed"
    PARAMETERS = "parameters"
    NOTHING = "nothing"


@immutable
class ProgramBounds:
    """What a referee may use in one match before that is a fault of it, which is ours and no bot's. `question_s`: to
    each later question, or to the end. `cpu_s`, `output_bytes`, `questions`: in all. `match_s`: of a match that a
    command plays, without waits for a busy host; the others are for referees that ask.
    """

    first_question_s: int = 20
    question_s: int = 10
    cpu_s: int = 60
    output_bytes: int = 16_000_000
    questions: int = 2_000
    match_s: int = 60


@immutable
class RefereeProgram:
    """A referee that is a program of its own. `folder`: where it is started. `command`: its words, as they were given.
    `files`: paths below the folder. `needs`: languages whose runtime it needs. `parameters`: given to it with each
    match. `limits`: of the bots' time; None: the referee's own. `fault_line`: given to it for a seat that failed to
    answer (kind `brutaltester`). `negative_score_is_fault`: of a seat that answered. `has_time_bank`: its limits are
    the true ones also after MONITORING. `seed_bits`: 0: it knows no seed. `keep_views`: what it shows of each step is
    stored. `keeps_line_ends`: it sees line ends that are none of ours in answers as they are. `proven`: a check has
    found out about all of this.
    """

    kind: ProtocolKind
    folder: Path
    command: tuple[str, ...]
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    memory_mb: int = 512
    reuse: Reuse = Reuse.NONE
    parameters: tuple[tuple[str, str], ...] = ()
    limits: TimeLimits | None = None
    fault_line: str | None = None
    negative_score_is_fault: bool = True
    has_time_bank: bool = False
    seed_bits: int = 64
    repeated_by: RepeatedBy = RepeatedBy.SEED
    keep_views: bool = False
    keeps_line_ends: bool = False
    proven: bool = False
    bounds: ProgramBounds = ProgramBounds()

    @property
    def starts_bots(self) -> bool:
        return self.kind is ProtocolKind.COMMAND

    @property
    def needs_java(self) -> bool:
        return JAVA in self.needs or Path(self.command[0]).name == JAVA

    @property
    def needed_of_workers(self) -> tuple[str, ...]:
        return (*self.needs, WHOLE_MATCHES) if self.starts_bots else self.needs

    @property
    def is_repeatable(self) -> bool:
        return self.repeated_by is not RepeatedBy.NOTHING

    def repeating(self, given_back: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """Return the parameters that make a match again. `given_back`: those that the referee said it had."""
        return given_back if self.repeated_by is RepeatedBy.PARAMETERS else ()

    def seed_of(self, chance_bits: int) -> int:
        """Make a seed of 64 random bits. 64 bits are signed, as everywhere in Ladder; 31 bits are 0 to 2^31-1."""
        return chance_bits >> 33 if self.seed_bits == 31 else chance_bits - 2**63


def command_words(command: str) -> tuple[str, ...]:
    """Raises UsageFault where there are none, or a quotation mark is open."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageFault(f"the referee's command {command!r} cannot be read: {error}") from error
    if not words:
        raise UsageFault("the referee's command is empty")
    return words


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


@immutable
class JarStart:
    java: str
    options: tuple[str, ...]
    jar: str

    @property
    def command(self) -> tuple[str, ...]:
        return (self.java, *self.options, "-cp", self.jar, MAIN_CLASS)


def jar_of(command: Sequence[str]) -> str | None:
    """Return None for any other command than `java ... -jar X.jar ...`."""
    is_java = Path(command[0]).name == JAVA
    place = command.index("-jar") + 1 if is_java and "-jar" in command else len(command)
    return command[place] if place < len(command) else None


def has_referee_main(jar: Path) -> bool:
    """Raises UsageFault for what is not a jar."""
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


def jar_start(program: RefereeProgram, rules_level: int) -> JarStart | None:
    """Return None for a command that is not a jar with a class that speaks `sdk`: it is run as it is. Raises UsageFault
    for what is not a jar.
    """
    command = program.command
    jar = jar_of(command)
    if program.kind is not ProtocolKind.SDK or jar is None or not has_referee_main(program.folder / jar):
        return None
    words = command[1 : command.index("-jar")]
    collector = () if any(word.startswith("-XX:+Use") and word.endswith("GC") for word in words) else (COLLECTOR,)
    heap = f"-Xmx{int(program.memory_mb * HEAP_SHARE)}m"
    game = ("-Dgame.mode=multi", f"-Dleague.level={rules_level}")
    return JarStart(command[0], (*OPTIONS, *collector, heap, *words, *game), jar)


FOLDER = "/players"
REPLAY = "/tmp/replay"  # noqa: S108 - of a box, where nobody else is
SEED = ("{SEED}", "%SEED%")
EVERY_PATH, EVERY_NAME = "{PLAYERS}", "%ALL_PLAYERS%"
ONE = re.compile(r"\{P([1-9])\}|%P([1-9])%")
ENDING = re.compile(r"%(?:P[1-9]|ALL_PLAYERS)%([\w.-]*)")


def takes_seed(words: Sequence[str]) -> bool:
    return any(sign in word for word in words for sign in SEED)


def why_unfit(words: Sequence[str], players: Sequence[int]) -> str | None:
    """Say why a command cannot play matches of all these numbers of players; None where it can."""
    named = {int(match[1] or match[2]) for word in words for match in ONE.finditer(word)}
    if any(sign in word for word in words for sign in (EVERY_PATH, EVERY_NAME)):
        return None
    if not named:
        return "names no bot: {PLAYERS} or %ALL_PLAYERS% stands for all of them, {P1} or %P1% for the first"
    if named != set(range(1, players[-1] + 1)) or len(players) > 1:
        numbers = " or ".join(map(str, players))
        return (
            f"names the bots {', '.join(map(str, sorted(named)))}, and its matches have {numbers}: "
            "{PLAYERS} or %ALL_PLAYERS% stands for all of them"
        )
    return None


def name_of(seat: int) -> str:
    return f"p{seat + 1}"


def endings(words: Sequence[str]) -> set[str]:
    """Return what follows the names of bots, and ""."""
    return {"", *(name[1] for word in words for name in ENDING.finditer(word))}


def fill_in(words: Sequence[str], seed: int, players: int) -> tuple[str, ...]:
    texts = []
    for word in words:
        for name in map(name_of, range(players if EVERY_PATH in word or EVERY_NAME in word else 1)):
            text = word.replace(EVERY_PATH, f"{FOLDER}/{name}").replace(EVERY_NAME, name)
            text = ONE.sub(lambda match: f"{FOLDER}/p{match[1]}" if match[1] else f"p{match[2]}", text)
            text = text.replace("%DIR%", FOLDER).replace("{PLAYER_COUNT}", str(players))
            text = text.replace("{REPLAY_PATH}", REPLAY)
            for sign in SEED:
                text = text.replace(sign, str(seed))
            texts.append(text)
    return tuple(texts)
