"""All matches of a game that a filter picks, the lowest numbers first, however many there are.

How this works. The numbers are looked through range by range, and the matches read some at a time; each look is a short
transaction of its own, so none stays open for a slow reader, and memory holds a few matches. A match that ends later
than ones with higher numbers is missing if the stream has passed its number by then; who goes on from the reach of a
course gets it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from ladder.database.connection import Connection
from ladder.ids import MatchId
from ladder.leagues import leagues
from ladder.matches.filter_fields import Filter
from ladder.matches.filters import check_names
from ladder.names import Named
from ladder.views.match_search import BEYOND_ALL, Place, chunks, fitting, place_of, rows_of
from ladder.views.matches import ListedMatch, with_seats
from ladder.views.streams.reach import BEGIN, Reach, Span, reach_of

RANGE = 10_000
"""How many numbers are looked through at a time."""
MATCHES_AT_ONCE = 200

Reading = Callable[[], AbstractContextManager[Connection]]
"""Opens a transaction for the block."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search for matches of a game. `since`: from that number on; `after`: what has been read already."""

    game: str
    wanted: Filter | None
    since: MatchId
    after: Reach = BEGIN


@dataclass(frozen=True, slots=True)
class Course:
    """What is looked through for a search. `reach`: how far that gets."""

    place: Place
    wanted: Filter | None
    spans: list[Span]
    reach: Reach


def course_of(connection: Connection, search: Search) -> Course:
    """Return what has to be looked through. Raises UnknownName, FilterFault. The connection must see one snapshot."""
    leagues.check_game(connection, search.game)
    if search.wanted is not None:
        check_names(connection, search.wanted)
    reach = reach_of(connection, search.game)
    place = place_of(connection, search.game, search.wanted, reach.last + 1)
    first = max(search.since, place.above + 1)
    unread = [(max(begin, first), min(end, place.below - 1)) for begin, end in search.after.unread(reach)]
    return Course(place, search.wanted, unread, reach)


def stream(reading: Reading, course: Course) -> Iterator[list[ListedMatch]]:
    """Give the matches that are over, some at a time; and none, at first and wherever the search only goes on."""
    yield []
    for begin, end in course.spans:
        yield from stream_of_span(reading, course, begin, end)


def stream_of_span(reading: Reading, course: Course, begin: int, end: int) -> Iterator[list[ListedMatch]]:
    """Give those of some numbers; see `stream`."""
    place, above = course.place, begin - 1
    while above < end:
        part = replace(place, above=above, below=min(above + RANGE, end) + 1)
        with reading() as connection:
            numbers = numbers_in(connection, part, course.wanted)
        if not numbers:
            yield []
        for first in range(0, len(numbers), MATCHES_AT_ONCE):
            with reading() as connection:
                part_of_range = read_some(connection, numbers[first : first + MATCHES_AT_ONCE], place.of)
            yield part_of_range
        above = part.below - 1


def numbers_in(connection: Connection, place: Place, wanted: Filter | None) -> list[MatchId]:
    """Return the numbers of the matches at a place that a filter picks, the lowest first."""
    found = [
        number
        for chunk in chunks(connection, place, BEYOND_ALL)
        for number in fitting(connection, place, wanted, chunk)
    ]
    return found[::-1]


def read_some(connection: Connection, numbers: list[MatchId], of: Named | None) -> list[ListedMatch]:
    """Read matches by their numbers, the lowest first."""
    return with_seats(connection, rows_of(connection, numbers)[::-1], of)
