"""Which class a Java machine has to start: the one with `main`, wherever its package has put it.

How this works. A class file says its own name and, of each method, whether it is public and static, its name and its
types. Nothing else of it is read. What a build leaves may be anything, so a file that makes no sense is no class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

USUAL = "Player"
"""The class that CodinGame starts."""
MAGIC = b"\xca\xfe\xba\xbe"
PLAIN_NAME = re.compile(r"[\w$]+(\.[\w$]+)*")
"""No other name is put into a command: Java would take some for options."""
UTF8, CLASS, LONG, DOUBLE = 1, 7, 5, 6
SIZES = {
    **dict.fromkeys((CLASS, 8, 16, 19, 20), 3),
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 5),
    **dict.fromkeys((LONG, DOUBLE), 9),
    15: 4,
}
"""Of the constants in a class file, but for texts, with the byte that says their kind."""
PUBLIC_STATIC = 0x0009
MAIN = (b"main", b"([Ljava/lang/String;)V")


def main_class(folder: Path, source: str) -> str:
    """Return the class below `folder` that has `main`; the usual one where none has. Raises OSError.

    Of several the usual one is meant, then the one that is called as the file `source`, then the outermost.
    """
    stem = PurePosixPath(source).stem

    def how_unlikely(name: str) -> tuple[bool, bool, bool, int, str]:
        last = name.rpartition(".")[2]
        return name != USUAL, last != stem, last != USUAL, name.count("."), name

    return min(_startable(folder), key=how_unlikely, default=USUAL)


def _startable(folder: Path) -> Iterator[str]:
    """Give the names of the classes that are where a class of that name is looked for, and have `main`."""
    for path in folder.rglob("*.class"):
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        if path.is_file() and PLAIN_NAME.fullmatch(name) and name == _name_with_main(path.read_bytes()):
            yield name


def _name_with_main(data: bytes) -> str | None:
    """Return the name of a class that has `main`; None for any other, and for what is no class."""
    try:
        constants, at = _constants(data)
        name = constants[int.from_bytes(constants[_number(data, at + 2)])].decode("utf-8")
        at += 8 + 2 * _number(data, at + 6)
        _, at = _members(data, at)
        methods, _ = _members(data, at)
    except (LookupError, ValueError):
        return None
    for access, name_at, types_at in methods:
        if access & PUBLIC_STATIC == PUBLIC_STATIC and (constants.get(name_at), constants.get(types_at)) == MAIN:
            return name.replace("/", ".")
    return None


def _constants(data: bytes) -> tuple[dict[int, bytes], int]:
    """Return the texts, and the classes as the numbers of their names, by their own numbers; and where they end."""
    if not data.startswith(MAGIC):
        raise ValueError("no class")
    found: dict[int, bytes] = {}
    number, at = 1, 10
    while number < _number(data, 8):
        kind = data[at]
        size = 3 + _number(data, at + 1) if kind == UTF8 else SIZES[kind]
        if kind in {UTF8, CLASS}:
            found[number] = data[at + (3 if kind == UTF8 else 1) : at + size]
        number += 2 if kind in {LONG, DOUBLE} else 1
        at += size
    return found, at


def _members(data: bytes, at: int) -> tuple[list[tuple[int, int, int]], int]:
    """Return the fields or methods that begin there: access, and the constants of name and types; and their end."""
    found: list[tuple[int, int, int]] = []
    count, at = _number(data, at), at + 2
    for _ in range(count):
        access, name, types, attributes = (_number(data, at + 2 * place) for place in range(4))
        found.append((access, name, types))
        at += 8
        for _ in range(attributes):
            at += 6 + _number(data, at + 2, 4)
    return found, at


def _number(data: bytes, at: int, size: int = 2) -> int:
    """Return the number that stands there. Raises IndexError beyond the end."""
    if at + size > len(data):
        raise IndexError
    return int.from_bytes(data[at : at + size])
