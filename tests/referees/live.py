"""Matches of referee programs in real boxes, with small bots in shell and Python."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.bot.conditions import OFFICIAL, Conditions
from engine.conversation import TimeLimits
from engine.game import Game, GameLeague
from engine.live import play
from engine.match import MatchResult, MatchSpec
from engine.referees.program import ProtocolKind, RefereeProgram
from engine.sandbox.choice import open_sandbox
from engine.toolchains.program import Program
from engine.workspace import open_workspace

WAITS = "while read -r line; do echo WAIT; done"
"""A bot in shell that waits, whatever it is asked: for questions of one line."""


@contextmanager
def laid_out(*files: Path) -> Iterator[Path]:
    """Lend a folder with these files that boxes see."""
    with open_workspace().scratch() as folder:
        for file in files:
            shutil.copy(file, folder)
        yield folder


def program_of(folder: Path, *command: str, kind: ProtocolKind = ProtocolKind.SDK, **settings: Any) -> RefereeProgram:
    return replace(RefereeProgram(kind, folder, command), **settings)


def game_of(program: RefereeProgram, players: tuple[int, ...] = (2, 3, 4)) -> Game:
    league = GameLeague("arena", "Arena", 19, 20, None)
    limits = program.limits or TimeLimits(1000, 50)
    return Game(
        "a-game", "A game", program.folder, (league,), 0.1, 100, limits, rules, players=players, program=program
    )


def rules(*_: object) -> Any:
    raise AssertionError("this game has a referee program")


def in_shell(script: str) -> Program:
    return Program("", "sh", Path("/usr"), ("sh", "-c", script), {})


def in_python(script: str) -> Program:
    return Program("", "python", Path("/usr"), ("python3", "-I", "-S", "-c", script), {})


def played(
    program: RefereeProgram, bots: Sequence[Program], seed: int = 42, conditions: Conditions = OFFICIAL
) -> MatchResult:
    """Play a match. Raises RefereeFault."""
    spec = MatchSpec(game_of(program), 19, seed, players=len(bots))
    return play(spec, bots, open_sandbox(), conditions)


def in_turns(ones: Sequence[object], others: Sequence[object]) -> list[Any]:
    """Return all pairs: daily those that have each of them, and the rest once a week."""
    return [
        pytest.param(one, other, marks=() if number % most == place % most else pytest.mark.weekly)
        for most in [min(len(ones), len(others))]
        for number, one in enumerate(ones)
        for place, other in enumerate(others)
    ]
