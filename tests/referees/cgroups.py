"""Tests of games whose command starts the bots, which takes the tier that holds them all: `takes_cgroup` marks them."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from engine.bot.conditions import OFFICIAL
from engine.boxes import CGROUP
from engine.errors import MissingTool, SandboxFault
from engine.sandbox.choice import open_sandbox
from tests.referees.live import in_shell

NIM = Path(__file__).with_name("nim.py")
TRUSTING = replace(OFFICIAL, trusted=True)
SLOW = in_shell("while read -r heap; do echo 1; done")


@cache
def has_cgroup() -> bool:
    """Say whether a cgroup can hold a box here."""
    try:
        open_sandbox(CGROUP)
    except (SandboxFault, MissingTool):
        return False
    return True
