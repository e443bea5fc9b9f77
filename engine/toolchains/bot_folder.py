"""A bot's own folder, and `ladder.toml` in it: which game and bot it is for, and how it is built and run.

All keys are texts, but `build` and `run`, which are lists of words; each may be left out:

    game = "ocean-of-code"
    bot = "kraken"
    language = "cpp"
    source = "kraken.cpp"
    build = ["make", "-s"]
    run = ["{folder}/kraken"]
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from engine.errors import UsageFault, plain_words
from engine.text import shortened
from engine.toolchains.source import require_file

FILE = "ladder.toml"
LONGEST_FILE_BYTES = 64 * 1024
TEXTS = ("game", "bot", "language", "source")
COMMANDS = ("build", "run")


@dataclass(frozen=True, slots=True)
class BotFolder:
    """What `ladder.toml` says; None and () for keys that are not there.

    `folder`: where the file is. `source`: the main file, relative to the folder and inside it. `build`, `run`: commands
    as lists of words, in which {source}, {folder} and {out} mean the same as in `languages.toml`.
    """

    folder: Path
    game: str | None = None
    bot: str | None = None
    language: str | None = None
    source: str | None = None
    build: tuple[str, ...] = ()
    run: tuple[str, ...] = ()

    @property
    def file(self) -> Path:
        """Where its `ladder.toml` is."""
        return self.folder / FILE

    def source_file(self) -> Path:
        """Return where the main file is. Raises UsageFault where `ladder.toml` names none."""
        if self.source is None:
            raise UsageFault(f"{self.file}: source is missing; it names the bot's main file")
        return self.folder / self.source


def find_bot_folder(start: Path) -> Path | None:
    """Return the nearest folder with a `ladder.toml`, beginning with `start` and going upwards; None without one."""
    here = Path(os.path.realpath(start))  # or `kraken/..` would lie below kraken
    return next((folder for folder in (here, *here.parents) if is_bot_folder(folder)), None)


def is_bot_folder(folder: Path) -> bool:
    """Say whether a folder has a `ladder.toml` of its own, as far as we may look into it."""
    try:
        return (folder / FILE).is_file()
    except PermissionError:
        return False


def read_bot_folder(folder: Path) -> BotFolder:
    """Read the `ladder.toml` of a folder.

    Raises UsageFault, naming the file and the key, where there is none, it is no TOML, or a key or value is wrong.
    """
    file = folder / FILE
    try:
        require_file(file)
        with file.open("rb") as opened:
            content = opened.read(LONGEST_FILE_BYTES + 1)
    except OSError as error:
        raise UsageFault(f"cannot read {file}: {error.strerror}") from error
    return bot_folder_of(folder, content)


def bot_folder_of(folder: Path, content: bytes) -> BotFolder:
    """Return what the content of a `ladder.toml` says, which is that of `folder`. Raises UsageFault as above."""
    file = folder / FILE
    values = table_of(file, content)
    for key, value in values.items():
        check_key(file, key, value)
    if "source" in values:
        check_source_name(file, values["source"])
    keys: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    return BotFolder(folder, **keys)


def table_of(file: Path, content: bytes) -> dict[str, Any]:
    """Return the table of a TOML file of at most LONGEST_FILE_BYTES. Raises UsageFault."""
    if len(content) > LONGEST_FILE_BYTES:
        raise UsageFault(f"{file} has more than {LONGEST_FILE_BYTES:,} bytes; that is the limit")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # not UTF-8, no TOML, or nested deeper than Python's parser can go
        raise UsageFault(f"{file} is not TOML: {plain_words(error)}") from error


def check_key(file: Path, key: str, value: object) -> None:
    """Raise UsageFault unless the key is known and its value is of the right kind."""
    if key in TEXTS:
        kind, fits = "a text", isinstance(value, str) and value.strip() != ""
    elif key in COMMANDS:
        kind = 'a list of words, as in ["make", "-s"]'
        fits = isinstance(value, list) and value != [] and all(isinstance(word, str) for word in value)
    else:
        raise UsageFault(f"{file}: {shortened(key)} is not a known key; known: {', '.join((*TEXTS, *COMMANDS))}")
    if not fits:
        raise UsageFault(f"{file}: {key} is {shortened(str(value)) or 'empty'}; it must be {kind}")


def check_source_name(file: Path, name: str) -> None:
    """Raise UsageFault unless a name leads to a file inside the folder, whether that file is there or not."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
        raise UsageFault(f"{file}: source is {shortened(name)}; it must name a file inside the folder")
