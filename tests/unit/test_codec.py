"""Views as bytes: every value comes back as it was, and what is none is refused."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import inf, isnan, nan

import pytest

from engine.errors import UsageFault
from engine.game import Game, Games
from ladder import codec
from ladder.database.connection import Connection
from ladder.ids import MatchId
from tests.catalogue import GAMES


@dataclass(frozen=True, slots=True)
class Row:
    """One of each kind of value."""

    number: MatchId
    score: float
    at: datetime | None
    lasts: timedelta
    words: tuple[str, ...]
    state: object
    game: Game


def rows(connection: Connection, games: Games, least: int, words: str | None = None) -> list[Row]:
    del connection, games, least, words
    return []


AT = datetime(2026, 1, 2, 3, tzinfo=UTC)
ROW = Row(MatchId(7), 0, AT, timedelta(seconds=1.5), ("a", "\x1b"), {"x": [1]}, GAMES.here[0])


def test_every_value_comes_back_as_it_was() -> None:
    (found,) = codec.read(rows, codec.written(rows, [ROW], GAMES), GAMES)
    assert found == ROW
    assert type(found.score) is int


def test_numbers_come_back_to_the_last_bit_and_what_is_no_number_as_such() -> None:
    before = [
        Row(MatchId(7), score, None, timedelta(), (), None, GAMES.here[0]) for score in (inf, -inf, 0.1, 1e300, nan)
    ]
    *numbers, none = codec.read(rows, codec.written(rows, before, GAMES), GAMES)
    assert numbers == before[:-1]
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
