"""Arguments and options that name files, and writing a file that somebody names.

The code that opens a file reports what is wrong with it, in the same words for all commands; so Typer does not look.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.context import Context
from engine.errors import Refused, UnknownName, UsageFault
from engine.referees.edition import game_played
from engine.text import listed
from ladder.viewer.page import page_of
from ladder.views.turns.watched import WatchedMatch

if TYPE_CHECKING:
    from engine.game import Game


def game_to_show(context: Context, watched: WatchedMatch) -> Game | None:
    """Return the game of a match; None where only a server has it: then the match is shown without pictures.

    Raises UnknownName, GameFault, SandboxFault, Unavailable.
    """
    try:
        return game_played(context.games, watched.game, watched.edition)
    except (UnknownName, Refused):
        if context.server is None:
            raise
        return None


def write_page(context: Context, path: Path, *matches: WatchedMatch, over: bool) -> None:
    """Write the page of a match, or of two on one seed, and say so. `over`: a file may be there already.

    Raises Refused where one is and may not, UsageFault where none can be written or the two do not compare.
    """
    write_file(path, page_text(context, *matches), over=over)
    context.say(f"{path} shows {listed([match.name for match in matches])}: open it in a browser")


def page_text(context: Context, *matches: WatchedMatch) -> bytes:
    """Return the page of a match, or of two on one seed. Raises UsageFault where they do not compare."""
    return page_of(matches, game_to_show(context, matches[0])).encode()


def file_argument(purpose: str) -> Any:
    """Return an argument that names a file. `purpose`: its help."""
    return typer.Argument(help=purpose, show_default=False, readable=False)


def file_option(name: str, purpose: str) -> Any:
    """Return the option of that name which names a file. `purpose`: its help."""
    return typer.Option(name, help=purpose, show_default=False, readable=False)


def force_option(option: str = "--output", purpose: str = "write over a file that exists already") -> Any:
    """Return the option `--force`. `option`: with which it goes; `purpose`: what it lets that do."""
    return typer.Option("--force", help=f"With {option}: {purpose}.")


ForceOption = Annotated[bool, force_option()]
HtmlOption = Annotated[
    Path | None, file_option("--html", "Write it as a page that needs no network into this new file.")
]


def check_free(path: Path, *, over: bool) -> None:
    """Raise Refused where a file is that is not to be written over, UsageFault where none can be."""
    if path.is_dir():
        raise UsageFault(f"cannot write {path}: it is a folder")
    if os.path.lexists(path) and not over:
        raise Refused(f"{path} exists already, and may be your work: name a new file, or add --force to write over it")
    if not path.parent.is_dir():
        raise UsageFault(f"cannot write {path}: there is no folder {path.parent}")


def write_file(path: Path, content: bytes, *, over: bool) -> None:
    """Write a new file, or also over one that exists. Raises Refused where one exists, UsageFault where none can be.

    It is written beside its place and renamed when it is whole: whatever ends this early, no part of it is left, and
    what was there before still is. What is no file, as /dev/stdout, is written to as it is.
    """
    check_free(path, over=over)
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return
        with tempfile.TemporaryDirectory(prefix=".ladder-", dir=target.parent) as folder:
            draft = Path(folder) / "file"
            with draft.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
    except OSError as error:
        raise UsageFault(f"cannot write {path}: {error.strerror}") from error


GameFolderOption = Annotated[
    Path | None,
    file_option("--game-folder", "The game in this folder, with its game.toml, in the place of a known one."),
]
