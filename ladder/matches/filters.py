"""A small language that picks matches: `bot = kraken and result = lost and not metric.depth > 5`.

How this works. A filter is cut into words; a parser with one function for each level of the grammar makes a tree of
them; the list of fields says what can be asked, and how the tree reads in SQL. Whatever lists or counts matches takes
such a tree: `--where` everywhere, and the options of `ladder match list`, which are comparisons joined by `and`.

    either      = both {"or" both}
    both        = one {"and" one}
    one         = "not" one | "(" either ")" | field operator value
    operator    = "=" | "!=" | "<" | "<=" | ">" | ">="
    value       = a word of letters, digits and _ . - + : @, or anything in '...' or "..."

`metric.NAME` is what a bot printed ([TDATA] or [PDATA]). `league` is a league's name or title. Which bots and leagues
there are only a database knows, so after reading a filter call `check_names` before it is used. `!=` is always the
opposite of `=`.

Fields. Some are about one side of a match: which bot it is, how it did, what it did wrong, against whom.
If a filter names a bot, all of these are about that bot's side; if not, they hold where they hold for either side. A
query that has the side already (`own`, as in the list of one bot's matches) says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field as declared
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import partial
from typing import Any, NoReturn, TypeAlias

from psycopg.sql import SQL, Composable, Identifier, Placeholder

from engine.conversation import Verdict
from engine.errors import UsageFault
from engine.immutable import immutable
from ladder.bots import bots, versions
from ladder.database.connection import Connection
from ladder.errors import FilterFault
from ladder.leagues import leagues
from ladder.names import in_short, read_name

OPERATORS = ("=", "!=", "<=", ">=", "<", ">")
EQUALITY = ("=", "!=")
ORDER = ("<", "<=", ">", ">=")
NUMBER = r"^[+-]?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?$"
BOT = r"[A-Za-z0-9][A-Za-z0-9_.-]*"

Value: TypeAlias = str | int | float | bool | datetime | timedelta
"""A `timedelta` is a time of that long ago, by the clock of the database."""
Parameter: TypeAlias = Callable[[object], Composable]


@immutable
class FilterToken:
    """A word and its place, from 1, or the `option` that it was given to. `kind`: sign, word, text (in quotes), end."""

    kind: str
    text: str
    place: int = 0
    option: str = ""


NOWHERE = FilterToken("word", "")


@immutable
class FieldComparison:
    """A field compared with a value."""

    field: str
    operator: str
    value: Value
    token: FilterToken = declared(default=NOWHERE, compare=False)


@immutable
class Not:
    """The opposite."""

    inner: Filter


@immutable
class Joined:
    """Several that must all hold (`and`) or of which one must (`or`). Raises UsageFault where there are none."""

    word: str
    parts: tuple[Filter, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise UsageFault("a filter that joins others has none to join")


Filter: TypeAlias = FieldComparison | Not | Joined


@immutable
class SeatPair:
    """A side of a match and the other one, as a query calls their seats."""

    own: Identifier
    other: Identifier


FIRST = SeatPair(Identifier("first"), Identifier("second"))
SECOND = SeatPair(Identifier("second"), Identifier("first"))
OWN = SeatPair(Identifier("own"), Identifier("other"))
ANY_TWO = SeatPair(Identifier("one"), Identifier("another"))

Condition: TypeAlias = Callable[[FieldComparison, Parameter, SeatPair], Composable]


def refuse(token: FilterToken, expected: str) -> NoReturn:
    if token.option:
        raise FilterFault(f"{token.option} says {token.text!r} where {expected} should be")
    says = "it ends" if token.kind == "end" else f"it says {token.text!r}"
    raise FilterFault(
        f"cannot read the filter at character {token.place}: {says} where {expected} should be", token.place
    )


def one_of(words: tuple[str, ...]) -> str:
    return f"one of {', '.join(words)}"


@immutable
class FieldKind:
    """How a field is read and written as SQL. `of_side`: about one side; `anywhere`: quicker for either of them."""

    operators: tuple[str, ...]
    wanted: str
    read: Callable[[FilterToken], Value]
    condition: Condition
    of_side: bool = False
    anywhere: Callable[[FieldComparison, Parameter], Composable] | None = None


def read_bot(token: FilterToken) -> str:
    try:
        named = read_name(token.text)
    except UsageFault:
        refuse(token, OPPONENT_WANTED)
    if not re.fullmatch(BOT, named.bot):
        refuse(token, OPPONENT_WANTED)
    return token.text.lower()


def read_whole_number(token: FilterToken) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,20}", token.text) or not -(2**63) <= int(token.text) < 2**63:
        refuse(token, WHOLE_WANTED)
    return int(token.text)


def read_time(token: FilterToken) -> datetime | timedelta:
    """Read a day, or a day and time, in UTC where no zone is named; or how long ago that is, as in `90m`."""
    ago = re.fullmatch(r"([0-9]{1,5})([smhdw])", token.text)
    if ago is not None:
        return timedelta(**{UNITS[ago[2]]: int(ago[1])})
    try:
        time = datetime.fromisoformat(token.text)
    except ValueError:
        refuse(token, TIME_WANTED)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def read_metric(token: FilterToken) -> str | float:
    return float(token.text) if token.kind == "word" and re.match(NUMBER, token.text) else token.text


def read_choice(*choices: str) -> Callable[[FilterToken], str]:
    def read(token: FilterToken) -> str:
        if token.text.lower() not in choices:
            refuse(token, one_of(choices))
        return token.text.lower()

    return read


def read_fault(token: FilterToken) -> str:
    named = token.text.lower()
    return FAULTS_IN_WORDS.get(named) or read_choice(*FAULTS)(token)


def column_condition(column: SQL) -> Condition:
    def condition(comparison: FieldComparison, parameter: Parameter, _: SeatPair) -> Composable:
        return SQL("{} {} {}").format(column, SQL_OPERATORS[comparison.operator], parameter(comparison.value))

    return condition


def side_condition(column: str) -> Condition:
    def condition(comparison: FieldComparison, parameter: Parameter, sides: SeatPair) -> Composable:
        value = RESULTS.get(str(comparison.value), comparison.value)
        return SQL("{}.{} = {}").format(sides.own, Identifier(column), parameter(value))

    return condition


def time_condition(comparison: FieldComparison, parameter: Parameter, _: SeatPair) -> Composable:
    time = SQL("now() - {}") if isinstance(comparison.value, timedelta) else SQL("{}")
    operator = SQL_OPERATORS[comparison.operator]
    return SQL("matches.finished_at {} {}").format(operator, time.format(parameter(comparison.value)))


def fault_condition(comparison: FieldComparison, parameter: Parameter, sides: SeatPair) -> Composable:
    if comparison.value == ANY_FAULT:
        return SQL("{}.verdict <> 'ok'").format(sides.own)
    return SQL("({0}.verdict <> 'ok' AND {0}.verdict = {1})").format(sides.own, parameter(comparison.value))


def reason_condition(comparison: FieldComparison, parameter: Parameter, _: SeatPair) -> Composable:
    words = SQL("lower(replace(matches.reason, '_', ' ')) = {}").format(parameter(comparison.value))
    if comparison.value not in FAULTS_IN_WORDS:
        return words
    fault = FieldComparison("fault", "=", FAULTS_IN_WORDS[str(comparison.value)])
    return SQL("({} OR {})").format(words, fault_anywhere(fault, parameter))


def fault_anywhere(comparison: FieldComparison, parameter: Parameter) -> Composable:
    """Return the condition that a match is among those that somebody lost by that fault, which an index holds."""
    which = fault_condition(comparison, parameter, SeatPair(Identifier("seats"), Identifier("seats")))
    return SQL("matches.id IN (SELECT match_id FROM seats WHERE {})").format(which)


def seat_is(seat: Identifier, comparison: FieldComparison, parameter: Parameter) -> Composable:
    named = read_name(str(comparison.value))
    version = SQL("true") if named.number is None else SQL("versions.number = {}").format(parameter(named.number))
    return SQL("""{}.version_id IN (
        SELECT versions.id FROM versions JOIN bots ON bots.id = versions.bot_id WHERE {} AND {})""").format(
        seat, bots.IS_CALLED.format(name=parameter(named.bot)), version
    )


def metric_condition(comparison: FieldComparison, parameter: Parameter, sides: SeatPair) -> Composable:
    logged = SQL("(VALUES ({}.metrics ->> {}))").format(sides.own, parameter(comparison.field.removeprefix(METRIC)))
    value = parameter(comparison.value)
    operator = SQL_OPERATORS[comparison.operator]
    if isinstance(comparison.value, str):
        return SQL("EXISTS (SELECT FROM {} AS logged (value) WHERE value {} {})").format(logged, operator, value)
    return SQL(
        "EXISTS (SELECT FROM {} AS logged (value) WHERE CASE WHEN value ~ {} THEN value::numeric {} {}::numeric END)"
    ).format(logged, parameter(NUMBER), operator, value)


METRIC = "metric."
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
TIME_WANTED = "a day or time such as 2026-11-01 or 2026-11-01T18:30, or how long ago, such as 90m or 2d,"
ANY_FAULT = "any"
FAULTS = (ANY_FAULT, *(verdict.value for verdict in Verdict if verdict is not Verdict.OK))
FAULTS_IN_WORDS = {verdict.words: verdict.value for verdict in Verdict if verdict is not Verdict.OK}
"""The words in which matches are shown, and what the database calls the fault."""
RESULTS = {"won": "win", "drawn": "draw", "lost": "loss"}
WHOLE_WANTED = "a whole number of 64 bits"
OPPONENT_WANTED = "a bot or version such as kraken or kraken@v3"
SQL_OPERATORS = {"=": SQL("="), "<": SQL("<"), "<=": SQL("<="), ">": SQL(">"), ">=": SQL(">=")}
OF_SIDE = partial(FieldKind, EQUALITY, of_side=True)
FIELDS = {
    "game": FieldKind(EQUALITY, "a game", lambda token: token.text.lower(), column_condition(SQL("leagues.game"))),
    "league": FieldKind(
        EQUALITY,
        "a league",
        lambda token: " ".join(token.text.lower().split()),
        lambda comparison, parameter, _: leagues.IS_CALLED.format(name=parameter(comparison.value)),
    ),
    "time": FieldKind(ORDER, TIME_WANTED, read_time, time_condition),
    "seed": FieldKind(OPERATORS, WHOLE_WANTED, read_whole_number, column_condition(SQL("matches.seed"))),
    "match": FieldKind(OPERATORS, WHOLE_WANTED, read_whole_number, column_condition(SQL("matches.id"))),
    "opponent": OF_SIDE(OPPONENT_WANTED, read_bot, lambda one, parameter, sides: seat_is(sides.other, one, parameter)),
    "bot": OF_SIDE(OPPONENT_WANTED, read_bot, lambda one, parameter, sides: seat_is(sides.own, one, parameter)),
    "seat": OF_SIDE("0 to 7", read_choice(*"01234567"), side_condition("seat")),
    "result": OF_SIDE(one_of(tuple(RESULTS)), read_choice(*RESULTS), side_condition("result")),
    "fault": OF_SIDE(one_of(FAULTS), read_fault, fault_condition, anywhere=fault_anywhere),
    "reason": FieldKind(EQUALITY, "how it ended", lambda token: token.text.lower().replace("_", " "), reason_condition),
    "turns": FieldKind(OPERATORS, WHOLE_WANTED, read_whole_number, column_condition(SQL("matches.turns"))),
    "rated": FieldKind(
        EQUALITY,
        "yes or no",
        lambda token: read_choice("yes", "no")(token) == "yes",
        column_condition(SQL("matches.rates")),
    ),
    "gauntlet": FieldKind(OPERATORS, WHOLE_WANTED, read_whole_number, column_condition(SQL("matches.gauntlet_id"))),
}
METRIC_KIND = FieldKind(OPERATORS, "a number or word", read_metric, metric_condition, of_side=True)


def as_sql(filter_: Filter, sides: SeatPair | None = None) -> tuple[Composable, dict[str, Any]]:
    """Write a filter as a condition, with its values. `sides`: the seats of whose side; else `first` and `second`."""
    values: dict[str, Any] = {}

    def parameter(value: object) -> Composable:
        name = f"filter_{len(values)}"
        values[name] = value
        return Placeholder(name)

    if sides is None and any(comparison.field == "bot" for comparison in comparisons(filter_)):
        return either(lambda pair: condition_of(filter_, parameter, pair)), values
    if sides is OWN and any(comparison.field == "opponent" for comparison in comparisons(filter_)):
        return against_any(lambda pair: condition_of(filter_, parameter, pair)), values
    return condition_of(filter_, parameter, sides), values


def either(condition: Callable[[SeatPair], Composable]) -> Composable:
    return SQL("""(({}) OR ({}) OR (matches.players > 2 AND EXISTS (
        SELECT FROM seats AS one JOIN seats AS another ON another.match_id = one.match_id AND another.seat <> one.seat
        WHERE one.match_id = matches.id AND ({}))))""").format(condition(FIRST), condition(SECOND), condition(ANY_TWO))


def against_any(condition: Callable[[SeatPair], Composable]) -> Composable:
    against = condition(SeatPair(OWN.own, ANY_TWO.other))
    return SQL("""(({}) OR (matches.players > 2 AND EXISTS (
        SELECT FROM seats AS another
        WHERE another.match_id = matches.id AND another.seat <> own.seat AND ({}))))""").format(condition(OWN), against)


def condition_of(filter_: Filter, parameter: Parameter, sides: SeatPair | None) -> Composable:
    """Write a filter as a condition. `sides`: None where each comparison may hold for either side."""
    if isinstance(filter_, Not):
        return SQL("({}) IS NOT TRUE").format(condition_of(filter_.inner, parameter, sides))
    if isinstance(filter_, Joined):
        parts = [SQL("({})").format(condition_of(part, parameter, sides)) for part in filter_.parts]
        return SQL(" AND " if filter_.word == "and" else " OR ").join(parts)
    if filter_.operator == "!=":
        return condition_of(Not(FieldComparison(filter_.field, "=", filter_.value)), parameter, sides)
    kind = kind_of(filter_.field)
    if sides is None and kind.anywhere is not None:
        return kind.anywhere(filter_, parameter)
    if sides is None and kind.of_side:
        return either(lambda pair: kind.condition(filter_, parameter, pair))
    return kind.condition(filter_, parameter, sides or FIRST)


def kind_of(field: str) -> FieldKind:
    return METRIC_KIND if field.startswith(METRIC) else FIELDS[field]


def comparisons(filter_: Filter) -> Iterator[FieldComparison]:
    if isinstance(filter_, FieldComparison):
        yield filter_
    elif isinstance(filter_, Not):
        yield from comparisons(filter_.inner)
    else:
        for part in filter_.parts:
            yield from comparisons(part)


MOST_CHARS = 2_000
NUL = "\0"
DEEPEST = 50
"""This many parentheses and nots can stand inside of each other."""
TOKEN = re.compile(r"""\s*(?:(?P<sign>!=|<=|>=|[=<>()])|(?P<text>'[^']*'|"[^"]*")|(?P<word>[\w.+:@-]+))""")
MOST_LISTED = 10


@immutable
class Option:
    """What an option of a command asks for: a comparison. `name`: as people type it; `text`: its value."""

    name: str
    field: str
    operator: str
    text: str


def from_options(options: Iterable[Option], where: str | None = None) -> Filter | None:
    parts = [comparison_of(option) for option in options] + ([] if where is None else [parse(where)])
    flat = [inner for part in parts for inner in parts_of(part)]
    return None if not flat else flat[0] if len(flat) == 1 else Joined("and", tuple(flat))


def comparison_of(option: Option) -> Filter:
    if len(option.text) > MOST_CHARS:
        raise FilterFault(f"{option.name} has {len(option.text)} characters, the limit is {MOST_CHARS}")
    if NUL in option.text:
        raise FilterFault(f"{option.name} holds a NUL character")
    token = FilterToken("text", option.text, option=option.name)
    return FieldComparison(option.field, option.operator, kind_of(option.field).read(token), token)


def parts_of(filter_: Filter) -> tuple[Filter, ...]:
    """Return what must all hold for a filter to hold."""
    return filter_.parts if isinstance(filter_, Joined) and filter_.word == "and" else (filter_,)


def bot_in(filter_: Filter) -> str | None:
    """Return the bot or version whose matches a filter picks, because all of them have to be of it; or None."""
    of_bot = [comparison for comparison in comparisons(filter_) if comparison.field == "bot"]
    is_one = len(of_bot) == 1 and of_bot[0].operator == "=" and of_bot[0] in parts_of(filter_)
    return of_bot[0].token.text if is_one else None


def parse(text: str) -> Filter:
    if len(text) > MOST_CHARS:
        raise FilterFault(f"the filter has {len(text)} characters, the limit is {MOST_CHARS}")
    if NUL in text:
        place = text.index(NUL) + 1
        raise FilterFault(f"cannot read the filter at character {place}: it is a NUL character", place)
    return Parser(tokens_of(text)).whole()


def tokens_of(text: str) -> list[FilterToken]:
    tokens: list[FilterToken] = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            rest = text[place:].lstrip()
            refuse(FilterToken("sign", rest[0], len(text) - len(rest) + 1), "a field, a value or a sign")
        kind = str(match.lastgroup)
        word = match[kind]
        tokens.append(FilterToken(kind, word[1:-1] if kind == "text" else word, match.start(kind) + 1))
        place = match.end()
    return [*tokens, FilterToken("end", "its end", len(text) + 1)]


class Parser:
    """Reads a list of words from left to right; one function for each level of the grammar."""

    def __init__(self, tokens: list[FilterToken]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0

    def whole(self) -> Filter:
        tree = self._either()
        if self._ahead.kind != "end":
            refuse(self._ahead, '"and", "or" or the end' + self._hint())
        return tree

    @property
    def _ahead(self) -> FilterToken:
        return self._tokens[self._next]

    def _take(self) -> FilterToken:
        token = self._ahead
        self._next += token.kind != "end"
        return token

    def _follows(self, text: str) -> bool:
        fits = self._ahead.kind != "text" and self._ahead.text.lower() == text
        if fits:
            self._take()
        return fits

    def _hint(self) -> str:
        return " (what has blanks stands in quotes: 'Wood 2')" if self._ahead.kind == "word" else ""

    def _either(self) -> Filter:
        return self._joined("or", lambda: self._joined("and", self._one))

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
        if self._follows("not"):
            inner: Filter = Not(self._one())
        elif self._follows("("):
            inner = self._either()
            if not self._follows(")"):
                refuse(self._ahead, '"and", "or" or ")"' + self._hint())
        else:
            inner = self._comparison()
        self._depth -= 1
        return inner

    def _comparison(self) -> FieldComparison:
        field = self._take()
        kind = field_called(field)
        operator = self._take()
        if operator.kind != "sign" or operator.text not in kind.operators:
            refuse(operator, one_of(kind.operators))
        value = self._take()
        if value.kind not in {"word", "text"}:
            refuse(value, kind.wanted)
        name = field.text if field.text.startswith(METRIC) else field.text.lower()
        return FieldComparison(name, operator.text, kind.read(value), value)


def field_called(token: FilterToken) -> FieldKind:
    if token.kind in {"word", "text"} and token.text.startswith(METRIC) and len(token.text) > len(METRIC):
        return METRIC_KIND
    if token.kind != "word" or token.text.lower() not in FIELDS:
        refuse(token, f"a field ({', '.join(FIELDS)} or {METRIC}NAME)")
    return FIELDS[token.text.lower()]


def check_names(connection: Connection, filter_: Filter) -> None:
    for comparison in comparisons(filter_):
        value = str(comparison.value)
        token = replace(comparison.token, text=value)
        if comparison.field in {"opponent", "bot"}:
            check_bot(connection, value, token)
        elif comparison.field == "league":
            everywhere = leagues.leagues(connection)
            if not any(league.is_called(value) for league in everywhere):
                refuse(token, f"a league ({', '.join(sorted({league.name for league in everywhere}))})")
        elif comparison.field == "game" and value not in (games := leagues.games_in(connection)):
            refuse(token, f"a game ({', '.join(games)})")


def check_bot(connection: Connection, value: str, token: FilterToken) -> None:
    named = read_name(value)
    meant = bots.bots_called(connection, named.bot)
    if not meant:
        names = sorted({bot.name.lower() for bot in bots.bots(connection)})
        nearest = get_close_matches(named.bot, names, len(names) or 1, cutoff=0.0)
        refuse(token, f"a bot ({', '.join(in_short(nearest, MOST_LISTED)) or 'there is none yet'})")
    numbers = {version.number for bot in meant for version in versions.versions_of(connection, bot.id)}
    if named.number is not None and named.number not in numbers:
        listed = in_short((f"v{number}" for number in sorted(numbers, reverse=True)), MOST_LISTED)
        refuse(token, f"a version of {meant[0].name} ({', '.join(listed)})")
