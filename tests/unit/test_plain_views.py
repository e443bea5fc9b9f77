"""Views as plain values."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import ClassVar

import pytest

from ladder.views.encoding import plain, to_csv, to_json


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
