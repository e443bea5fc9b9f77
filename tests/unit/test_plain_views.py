"""Views as plain values, as bytes, and as they are described: the three agree."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, StrEnum
from math import inf, isnan, nan
from typing import Any, ClassVar, Literal

import pytest
from jsonschema import Draft202012Validator, ValidationError

from engine.errors import UsageFault
from engine.game import Game, Games
from ladder import codec
from ladder.database.connection import Connection
from ladder.ids import MatchId
from ladder.views.encoding import plain, to_csv, to_json
from ladder.web.api import answers
from ladder.web.api.answers import PLACE, schemas, wanted
from tests.catalogue import GAMES


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Row:
    id: int
    at: datetime


@dataclass(frozen=True)
class View:
    MERGED: ClassVar = ("row",)
    SHOWN: ClassVar = ("doubled",)

    row: Row
    colour: Colour
    rows: tuple[Row, ...]

    @property
    def doubled(self) -> int:
        return 2 * self.row.id


MOMENT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def test_a_view_is_its_fields_in_order_with_merged_ones_in_place_and_shown_properties_last() -> None:
    view = View(Row(7, MOMENT), Colour.RED, (Row(8, MOMENT),))
    assert plain(view) == {
        "id": 7,
        "at": "2026-01-02T03:04:00+00:00",
        "colour": "red",
        "rows": [{"id": 8, "at": "2026-01-02T03:04:00+00:00"}],
        "doubled": 14,
    }
    assert list(plain(view)) == ["id", "at", "colour", "rows", "doubled"]
    assert json.loads(to_json([view])) == [plain(view)]


@pytest.mark.parametrize("said", ["MOVE N", "\x1b[31m \x00 \x7f", "\u202e bidi \x9b", "\ud800 half", "é 船", 2**70])
def test_compact_json_is_the_same_data_in_one_line_of_printable_ascii_whatever_a_bot_said(said: object) -> None:
    view = {"said": said, "rows": [View(Row(7, MOMENT), Colour.RED, ())]}
    text = to_json(view, compact=True)
    assert text == json.dumps(plain(view), separators=(",", ":")) + "\n"
    assert text[:-1].isprintable()
    assert text.isascii()


def test_what_is_no_data_is_refused_and_not_written_as_its_name() -> None:
    with pytest.raises(TypeError, match="object is not data"):
        plain(object())


@dataclass(frozen=True)
class Target:
    HIDDEN: ClassVar = ("was_there",)

    for_: str
    was_there: bool
    note: str | None


def test_a_hidden_field_is_left_out_and_a_word_of_python_loses_its_underscore() -> None:
    assert plain(Target("orca", was_there=True, note=None)) == {"for": "orca", "note": None}


def test_csv_has_the_same_keys_and_values_as_json() -> None:
    rows = "id,at,colour,rows,doubled\n7,2026-01-02T03:04:00+00:00,red,[],14\n"
    assert to_csv([View(Row(7, MOMENT), Colour.RED, ())]) == rows
    assert to_csv([Target("orca", was_there=True, note=None)]) == "for,note\norca,\n"
    assert to_csv([]) == ""


@dataclass(frozen=True)
class Counts:
    IF_ANY: ClassVar = ("places",)

    matches: int
    places: tuple[int, ...]


def test_a_field_that_is_there_only_if_it_has_any_is_left_out_where_it_is_empty() -> None:
    of_three, of_two = Counts(3, (2, 0, 1)), Counts(3, ())
    assert plain(of_three) == {"matches": 3, "places": [2, 0, 1]}
    assert plain(of_two) == {"matches": 3}
    assert to_csv([of_two, of_three]) == "matches,places\n3,\n3,2 0 1\n"
    assert to_csv([of_two]) == "matches\n3\n"


class Hue(StrEnum):
    """A choice."""

    RED = "red"


@dataclass(frozen=True, slots=True)
class Inner:
    """An object in another one."""

    SHOWN: ClassVar = ("twice",)

    count: int

    @property
    def twice(self) -> float:
        return 2.0 * self.count


@dataclass(frozen=True, slots=True)
class Everything:
    """Whatever a view can hold."""

    MERGED: ClassVar = ("inner",)
    HIDDEN: ClassVar = ("secret",)

    id: MatchId
    for_: str | None
    at: datetime
    colour: Hue
    word: Literal["a", "b"]
    pair: tuple[int, str]
    many: tuple[Inner, ...]
    listed: Sequence[float]
    named: Mapping[str, bool]
    anything: Mapping[str, Any]
    inner: Inner
    secret: object


EVERYTHING = Everything(
    *(MatchId(7), None, datetime(2026, 11, 1, tzinfo=UTC), Hue.RED, "a", (1, "x"), (Inner(1), Inner(2))),
    *([0.5, 1], {"yes": True}, {"deep": [{"a": None}]}, Inner(3), object()),
)


@pytest.fixture(autouse=True)
def nothing_else_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "WANTED", {})


def checked(value: object, view: type = Everything) -> Any:
    whole = {"$ref": f"{PLACE}{wanted(view)}", "components": {"schemas": schemas()}}
    Draft202012Validator(whole).validate(value)
    return value


def test_a_view_fits_what_is_described() -> None:
    found = checked(plain(EVERYTHING))
    assert found == json.loads(to_json(EVERYTHING))
    assert set(schemas()["Everything"]["properties"]) == set(found)
    assert schemas()["Everything"]["required"] == list(found)
    assert {"for", "count", "twice"} < set(found)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("for", 7),
        ("colour", "blue"),
        ("word", "c"),
        ("pair", [1, 2]),
        ("pair", [1]),
        ("many", [1]),
        ("listed", ["1"]),
        ("named", {"yes": "no"}),
        ("count", "three"),
        ("twice", None),
    ],
)
def test_other_data_do_not_fit(key: str, value: object) -> None:
    with pytest.raises(ValidationError):
        checked({**plain(EVERYTHING), key: value})


def test_keys_that_are_missing_or_more_than_described_do_not_fit() -> None:
    whole = plain(EVERYTHING)
    for wrong in ({**whole, "more": 1}, {name: value for name, value in whole.items() if name != "count"}):
        with pytest.raises(ValidationError):
            checked(wrong)


@dataclass(frozen=True)
class Line:
    MERGED: ClassVar = ("counts",)

    name: str
    counts: Counts


def test_a_key_that_is_left_out_where_it_is_empty_is_not_required() -> None:
    for places in ((), (2, 1, 0)):
        checked(plain(Line("orca", Counts(3, places))), Line)
    assert schemas()[wanted(Line)]["required"] == ["name", "matches"]


@dataclass(frozen=True, slots=True)
class EveryKind:
    """One of each kind of value."""

    number: MatchId
    score: float
    at: datetime | None
    lasts: timedelta
    words: tuple[str, ...]
    state: object
    game: Game


def rows(connection: Connection, games: Games, least: int, words: str | None = None) -> list[EveryKind]:
    del connection, games, least, words
    return []


AT = datetime(2026, 1, 2, 3, tzinfo=UTC)
ROW = EveryKind(MatchId(7), 0, AT, timedelta(seconds=1.5), ("a", "\x1b"), {"x": [1]}, GAMES.here[0])


def test_every_value_comes_back_as_it_was() -> None:
    (found,) = codec.read(rows, codec.written(rows, [ROW], GAMES), GAMES)
    assert found == ROW
    assert type(found.score) is int


def with_score(score: float) -> EveryKind:
    return EveryKind(MatchId(7), score, None, timedelta(), (), None, GAMES.here[0])


def test_numbers_come_back_to_the_last_bit() -> None:
    before = [with_score(score) for score in (inf, -inf, 0.1, 1e300)]
    assert codec.read(rows, codec.written(rows, before, GAMES), GAMES) == before


def test_what_is_no_number_comes_back_as_such() -> None:
    (none,) = codec.read(rows, codec.written(rows, [with_score(nan)], GAMES), GAMES)
    assert isnan(none.score)


def test_what_a_view_is_asked_with_comes_back_without_the_games() -> None:
    text = codec.written_words(rows, {"games": GAMES, "least": 3}, GAMES)
    assert text == '{"least":3}'
    assert codec.read_words(rows, json.loads(text), GAMES) == {"least": 3}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"least": "x"}, "this view cannot be asked with such a least: TypeError"),
        ({"least": "1"}, "such a least"),
        ({"least": True}, "such a least"),
        ({"least": 1.5}, "such a least"),
        ({"least": 1e300}, "such a least"),
        ({"least": 1, "words": [None]}, "such a words"),
        ({"least": 1, "most": 2}, "is not asked with most"),
        ({}, "has to be asked with least"),
        ({"games": 1}, "has to be asked with least"),
    ],
)
def test_words_that_do_not_fit_are_refused(given: dict[str, object], words: str) -> None:
    with pytest.raises(UsageFault, match=words):
        codec.read_words(rows, given, GAMES)


def test_words_that_are_not_utf8_are_refused_as_the_database_refuses_them() -> None:
    with pytest.raises(UnicodeEncodeError) as refusal:
        codec.written_words(rows, {"least": 3, "words": ["kra\udcffken"]}, GAMES)
    assert refusal.value.object == "kra\udcffken"


@pytest.mark.parametrize("body", [b"", b"7", b"[{}]", b'[{"number":1}]', b"<html>"])
def test_bytes_that_are_no_such_view_are_refused(body: bytes) -> None:
    with pytest.raises(UsageFault):
        codec.read(rows, body, GAMES)
