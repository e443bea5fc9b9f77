"""A tree of files that a bot is made of: which names it may have, its limits, its hash, its one packed form.

How this works. A tree says of each file its name, its content and whether it may be run, and nothing else: no times, no
owners, no empty folders. So the same content is the same tree, and has the same hash, whether it came as a folder, a
zip or a tar. Nothing here writes or reads files: what comes in is checked before any of it is written anywhere.
"""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import TypeAlias

from engine.text import shortened
from engine.toolchains.tars import Member, gzipped_tar

MOST_PACKED_MB = 10
MOST_MB = 50
MOST_FILES = 2000
MOST_NAME_BYTES = 255
"""Of a file or folder, as file systems have it..."""
MOST_PATH_BYTES = 1024
"""... and of all of a name."""
MOST_DEEP = 64
"""Of folders in folders. What copies and removes a folder has one open for each."""
ELF = b"\x7fELF"
"""What a file of machine code begins with."""
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Kinds of characters that are not seen, or change how others are: two names with them may look the same."""
LEFT_OUT = {"__pycache__", "__macosx", "thumbs.db", "ehthumbs.db", "desktop.ini"}
"""What is no part of a bot, in small letters: caches, and what systems put beside files, as what begins with a dot."""


class Unfit(ValueError):
    """Why something cannot be a bot's tree, in words that follow the name of the folder or archive and a colon."""


@dataclass(frozen=True)
class Tree:
    """Files by their names in the tree, sorted. Make it with `tree_of`."""

    files: tuple[Member, ...] = field(repr=False)

    @cached_property
    def hash(self) -> str:
        """The sha256, in hexadecimal, of a list of all files: the sha256 of each content, whether it runs, its name."""
        lines = (f"{hash_of(one.content or b'')} {'x' if one.executable else '-'} {one.name}\n" for one in self.files)
        return hash_of("".join(lines).encode())

    @cached_property
    def packed(self) -> bytes:
        """The tree as a gzipped tar."""
        return gzipped_tar(self.files)

    @property
    def has_machine_code(self) -> bool:
        """Whether a file of it is a program or a library that was compiled already."""
        return any(content.startswith(ELF) for content in self.contents.values())

    @cached_property
    def contents(self) -> dict[str, bytes]:
        """The contents of the files by their names."""
        return {one.name: one.content or b"" for one in self.files}


Source: TypeAlias = str | Tree
"""What a bot is made of: the text of one file, or a tree."""


def hash_of(content: bytes) -> str:
    """Return the sha256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def tree_of(files: Iterable[Member]) -> Tree:
    """Return the tree of these files. Raises Unfit where they are none, or in each other's way.

    Their names have been checked, and so have their number and sizes.
    """
    tree = Tree(tuple(sorted(files)))
    if not tree.files:
        raise Unfit("there are no files in it")
    require_apart(tree.files)
    return tree


def with_unlike_names(tree: Tree) -> Tree:
    """Return a tree. Raises Unfit where names in it differ by nothing but case, or how characters are composed.

    Many a computer takes them for one name, and so does who reads them.
    """
    found: dict[str, str] = {}
    for path in map(PurePosixPath, tree.contents):
        for name in map(str, (path, *path.parents)):
            alike = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
            if (other := found.setdefault(alike, name)) != name:
                raise Unfit(f"{shortened(min(name, other))} and {shortened(max(name, other))} are too alike as names")
    return tree


def require_apart(members: Iterable[Member]) -> None:
    """Raise Unfit where files and folders, whose names have been checked, are in each other's way."""
    files: set[str] = set()
    folders: set[str] = set()
    for one in members:
        if one.content is None:
            folders.add(one.name)
        elif one.name in files:
            raise Unfit(f"it has two files called {shortened(one.name)}")
        else:
            files.add(one.name)
        folders.update(map(str, PurePosixPath(one.name).parents))
    if both := files & folders:
        raise Unfit(f"{shortened(min(both))} is a file and a folder")


def within_limit(tree: Tree) -> Tree:
    """Return a tree that is small enough when it is packed. Raises Unfit for others."""
    if len(tree.packed) > MOST_PACKED_MB * 2**20:
        raise Unfit(too_large_packed(len(tree.packed)))
    return tree


def too_large_packed(size: int) -> str:
    """Say that this many bytes are too many for a packed tree."""
    return f"it has {size / 2**20:.1f} MB packed; the limit is {MOST_PACKED_MB} MB"


def checked_name(name: str) -> str:
    """Return a file's name within its tree in its one form, without `./`, the empty name for the tree's own folder.

    Raises Unfit for a name that leads out of the tree, is too long or too deep, or is no plain text.
    """
    if "\\" in name or any(unicodedata.category(character) in UNSEEN for character in name):
        raise Unfit(f"the name {shortened(name)} has a character that names here cannot have")
    return possible_name(name)


def possible_name(name: str) -> str:
    """Return a name that a file can have here in its one form, whatever its characters. Raises Unfit for others."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        raise Unfit(f"the name {shortened(name)} leads out of it")
    plain = "/".join(path.parts)
    if len(os.fsencode(plain)) > MOST_PATH_BYTES or any(
        len(os.fsencode(part)) > MOST_NAME_BYTES for part in path.parts
    ):
        raise Unfit(f"the name {shortened(name)} is too long")
    if len(path.parts) > MOST_DEEP:
        raise Unfit(f"{shortened(name)} is too deep: {MOST_DEEP} folders in each other are the limit")
    return plain


def is_left_out(name: str) -> bool:
    return any(part.startswith(".") or part.lower() in LEFT_OUT for part in name.split("/"))
