"""Tests of games whose command starts the bots: without the tier that holds all of them, the refusal is what is tested.

`takes_cgroup` marks such a test. Where no cgroup can hold a box, `refuses` runs in its place.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from engine.bot.conditions import OFFICIAL
from engine.errors import MissingTool, Refused, SandboxFault
from engine.game import Game
from engine.match import MatchResult, MatchSpec, play
from engine.referees.program import ProtocolKind
from engine.sandbox import open_sandbox
from engine.sandbox.guarantees import CGROUP
from engine.toolchains.program import Program
from tests.referees.live import game_of, in_shell, laid_out, program_of

NIM = Path(__file__).with_name("nim.py")
TRUSTING = replace(OFFICIAL, trusted=True)
SLOW = in_shell("while read -r heap; do echo 1; done")


def takes_cgroup(item: pytest.Function) -> bool:
    """Say whether a test is marked so, and this machine has no cgroup for it."""
    return item.get_closest_marker("takes_cgroup") is not None and not has_cgroup()


@cache
def has_cgroup() -> bool:
    """Say whether a cgroup can hold a box here."""
    try:
        open_sandbox(CGROUP)
    except (SandboxFault, MissingTool):
        return False
    return True


def refuses(tier: str | None = None) -> None:
    """Test that nothing is played in a tier, by default the strongest here, that is not the one that it takes."""
    with laid_out(NIM) as folder:
        program = program_of(folder, "python3", "nim.py", "{SEED}", "{PLAYERS}", kind=ProtocolKind.COMMAND)
        with pytest.raises(Refused, match=r"a-game needs the sandbox bubblewrap\+cgroup"):
            played_in(tier, game_of(program, players=(2, 3)), SLOW, SLOW)


def played_in(tier: str | None, game: Game, *bots: Program) -> MatchResult:
    """Play a match in a tier."""
    return play(MatchSpec(game, 19, 1), bots, open_sandbox(tier), TRUSTING)
