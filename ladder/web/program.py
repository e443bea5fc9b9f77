"""Which program makes the answers: a digest that changes when it, or a game, does."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import engine
import ladder
from engine.game import Game

PARTS = (Path(ladder.__path__[0]), Path(engine.__path__[0]))
READ = {".py", ".js", ".css", ".html", ".sql", ".toml", ".json"}
"""The endings of files that decide what is shown."""
DIGITS = 32


@cache
def fingerprint_of_folder(folder: Path) -> str:
    """Return a digest that changes with the files of a folder. It is made once, as a running program stays as it is."""
    found = sorted(path for path in folder.rglob("*") if path.suffix in READ)
    stats = [(str(path.relative_to(folder)), path.stat().st_size, path.stat().st_mtime_ns) for path in found]
    return sha256(repr(stats).encode()).hexdigest()[:DIGITS]


@cache
def fingerprint_of_program() -> str:
    """Return a digest that changes with the program."""
    folders = [fingerprint_of_folder(folder) for folder in PARTS]
    return sha256(repr([version("ladder-arena"), *folders]).encode()).hexdigest()[:DIGITS]


def etag_of(*known: object, game: Game | None = None) -> str:
    """Return the ETag of what this program, with that game, makes of what is known."""
    of_game = None if game is None else (game.name, game.rules_version, fingerprint_of_folder(game.folder))
    return f'W/"{sha256(repr((fingerprint_of_program(), of_game, known)).encode()).hexdigest()[:DIGITS]}"'
