"""The programs by which a command starts bots: for each seat one without arguments, which becomes the bot.

How this works. A bot is built to stand in the folder /bot. In a match that a command plays several stand in one box, so
each has a folder of its own, and the paths in its command and its environment are changed to it. A script of two lines
goes there, sets the environment and becomes the bot.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from engine.boxes.paths import BOT_FOLDER
from engine.referees.whole.words import endings, name_of
from engine.toolchains.program import Program

HOMES = "/player-files"
"""Where the bots' own folders are."""
IN_BOT_FOLDER = re.compile(rf"(?<![\w./-]){BOT_FOLDER}(?=[/:]|$)")


def home_of(seat: int) -> str:
    """Return the folder of the bot in a seat."""
    return f"{HOMES}/{name_of(seat)}"


def homes(programs: Iterable[Program]) -> Mapping[str, Path]:
    """Return which folders the box shows, by their places in it."""
    return {home_of(seat): program.folder for seat, program in enumerate(programs)}


def write_starters(folder: Path, words: Sequence[str], programs: Iterable[Program]) -> None:
    """Write the programs that start the bots, under all the names that the command's words have for them."""
    for seat, program in enumerate(programs):
        for ending in endings(words):
            path = folder / (name_of(seat) + ending)
            path.write_text(script(program, home_of(seat)), "utf-8")
            path.chmod(0o755)


def script(program: Program, home: str) -> str:
    """Return what becomes a bot whose folder is `home`."""
    given = {"HOME": home, **program.environment}
    variables = " ".join(f"{name}={shlex.quote(moved(value, home))}" for name, value in given.items())
    command = shlex.join(moved(word, home) for word in program.command)
    return f"#!/bin/sh\ncd {shlex.quote(home)} && exec env {variables} {command}\n"


def moved(word: str, home: str) -> str:
    """Return a word with the paths below the usual folder of bots changed to those below another one."""
    return IN_BOT_FOLDER.sub(home, word)
