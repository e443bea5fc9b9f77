"""Names of players in a table that somebody wrote, as spreadsheets save it: a name in each line. Pure."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator

from engine.errors import UsageFault, WrongLines
from engine.text import shortened
from ladder.names import PLAYER, free_name

HEADS = frozenset({"name", "player"})
"""What the column with the names is called; without a line of heads it is the first one."""
SEPARATORS = ",;\t"
NAMED_SEPARATOR = re.compile(r"sep=(.)", re.IGNORECASE)
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""The marks with which files begin, and how these are written; one is the beginning of another, so the longer first."""
SAVING = "save it as `CSV UTF-8`, or write it anew by `iconv -f {} -t UTF-8 OLD >NEW`"


def names_in(content: bytes) -> list[str]:
    """Return the names in their order. Raises UsageFault, or WrongLines, which has all lines that are wrong."""
    rows = list(rows_of(text_of(content)))
    heads = [cell.lower() for cell in rows[0][1]] if rows else []
    place = next((place for place, head in enumerate(heads) if head in HEADS), None)
    names = [(line, (row + [""] * (place or 0))[place or 0]) for line, row in rows[place is not None :]]
    if not names:
        raise UsageFault("it names no player: it is to be CSV with a name in each line")
    if wrong := list(wrong_lines(names)):
        raise WrongLines(f"a player's name is {PLAYER}, and each is in the list once", wrong)
    return [name for _, name in names]


def text_of(content: bytes) -> str:
    encoding = next((encoding for mark, encoding in MARKS.items() if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            raise UsageFault(
                f"it begins as {encoding.removesuffix('-sig').upper()} and goes on as something else: save it anew"
            ) from error
        line = content.count(b"\n", 0, error.start) + 1
        raise UsageFault(f"line {line} is not UTF-8 but as in Windows-1252: {SAVING.format('WINDOWS-1252')}") from error
    if "\0" in text:
        raise UsageFault(f"it is not a text in UTF-8, and as UTF-16 it has no mark: {SAVING.format('UTF-16LE')}")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def rows_of(text: str) -> Iterator[tuple[int, list[str]]]:
    """Give each line that is not empty with its number, from 1, as cells. Raises UsageFault for an open quote."""
    lines = text.split("\n")
    named = NAMED_SEPARATOR.fullmatch(lines[0].strip(" "))
    if named:
        lines[0] = ""
    first = next((line for line in lines if line.strip()), "")
    reader = csv.reader(
        (f"{line}\n" for line in lines), delimiter=named[1] if named else separator_of(first, text), strict=True
    )
    while True:
        begun = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise UsageFault(f'a quote (") that opens in line {begun} is not closed where its cell ends') from error
        if row is None:
            return
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield begun, cells


def separator_of(first: str, text: str) -> str:
    """Return what separates cells: what the first line has most of, or the whole table where that has none."""
    return max(SEPARATORS, key=lambda mark: (first.count(mark), text.count(mark)))


def wrong_lines(names: list[tuple[int, str]]) -> Iterator[str]:
    """Say which lines have no name, one that no player can have, or one that another line has, and what would do."""
    taken = {name.lower() for _, name in names}
    seen: dict[str, int] = {}
    for line, name in names:
        if not name:
            yield f"line {line} has no name"
        elif name.lower() in seen:
            yield f"line {line}: {shortened(name)} is in the list twice, first in line {seen[name.lower()]}"
        elif free_name(name, ()) != name:
            instead = free_name(name, taken, "player")
            taken.add(instead.lower())
            yield f"line {line}: {shortened(name)}; {instead} would do"
        seen.setdefault(name.lower(), line)
