"""Arguments and options that name files; reading and writing a file that somebody names.

The code that opens a file reports what is wrong with it, in the same words for all commands; so Typer does not look.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cli.answer import argument, option
from engine.errors import Refused, UsageFault
from engine.machine import bytes_of

file_argument = partial(argument, readable=False)
file_option = partial(option, readable=False)
output_option = partial(file_option, "--output -o")


def force_option(beside: str = "--output", purpose: str = "write over a file that exists already") -> Any:
    """Return the option `--force`. `beside`: with which it goes; `purpose`: what it lets that do."""
    return option("--force", f"With {beside}: {purpose}.")


ForceOption = Annotated[bool, force_option()]
PAGE = "Write it as a page that needs no network into this new file."
HtmlOption = Annotated[Path | None, file_option("--html", PAGE)]


def read_file(path: Path) -> bytes:
    """Raises UsageFault."""
    try:
        return bytes_of(path)
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error


def text_of(path: Path) -> str:
    """Raises UsageFault, also for what is not UTF-8."""
    try:
        return read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageFault(f"cannot read {path}: it is not UTF-8 text") from error


def check_free(path: Path, *, over: bool | None) -> None:
    """Raise Refused where a file is that is not to be written over, UsageFault where none can be.

    `over`: None for a command without --force.
    """
    if path.is_dir():
        raise UsageFault(f"cannot write {path}: it is a folder")
    if os.path.lexists(path) and not over:
        instead = "name a new file" if over is None else "name a new file, or add --force to write over it"
        raise Refused(f"{path} exists already, and may be your work: {instead}")
    if not path.parent.is_dir():
        raise UsageFault(f"cannot write {path}: there is no folder {path.parent}")


def write_file(path: Path, content: bytes, *, over: bool) -> None:
    """Write a new file, or also over one that exists; see `new_file`."""
    with new_file(path, over=over) as place:
        place.write_bytes(content)


@contextmanager
def new_file(path: Path, *, over: bool) -> Iterator[Path]:
    """Let the block write a new file at the place that this gives.

    It is renamed when the block has ended, or nothing is left of it; what is not a file, as /dev/stdout, is written as
    it is. Raises Refused where it exists, UsageFault.
    """
    check_free(path, over=over)
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            yield target
            return
        with tempfile.TemporaryDirectory(prefix=".ladder-", dir=target.parent) as folder:
            draft = Path(folder) / "file"
            yield draft
            with draft.open("rb") as file:
                os.fsync(file.fileno())
            draft.replace(target)
    except OSError as error:
        raise UsageFault(f"cannot write {path}: {error.strerror}") from error


@contextmanager
def all_or_nothing(folder: Path) -> Iterator[Path]:
    """Give a folder to write into for the block; then its files take their places, or none. Raises UsageFault."""
    try:
        beside = folder if folder.is_dir() else folder.absolute().parent
        with tempfile.TemporaryDirectory(prefix=".ladder-", dir=beside) as unfinished:
            draft = Path(unfinished) / "whole"
            draft.mkdir()
            yield draft
            if not folder.exists():
                draft.rename(folder)
                return
            for path in sorted(path for path in draft.rglob("*") if path.is_file()):
                place = folder / path.relative_to(draft)
                place.parent.mkdir(exist_ok=True)
                path.replace(place)
    except OSError as error:
        raise UsageFault(f"cannot write into {folder}: {error.strerror}") from error


GAME = "The game in this folder, with its game.toml, in the place of a known one."
GameFolderOption = Annotated[Path | None, file_option("--game-folder", GAME)]
