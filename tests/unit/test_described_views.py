"""What the description says of a view is what its JSON is."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar, Literal

import pytest
from jsonschema import Draft202012Validator, ValidationError

from ladder.ids import MatchId
from ladder.views.encoding import plain, to_json
from ladder.web.api import answers
from ladder.web.api.answers import PLACE, schemas, wanted


class Colour(StrEnum):
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
    colour: Colour
    word: Literal["a", "b"]
    pair: tuple[int, str]
    many: tuple[Inner, ...]
    listed: Sequence[float]
    named: Mapping[str, bool]
    anything: Mapping[str, Any]
    inner: Inner
    secret: object


EVERYTHING = Everything(
    *(MatchId(7), None, datetime(2026, 11, 1, tzinfo=UTC), Colour.RED, "a", (1, "x"), (Inner(1), Inner(2))),
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
class Counts:
    IF_ANY: ClassVar = ("places",)

    matches: int
    places: tuple[int, ...]


@dataclass(frozen=True)
class Line:
    MERGED: ClassVar = ("counts",)

    name: str
    counts: Counts


def test_a_key_that_is_left_out_where_it_is_empty_is_not_required() -> None:
    for places in ((), (2, 1, 0)):
        checked(plain(Line("orca", Counts(3, places))), Line)
    assert schemas()[wanted(Line)]["required"] == ["name", "matches"]
