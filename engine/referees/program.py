"""What is known of a referee program: how it is started, what it speaks, and what its check found out about it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from engine.conversation import TimeLimits
from engine.errors import UsageFault

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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
    def needed_of_workers(self) -> tuple[str, ...]:
        return (*self.needs, WHOLE_MATCHES) if self.starts_bots else self.needs

    @property
    def is_repeatable(self) -> bool:
        return self.repeated_by is not RepeatedBy.NOTHING

    def repeating(self, given_back: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """`given_back`: what the referee said that it had."""
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
