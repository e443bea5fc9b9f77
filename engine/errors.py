"""The errors of the project, by what the person who sees them can do about it.

    ArenaError                 1 failed       something we promised could not be done
    |-- SandboxFault           1 failed       our sandbox broke; the match is not scored
    |   |-- HostBusy           1 failed       this machine was too busy to play fairly; the match is not scored
    |   |   `-- MachineBusy      7 busy         this machine is too busy even to build a box and to try it
    |   |-- NoRoom             1 failed       the disk of what is built here is full; no bot's fault
    |   |-- BoxNotBuilt        1 failed       bubblewrap gave up; its words say why
    |   |-- StillRunning       1 failed       a bot computes on although it was stopped; made its loss where it plays
    |   |-- LimitsTooLow       1 failed       this process has limits too low to make a box
    |   `-- NoBotUser          1 failed       this process is root and may not become the bots' account
    |-- UsageFault             2 usage        the command asks for something that does not exist
    |   |-- GameFault          2 usage        a game whose folder is broken; the message names file and key
    |   |   `-- RefereeFault   2 usage        a game whose referee broke while it led a match
    |   |-- NoSuchFile         2 usage        a file that is not there
    |   |-- WrongLines         2 usage        a file with lines that cannot be; the message names them all
    |   `-- UnknownName        2 usage        a game, league, language, bot ... that does not exist
    |-- Refused                3 refused      understood, but the rules say no
    |   |-- UnusableSource     3 refused      a source that is empty or not text
    |   |   `-- SourceTooLarge 3 refused      a source with more characters than it may have
    |   `-- BuildRefused       3 refused      a source that does not compile, with the compiler's words
    |-- Unavailable            4 unavailable  a service does not answer
    `-- MissingTool            5 missing tool a program that has to be installed first

The number is the exit status of the command that meets the error. What a *bot* does wrong is never an exception: it is
a verdict in the result of the match (`engine.conversation.Verdict`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import ClassVar


class ArenaError(Exception):
    """Something that was promised could not be done."""

    exit_status: ClassVar[int] = 1


class SandboxFault(ArenaError):
    """The sandbox could not do its work. The match it was for is void, and no bot loses."""


class NoRoom(SandboxFault):
    """The disk of what is built on this machine is full. Another machine may have room."""


class BoxNotBuilt(SandboxFault):
    """What builds boxes gave up, and said why."""


class StillRunning(SandboxFault):
    """A program computes on after the signal to stop. In a match that bot loses, and this error is not shown."""


class HostBusy(SandboxFault):
    """The match is void and can be played again. `seat`: in whose turn it was, once the match has said so."""

    seat: int | None = None


class MachineBusy(HostBusy):
    """A program of ours that has little to do in its box got no core for it. It may work when it is tried again."""

    exit_status = 7


class LimitsTooLow(SandboxFault):
    """This process may not do what a program in a box has to be allowed, so no box can be made."""


class NoBotUser(SandboxFault):
    """This process is root, and may not run a program under the bots' account, so no box can be made."""


class UsageFault(ArenaError):
    """The command asks for something that cannot be. The message says why, and nothing has changed."""

    exit_status = 2


class UnknownName(UsageFault):
    """`name`: where it might have been meant otherwise; `kind`: what has no such name, "" where the message says."""

    def __init__(self, message: str, name: str = "", kind: str = "") -> None:
        super().__init__(message)
        self.name = name
        self.kind = kind

    @classmethod
    def of(cls, kind: str, name: str, names: Iterable[str]) -> UnknownName:
        return cls(f"unknown {kind} {name!r}; known: {', '.join(names) or '(none)'}", name, kind)


class NoSuchFile(UsageFault):
    """A file that is not there. `name`: as it was given."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


class WrongLines(UsageFault):
    """Lines of a file that cannot be. `lines`: what is wrong with each."""

    def __init__(self, message: str, lines: Sequence[str]) -> None:
        super().__init__(message)
        self.lines = lines


class GameFault(UsageFault):
    """A game cannot be used as its folder is. The message names the file, and the key that is wrong."""


class RefereeFault(GameFault):
    """A game's referee broke. Of a program: `evidence`, its last lines; `last_seat`, whose answer came last."""

    evidence: str = ""
    last_seat: int | None = None


class Refused(ArenaError):
    """Understood, but the rules say no; nothing changed."""

    exit_status = 3


class UnusableSource(Refused):
    """A source that cannot be a bot in any language: it is empty, not UTF-8 or not text."""


class SourceTooLarge(UnusableSource):
    """A source has more characters than it may have."""


class BuildRefused(Refused):
    """`output`: the compiler's own words. `out_of_time`: it took too long; nothing else is known to be wrong."""

    def __init__(self, message: str, output: str = "", *, out_of_time: bool = False) -> None:
        super().__init__(message)
        self.output = output
        self.out_of_time = out_of_time


class Unavailable(ArenaError):
    """A service that is needed does not answer; what was accepted before is safe."""

    exit_status = 4


class MissingTool(ArenaError):
    """A program that is needed is not installed; the message says how to get it."""

    exit_status = 5


def plain_words(error: BaseException) -> str:
    """What the system says comes without its number: `Permission denied: /some/file`."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error) or type(error).__name__
    both = (error.filename, error.filename2)
    names = [os.fsdecode(name) for name in both if isinstance(name, str | bytes | os.PathLike)]
    return f"{error.strerror}: {' -> '.join(names)}" if names else error.strerror
