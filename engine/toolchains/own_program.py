"""A program of one's own that plays as it is: a file of machine code, or a script that names its interpreter.

How this works. The box shows the program's folder, read-only and as `/bot`, as it does for every bot; nothing is
copied. Where that folder would show more than belongs to a bot (`/`, a home folder, `/usr/bin`), only the file is
shown: it becomes a tree of one file, which is also how a program is submitted.
"""

from __future__ import annotations

import json
import os
import shlex
import stat
from dataclasses import dataclass
from pathlib import Path

from engine.account import home_folder
from engine.boxes import BOT_FOLDER, bot_uid, obstacle
from engine.errors import UsageFault
from engine.text import one_line
from engine.toolchains.bot_folder import FILE
from engine.toolchains.bot_source import PROGRAM
from engine.toolchains.program import Program
from engine.toolchains.read_tree import MOST_BYTES, MOST_ENTRIES, TOO_LARGE, in_one_sentence
from engine.toolchains.tars import Member
from engine.toolchains.tools import is_usable, search_path
from engine.toolchains.tree import ELF, Tree, Unfit, checked_name, tree_of, within_limit

SHEBANG = b"#!"
BEGINNING_BYTES = 256
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/boot", "/proc", "/sys", "/run")
"""Folders of which everything below belongs to the system."""
COMMON_FOLDERS = ("/var/tmp", "/dev/shm")  # noqa: S108 - not to be used
"""Folders, besides those directly below `/`, that hold what belongs to many."""


@dataclass(frozen=True, slots=True)
class OwnProgram:
    """A program on this machine and its arguments. `path`: without links."""

    path: Path
    arguments: tuple[str, ...] = ()


def begins_as_program(path: Path) -> bool:
    """Say whether a plain file begins as a program does. Raises OSError."""
    if not stat.S_ISREG(path.stat().st_mode):
        return False
    return beginning(path).startswith((ELF, SHEBANG))


def own_program(path: Path, arguments: tuple[str, ...]) -> OwnProgram:
    """Return the program in that file. Raises UsageFault where it cannot be run as it is, OSError."""
    if not begins_as_program(path):
        raise UsageFault(f"{path} is not a program: it is neither machine code for Linux nor begins with #!")
    if not os.access(path, os.X_OK):
        raise UsageFault(f"{path} is a program that may not be run: type chmod +x {shlex.quote(str(path))}")
    found = beginning(path)
    if found.startswith(SHEBANG):
        words = found.split(b"\n", 1)[0].removeprefix(SHEBANG).split()
        interpreter = os.fsdecode(words[0]) if words else ""
        if not interpreter.startswith("/") or not is_usable(Path(interpreter)):
            raise UsageFault(f"{path} is run by {one_line(interpreter)!r}, which bots cannot use: it is not below /usr")
    return OwnProgram(path.resolve(strict=True), arguments)


def beginning(path: Path) -> bytes:
    """Return the first bytes of a file. Raises OSError."""
    with path.open("rb") as file:
        return file.read(BEGINNING_BYTES)


def mounted(own: OwnProgram) -> Program:
    """Return the program as a bot whose box shows its folder. Raises UsageFault where that cannot be shown."""
    folder = own.path.parent
    require_plain(folder)
    blocked = obstacle(folder) or obstacle(own.path)
    if blocked is not None:
        account = "you" if bot_uid() is None else f"uid {bot_uid()}, under which bots run,"
        raise UsageFault(f"{account} may not enter {blocked}: put {own.path.name} into a folder that others may enter")
    return Program(
        key="",
        language=PROGRAM,
        folder=folder,
        command=(f"{BOT_FOLDER}/{own.path.name}", *own.arguments),
        environment={"PATH": search_path(())},
    )


def shows_too_much(folder: Path) -> bool:
    """Say whether a folder, given without links, holds what is no bot's business."""
    home = home_folder()
    homes = [] if home is None else [home.resolve(), *home.resolve().parents]
    return (
        len(folder.parts) <= 2
        or folder in [*homes, *map(Path, COMMON_FOLDERS)]
        or any(folder.is_relative_to(place) for place in SYSTEM_FOLDERS)
        or any(part.startswith(".") for part in folder.parts)
    )


def require_plain(folder: Path) -> None:
    """Raise UsageFault unless all below a folder are files, links and folders: a pipe would lead out of the box."""
    waiting, seen = [folder], 0
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as entries:
                found = list(entries)
        except PermissionError:  # nor may the bot
            continue
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                raise UsageFault(f"{entry.path} is a pipe, a socket or a device: give the program a folder of its own")
        seen += len(found)
        if seen > MOST_ENTRIES:
            raise UsageFault(f"{folder} has more than {MOST_ENTRIES:,} files: give the program a folder of its own")


def alone(own: OwnProgram) -> Tree:
    """Return the program as a tree of its one file. Raises UsageFault where it is too large, or cannot be read."""
    with in_one_sentence(own.path):
        name = checked_name(own.path.name.lstrip(".") or PROGRAM)
        with own.path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise Unfit(TOO_LARGE)
        run = ", ".join(as_toml(word) for word in ("{source}", *own.arguments))
        settings = f"language = {as_toml(PROGRAM)}\nsource = {as_toml(name)}\nrun = [{run}]\n"
        return within_limit(tree_of([Member(name, content, executable=True), Member(FILE, settings.encode())]))


def as_toml(word: str) -> str:
    """Write a word as TOML has it: as JSON does, but for one character."""
    return json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f")
