"""A small language that picks matches: `bot = kraken and result = lost and not metric.depth > 5`.

How this works. A filter is cut into words; a parser with one function for each level of the grammar makes a tree of
them; `filter_fields` says which fields there are and writes the tree as SQL. Whatever lists or counts matches takes
such a tree: `--where` everywhere, and the options of `ladder match list`, which are comparisons joined by `and`.

    either      = both {"or" both}
    both        = one {"and" one}
    one         = "not" one | "(" either ")" | field operator value
    operator    = "=" | "!=" | "<" | "<=" | ">" | ">="
    value       = a word of letters, digits and _ . - + : @, or anything in '...' or "..."

`metric.NAME` is what a bot printed ([TDATA] or [PDATA]). `league` is a league's name or title. Which bots and leagues
there are only a database knows, so after reading a filter call `check_names` before it is used. `!=` is always the
opposite of `=`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches

from ladder.bots import bots, versions
from ladder.database.connection import Connection
from ladder.errors import FilterFault
from ladder.leagues import leagues
from ladder.matches.filter_fields import (
    FIELDS,
    METRIC,
    METRIC_KIND,
    Comparison,
    FieldKind,
    Filter,
    Joined,
    Not,
    Token,
    comparisons,
    kind_of,
    one_of,
    refuse,
)
from ladder.names import in_short, read_name

MOST_CHARS = 2_000
NUL = "\0"
"""PostgreSQL's texts hold any character but this one."""
DEEPEST = 50
"""This many parentheses and nots can stand inside of each other."""
TOKEN = re.compile(r"""\s*(?:(?P<sign>!=|<=|>=|[=<>()])|(?P<text>'[^']*'|"[^"]*")|(?P<word>[\w.+:@-]+))""")
MOST_LISTED = 10
"""A message about an unknown name lists this many known ones."""


@dataclass(frozen=True, slots=True)
class Option:
    """What an option of a command asks for: a comparison. `name`: as people type it; `text`: its value."""

    name: str
    field: str
    operator: str
    text: str


def from_options(options: Iterable[Option], where: str | None = None) -> Filter | None:
    """Join what options ask for, and a filter in words, by `and`; None where nothing is asked. Raises FilterFault."""
    parts = [comparison_of(option) for option in options] + ([] if where is None else [parse(where)])
    return joined_by_and(parts)


def comparison_of(option: Option) -> Filter:
    """Read an option's value. Raises FilterFault."""
    if len(option.text) > MOST_CHARS:
        raise FilterFault(f"{option.name} has {len(option.text)} characters, the limit is {MOST_CHARS}")
    if NUL in option.text:
        raise FilterFault(f"{option.name} holds a NUL character")
    token = Token("text", option.text, option=option.name)
    return Comparison(option.field, option.operator, kind_of(option.field).read(token), token)


def joined_by_and(parts: list[Filter]) -> Filter | None:
    """Return what picks the matches that all of these pick; None where there are none of these."""
    flat = [inner for part in parts for inner in parts_of(part)]
    return None if not flat else flat[0] if len(flat) == 1 else Joined("and", tuple(flat))


def parts_of(wanted: Filter) -> tuple[Filter, ...]:
    """Return what must all hold for a filter to hold."""
    return wanted.parts if isinstance(wanted, Joined) and wanted.word == "and" else (wanted,)


def bot_in(wanted: Filter) -> str | None:
    """Return the bot or version whose matches a filter picks, because all of them have to be of it; or None."""
    asked = [comparison for comparison in comparisons(wanted) if comparison.field == "bot"]
    is_one = len(asked) == 1 and asked[0].operator == "=" and asked[0] in parts_of(wanted)
    return asked[0].token.text if is_one else None


def parse(text: str) -> Filter:
    """Read a filter. Raises FilterFault."""
    if len(text) > MOST_CHARS:
        raise FilterFault(f"the filter has {len(text)} characters, the limit is {MOST_CHARS}")
    if NUL in text:
        place = text.index(NUL) + 1
        raise FilterFault(f"cannot read the filter at character {place}: it is a NUL character", place)
    return Parser(tokens_of(text)).whole()


def tokens_of(text: str) -> list[Token]:
    """Cut a filter into words, with one at its end that says so. Raises FilterFault."""
    found: list[Token] = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            rest = text[place:].lstrip()
            refuse(Token("sign", rest[0], len(text) - len(rest) + 1), "a field, a value or a sign")
        kind = str(match.lastgroup)
        word = match[kind]
        found.append(Token(kind, word[1:-1] if kind == "text" else word, match.start(kind) + 1))
        place = match.end()
    return [*found, Token("end", "its end", len(text) + 1)]


