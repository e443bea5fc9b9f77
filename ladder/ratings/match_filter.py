"""A small language that picks matches: `league = bronze and opponent = kraken and not metric.depth > 5`.

How this works. A filter is cut into words; a parser with one function for each level of the grammar makes a tree of
them; the tree is written as SQL in which every value is a parameter.

    either      = both {"or" both}
    both        = one {"and" one}
    one         = "not" one | "(" either ")" | field operator value
    operator    = "=" | "!=" | "<" | "<=" | ">" | ">="
    value       = a word of letters, digits and _ . - + : @, or anything in '...' or "..."

The fields stand in FIELDS. `metric.NAME` is what bots printed of the match ([TDATA]) or of themselves ([PDATA]); the
comparison holds if it does for any of those. `league` is a league's name or title, `opponent` either of the two who
played; which of those there are only a database knows, so who has read a filter lets `check_names` look before it is
used. `!=` is always the opposite of `=`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from dataclasses import field as declared
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any, NoReturn, TypeAlias

from psycopg.sql import SQL, Composable, Placeholder

from engine.errors import UsageFault
from ladder.bots import bots, versions
from ladder.database.connection import Connection
from ladder.errors import FilterFault
from ladder.leagues import leagues
from ladder.name_lists import in_short
from ladder.names import read_name

MOST_CHARS = 2_000
DEEPEST = 50
"""This many parentheses and nots can stand inside of each other."""
OPERATORS = ("=", "!=", "<=", ">=", "<", ">")
EQUALITY = ("=", "!=")
ORDER = ("<", "<=", ">", ">=")
TOKEN = re.compile(r"""\s*(?:(?P<sign>!=|<=|>=|[=<>()])|(?P<text>'[^']*'|"[^"]*")|(?P<word>[\w.+:@-]+))""")
NUMBER = r"^[+-]?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?$"
"""What counts as a number among metrics, which are text."""
MOST_LISTED = 10
"""This many known names are listed in the message about an unknown one."""
BOT = r"[A-Za-z0-9][A-Za-z0-9_.-]*"


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a filter and where it begins, from 1. `kind`: sign, word, text (it was in quotes) or end."""

    kind: str
    text: str
    place: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """A field compared with a value."""

    field: str
    operator: str
    value: str | int | float | datetime
    place: int = declared(default=0, compare=False)
    """Where the value begins, for refusing it later."""


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite."""

    inner: Filter


@dataclass(frozen=True, slots=True)
class Joined:
    """Several that must all hold (`and`) or of which one must (`or`)."""

    word: str
    parts: tuple[Filter, ...]


Filter: TypeAlias = Comparison | Not | Joined


def parse(text: str) -> Filter:
    """Read a filter. Raises FilterFault."""
    if len(text) > MOST_CHARS:
        raise FilterFault(f"the filter has {len(text)} characters, the limit is {MOST_CHARS}")
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


def refuse(token: Token, wanted: str) -> NoReturn:
    """Point at a word that should be something else."""
    found = "it ends" if token.kind == "end" else f"it says {token.text!r}"
    raise FilterFault(f"cannot read the filter at character {token.place}: {found} where {wanted} should be")


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
            raise FilterFault(f"the filter is more than {DEEPEST} levels deep at character {self._ahead.place}")
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
        return Comparison(name, operator.text, kind.read(value), value.place)


def one_of(words: tuple[str, ...]) -> str:
    """Write a choice for people."""
    return f"one of {' '.join(words)}"


@dataclass(frozen=True, slots=True)
class FieldKind:
    """What can be asked of a field. `read`: makes its value or raises FilterFault; `condition`: writes it as SQL."""

    operators: tuple[str, ...]
    wanted: str
    read: Callable[[Token], str | int | float | datetime]
    condition: Callable[[Comparison, Callable[[object], Composable]], Composable]


def field_called(token: Token) -> FieldKind:
    """Return the field of that name. Raises FilterFault."""
    if token.kind in {"word", "text"} and token.text.startswith(METRIC) and len(token.text) > len(METRIC):
        return METRIC_KIND
    if token.kind != "word" or token.text.lower() not in FIELDS:
        refuse(token, f"a field ({', '.join(FIELDS)} or {METRIC}NAME)")
    return FIELDS[token.text.lower()]


def read_game(token: Token) -> str:
    """Read the name of a game."""
    return token.text.lower()


def read_league(token: Token) -> str:
    """Read the name or title of a league."""
    return " ".join(token.text.lower().split())


def read_bot(token: Token) -> str:
    """Read `BOT` or `BOT@v3`."""
    try:
        named = read_name(token.text)
    except UsageFault:
        refuse(token, OPPONENT_WANTED)
    if not re.fullmatch(BOT, named.bot):
        refuse(token, OPPONENT_WANTED)
    return token.text.lower()


def read_whole_number(token: Token) -> int:
    """Read a number of 64 bits with its sign."""
    if not re.fullmatch(r"[+-]?[0-9]{1,20}", token.text) or not -(2**63) <= int(token.text) < 2**63:
        refuse(token, WHOLE_WANTED)
    return int(token.text)


def read_time(token: Token) -> datetime:
    """Read a day, or a day and time; where no zone is named it is UTC."""
    try:
        found = datetime.fromisoformat(token.text)
    except ValueError:
        refuse(token, TIME_WANTED)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def read_metric(token: Token) -> str | float:
    """Read a number, or else any words. What is in quotes is words."""
    return float(token.text) if token.kind == "word" and re.match(NUMBER, token.text) else token.text


Parameter: TypeAlias = Callable[[object], Composable]
"""Keeps a value for the query and returns the place for it."""


def column_condition(column: SQL) -> Callable[[Comparison, Parameter], Composable]:
    """Return the condition on a column."""

    def condition(comparison: Comparison, parameter: Parameter) -> Composable:
        return SQL("{} {} {}").format(column, SQL_OPERATORS[comparison.operator], parameter(comparison.value))

    return condition


def league_condition(comparison: Comparison, parameter: Parameter) -> Composable:
    """Return the condition that the match was played in a league of that name or title."""
    return leagues.IS_CALLED.format(name=parameter(comparison.value))


def opponent_condition(comparison: Comparison, parameter: Parameter) -> Composable:
    """Return the condition that a bot, or one of its versions, plays in the match."""
    named = read_name(str(comparison.value))
    version = SQL("true") if named.number is None else SQL("versions.number = {}").format(parameter(named.number))
    return SQL(
        """EXISTS (SELECT FROM versions JOIN bots ON bots.id = versions.bot_id
        WHERE versions.id IN (first.version_id, second.version_id) AND {} AND {})"""
    ).format(bots.IS_CALLED.format(name=parameter(named.bot)), version)


def metric_condition(comparison: Comparison, parameter: Parameter) -> Composable:
    """Return the condition that some value of that name, of either seat, compares so."""
    found = SQL("(VALUES (first.metrics ->> {0}), (second.metrics ->> {0}))").format(
        parameter(comparison.field.removeprefix(METRIC))
    )
    value, operator = parameter(comparison.value), SQL_OPERATORS[comparison.operator]
    if isinstance(comparison.value, str):
        return SQL("EXISTS (SELECT FROM {} AS logged (value) WHERE value {} {})").format(found, operator, value)
    return SQL(
        "EXISTS (SELECT FROM {} AS logged (value) WHERE CASE WHEN value ~ {} THEN value::numeric {} {}::numeric END)"
    ).format(found, parameter(NUMBER), operator, value)


METRIC = "metric."
TIME_WANTED = "a day or time such as 2026-11-01 or 2026-11-01T18:30"
WHOLE_WANTED = "a whole number of 64 bits"
OPPONENT_WANTED = "a bot or version such as kraken or kraken@v3"
SQL_OPERATORS = {"=": SQL("="), "<": SQL("<"), "<=": SQL("<="), ">": SQL(">"), ">=": SQL(">=")}
FIELDS = {
    "game": FieldKind(EQUALITY, "a game", read_game, column_condition(SQL("leagues.game"))),
    "league": FieldKind(EQUALITY, "a league", read_league, league_condition),
    "time": FieldKind(ORDER, TIME_WANTED, read_time, column_condition(SQL("matches.finished_at"))),
    "seed": FieldKind(OPERATORS, WHOLE_WANTED, read_whole_number, column_condition(SQL("matches.seed"))),
    "match": FieldKind(OPERATORS, WHOLE_WANTED, read_whole_number, column_condition(SQL("matches.id"))),
    "opponent": FieldKind(EQUALITY, OPPONENT_WANTED, read_bot, opponent_condition),
}
"""What a filter can ask of a match."""
METRIC_KIND = FieldKind(OPERATORS, "a number or word", read_metric, metric_condition)


def check_names(connection: Connection, wanted: Filter) -> None:
    """Check that all games, leagues, bots and versions that a filter names are known. Raises FilterFault."""
    for comparison in comparisons(wanted):
        if comparison.field == "opponent":
            check_opponent(connection, comparison)
        elif comparison.field == "league":
            check_league(connection, comparison)
        elif comparison.field == "game":
            check_game(connection, comparison)


def comparisons(wanted: Filter) -> Iterator[Comparison]:
    """Give every comparison of a filter, from left to right."""
    if isinstance(wanted, Comparison):
        yield wanted
    elif isinstance(wanted, Not):
        yield from comparisons(wanted.inner)
    else:
        for part in wanted.parts:
            yield from comparisons(part)


def check_league(connection: Connection, comparison: Comparison) -> None:
    """Refuse an unknown league; the message lists the known ones."""
    if not leagues.is_called(connection, str(comparison.value)):
        known = sorted({league.name for league in leagues.leagues(connection)})
        refuse(Token("word", str(comparison.value), comparison.place), f"a league ({', '.join(known)})")


def check_game(connection: Connection, comparison: Comparison) -> None:
    """Refuse a game that has no leagues; the message names those that have."""
    known = leagues.games_in(connection)
    if comparison.value not in known:
        refuse(Token("word", str(comparison.value), comparison.place), f"a game ({', '.join(known)})")


def check_opponent(connection: Connection, comparison: Comparison) -> None:
    """Refuse an unknown bot or version; the message lists some known ones: the nearest names, the newest versions."""
    named = read_name(str(comparison.value))
    token = Token("word", str(comparison.value), comparison.place)
    meant = bots.bots_called(connection, named.bot)
    if not meant:
        names = sorted({bot.name.lower() for bot in bots.bots(connection)})
        nearest = get_close_matches(named.bot, names, len(names) or 1, cutoff=0.0)
        refuse(token, f"a bot ({', '.join(in_short(nearest, MOST_LISTED)) or 'there is none yet'})")
    numbers = {version.number for bot in meant for version in versions.versions_of(connection, bot.id)}
    if named.number is not None and named.number not in numbers:
        listed = in_short((f"v{number}" for number in sorted(numbers, reverse=True)), MOST_LISTED)
        refuse(token, f"a version of {meant[0].name} ({', '.join(listed)})")


def as_sql(wanted: Filter) -> tuple[Composable, dict[str, Any]]:
    """Write a filter as a condition for `storage.ledger.played_in_order`, with its values."""
    values: dict[str, Any] = {}

    def parameter(value: object) -> Composable:
        name = f"filter_{len(values)}"
        values[name] = value
        return Placeholder(name)

    return condition_of(wanted, parameter), values


def condition_of(wanted: Filter, parameter: Parameter) -> Composable:
    """Write a filter as a condition."""
    if isinstance(wanted, Not):
        return SQL("NOT ({})").format(condition_of(wanted.inner, parameter))
    if isinstance(wanted, Joined):
        parts = [SQL("({})").format(condition_of(part, parameter)) for part in wanted.parts]
        return SQL(" AND " if wanted.word == "and" else " OR ").join(parts)
    if wanted.operator == "!=":
        return condition_of(Not(Comparison(wanted.field, "=", wanted.value)), parameter)
    kind = METRIC_KIND if wanted.field.startswith(METRIC) else FIELDS[wanted.field]
    return kind.condition(wanted, parameter)
