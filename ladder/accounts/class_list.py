"""The players of a class in a table that somebody wrote, as spreadsheets save it: one in each line. Pure."""

import codecs
import csv
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict

from engine.errors import UsageFault, WrongLines
from engine.immutable import immutable
from engine.text import listed, shortened
from ladder.names import HOUSE, PLAYER, free_name


@immutable
class ClassMember:
    """Somebody on a list. `name`: by which they log in; `team`: the player whose member that is, "" or None for none.

    The rest is personal: None where the list has no such column.
    """

    name: str
    real_name: str | None = None
    group: str | None = None
    email: str | None = None
    external_id: str | None = None
    team: str | None = None


HEADS: Mapping[str, Collection[str]] = {
    "name": {"name", "player"},
    "real_name": {"real name", "full name"},
    "group": {"group", "class"},
    "email": {"email", "e mail", "mail"},
    "external_id": {"external id", "student id", "id"},
    "team": {"team"},
}
"""What the columns are called, in small letters; without a line of heads the first one has the names."""
EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
MOST_CHARS = 200
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


def entrants_in(content: bytes, groups: Collection[str] = ()) -> list[ClassMember]:
    """Return who is on a list, in order. `groups`: those there are, if known. Raises UsageFault, WrongLines."""
    rows = list(rows_of(text_of(content)))
    words = [re.sub("[-_ ]+", " ", head).lower() for head in rows[0][1]] if rows else []
    columns = ((what, [place for place, word in enumerate(words) if word in heads]) for what, heads in HEADS.items())
    places = {what: of_kind[0] for what, of_kind in columns if of_kind}
    has_heads = "name" in places
    if len(places) > 1 and not has_heads:
        raise UsageFault("its first line names no column `name`, for the names by which players log in")
    places = places if has_heads else {"name": 0}
    entrants = [
        (line, ClassMember(**{what: row[place] if place < len(row) else "" for what, place in places.items()}))
        for line, row in rows[has_heads:]
    ]
    if not entrants:
        raise UsageFault("it names no player: it is to be CSV with a name in each line")
    if wrong := list(wrong_lines(entrants, groups)):
        names = [entrant.name.lower() for _, entrant in entrants]
        are_names = len(set(names)) == len(names) and all(free_name(name, {HOUSE}) == name for name in names)
        rule = "these lines are wrong" if are_names else f"a player's name is {PLAYER}, and each is in the list once"
        raise WrongLines(rule, wrong)
    return [entrant for _, entrant in entrants]


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
    # What separates cells is what the first line has most of, or the whole table where that has none.
    separator = named[1] if named else max(SEPARATORS, key=lambda mark: (first.count(mark), text.count(mark)))
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator, strict=True)
    while True:
        begun = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise UsageFault(f'a quote (") that opens in line {begun} is not closed where its cell ends') from error
        if row is None:
            return
        cells = [" ".join(cell.split()) for cell in row]
        if any(cells):
            yield begun, cells


def wrong_lines(entrants: list[tuple[int, ClassMember]], groups: Collection[str]) -> Iterator[str]:
    names = {entrant.name.lower() for _, entrant in entrants}
    first_lines: dict[str, int] = {}
    for line, entrant in entrants:
        name = entrant.name
        if not name:
            yield f"line {line} has no name"
        elif name.lower() in first_lines:
            yield f"line {line}: {shortened(name)} is in the list twice, first in line {first_lines[name.lower()]}"
        elif free_name(name, {HOUSE}) != name:
            is_email = EMAIL.fullmatch(name) is not None
            instead = free_name(name.partition("@")[0] if is_email else name, names | {HOUSE}, "player")
            names.add(instead.lower())
            others = " has the bots that come with Ladder" if name.lower() == HOUSE else ""
            why = " is an e-mail address, which belongs in a column `email`" if is_email else others
            yield f"line {line}: {shortened(name)}{why}; {instead} would do"
        elif fault := fault_in(entrant):
            yield f"line {line}: {fault}"
        elif groups and entrant.group not in groups:
            what = f"there is no group {shortened(entrant.group)}" if entrant.group else f"{name} is in no group"
            yield f"line {line}: {what}: --groups names {listed(list(groups))}"
        first_lines.setdefault(name.lower(), line)


def fault_in(entrant: ClassMember) -> str:
    """Return what is wrong with what a list says of somebody besides the name; "" where nothing is."""
    if entrant.team and free_name(entrant.team, {HOUSE}) != entrant.team:
        return f"the team of {shortened(entrant.name)} is to be {PLAYER}, not {shortened(entrant.team)}"
    for what, text in asdict(entrant).items():
        if text and (len(text) > MOST_CHARS or not text.isprintable()):
            its = f"the {what.replace('_', ' ')} of {shortened(entrant.name)}"
            return f"{its} is to be {MOST_CHARS} printable characters at most"
    if entrant.email and EMAIL.fullmatch(entrant.email) is None:
        return f"{shortened(entrant.email)} is not an e-mail address"
    return ""