class Parser:
    """Reads a list of words from left to right; one function for each level of the grammar."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0

    def whole(self) -> Filter:
        """Read everything there is."""
        found = self._either()
        if self._ahead.kind != "end":
            refuse(self._ahead, '"and", "or" or the end' + self._hint())
        return found

    @property
    def _ahead(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._ahead
        self._next += token.kind != "end"
        return token

    def _follows(self, text: str) -> bool:
        """Take a sign or a word of the language if it comes next."""
        fits = self._ahead.kind != "text" and self._ahead.text.lower() == text
        if fits:
            self._take()
        return fits

    def _hint(self) -> str:
        """Return a hint for those who may have written a value of several words."""
        return " (what has blanks stands in quotes: 'Wood 2')" if self._ahead.kind == "word" else ""

    def _either(self) -> Filter:
        return self._joined("or", self._both)

    def _both(self) -> Filter:
        return self._joined("and", self._one)

    def _joined(self, word: str, read: Callable[[], Filter]) -> Filter:
        parts = [read()]
        while self._follows(word):
            parts.append(read())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _one(self) -> Filter:
        self._depth += 1
        if self._depth > DEEPEST:
            place = self._ahead.place
            raise FilterFault(f"the filter is more than {DEEPEST} levels deep at character {place}", place)
        found = self._nested()
        self._depth -= 1
        return found

    def _nested(self) -> Filter:
        if self._follows("not"):
            return Not(self._one())
        if self._follows("("):
            inner = self._either()
            if not self._follows(")"):
                refuse(self._ahead, '"and", "or" or ")"' + self._hint())
            return inner
        return self._comparison()

    def _comparison(self) -> Comparison:
        field = self._take()
        kind = field_called(field)
        operator = self._take()
        if operator.kind != "sign" or operator.text not in kind.operators:
            refuse(operator, one_of(kind.operators))
        value = self._take()
        if value.kind not in {"word", "text"}:
            refuse(value, kind.wanted)
        name = field.text if field.text.startswith(METRIC) else field.text.lower()
        return Comparison(name, operator.text, kind.read(value), value)


def field_called(token: Token) -> FieldKind:
    """Return the field of that name. Raises FilterFault."""
    if token.kind in {"word", "text"} and token.text.startswith(METRIC) and len(token.text) > len(METRIC):
        return METRIC_KIND
    if token.kind != "word" or token.text.lower() not in FIELDS:
        refuse(token, f"a field ({', '.join(FIELDS)} or {METRIC}NAME)")
    return FIELDS[token.text.lower()]


def check_names(connection: Connection, wanted: Filter) -> None:
    """Check that all games, leagues, bots and versions that a filter names are known. Raises FilterFault."""
    for comparison in comparisons(wanted):
        if comparison.field in {"opponent", "bot"}:
            check_bot(connection, comparison)
        elif comparison.field == "league":
            check_league(connection, comparison)
        elif comparison.field == "game":
            check_game(connection, comparison)


def check_league(connection: Connection, comparison: Comparison) -> None:
    """Refuse an unknown league; the message lists the known ones."""
    if not leagues.is_called(connection, str(comparison.value)):
        known = sorted({league.name for league in leagues.leagues(connection)})
        refuse(replace(comparison.token, text=str(comparison.value)), f"a league ({', '.join(known)})")


def check_game(connection: Connection, comparison: Comparison) -> None:
    """Refuse a game that has no leagues; the message names those that have."""
    known = leagues.games_in(connection)
    if comparison.value not in known:
        refuse(replace(comparison.token, text=str(comparison.value)), f"a game ({', '.join(known)})")


def check_bot(connection: Connection, comparison: Comparison) -> None:
    """Refuse an unknown bot or version; the message lists some known ones: the nearest names, the newest versions."""
    named = read_name(str(comparison.value))
    token = replace(comparison.token, text=str(comparison.value))
    meant = bots.bots_called(connection, named.bot)
    if not meant:
        names = sorted({bot.name.lower() for bot in bots.bots(connection)})
        nearest = get_close_matches(named.bot, names, len(names) or 1, cutoff=0.0)
        refuse(token, f"a bot ({', '.join(in_short(nearest, MOST_LISTED)) or 'there is none yet'})")
    numbers = {version.number for bot in meant for version in versions.versions_of(connection, bot.id)}
    if named.number is not None and named.number not in numbers:
        listed = in_short((f"v{number}" for number in sorted(numbers, reverse=True)), MOST_LISTED)
        refuse(token, f"a version of {meant[0].name} ({', '.join(listed)})")
