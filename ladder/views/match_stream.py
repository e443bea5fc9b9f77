"""All matches of a game that a filter picks, the lowest numbers first, however many there are.

How this works. The numbers are looked through range by range, and the matches read some at a time; each look is a short
transaction of its own, so none stays open for a slow reader, and memory holds a few matches. A match that ends later
than ones with higher numbers is missing if the stream has passed its number by then; who goes on from the reach of a
course gets it.

Matches end in another order than their numbers. So besides the highest number, a reach holds which matches below it
were not over yet, or are hidden: those that wait or are played, those whose end a freeze hides, and numbers that no
match has. Of these the latest may belong to a match that was made and is committed later. A reach is taken from one
snapshot; the next reading looks at what was open then, and at all numbers beyond.

A reach stays small: of many open numbers the closest are taken together into one span. What is over within a span is
read once more, and so is a match that ends while a reading is under way. Nothing is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import pairwise

from ladder.database.connection import Connection, one
from ladder.ids import LARGEST_ID, MatchId
from ladder.leagues import leagues
from ladder.matches.filters import Filter, check_names
from ladder.matches.match_rows import find_matches
from ladder.names import Named
from ladder.views.match_search import BEYOND_ALL, Place, chunks, fitting, place_of
from ladder.views.matches import ListedMatch, with_seats

LATEST = 1000
"""Among this many numbers, those that no match has may still get one."""
MOST_SPANS = 20
Span = tuple[int, int]
TEXT = re.compile(r"(0|[1-9][0-9]{0,18})((?:\.[0-9]{1,19}-[0-9]{1,19})*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reach:
    """How far somebody has read. `last`: the highest number; `open`: spans up to it of what was not over."""

    last: int
    open: tuple[Span, ...] = ()

    @property
    def text(self) -> str:
        """Return it as text: each span by its way from the end of the one before it, and its length."""
        parts, before = [str(self.last)], 0
        for first, last in self.open:
            parts.append(f"{first - before}-{last - first}")
            before = last
        return ".".join(parts)

    @classmethod
    def read(cls, text: str) -> Reach | None:
        """Read what `text` gives; None for any other text."""
        found = TEXT.fullmatch(text)
        if found is None:
            return None
        spans, before = [], 0
        for part in filter(None, found[2].split(".")):
            way, length = map(int, part.split("-"))
            spans.append((before + way, before + way + length))
            before = spans[-1][1]
        reach = cls(int(found[1]), tuple(spans))
        return reach if max(reach.last, before) <= LARGEST_ID and len(spans) <= MOST_SPANS else None

    def unread(self, now: Reach) -> list[Span]:
        """Return the numbers to read, the lowest first, up to where the ladder is now."""
        beyond = (self.last + 1, now.last)
        return [*self.open, *([beyond] if beyond[0] <= beyond[1] else [])]


BEGIN = Reach(0)


def reach_of(connection: Connection, game: str) -> Reach:
    """Return how far one gets who reads all matches of a game that are over. The connection must see one snapshot."""
    last = int(one(connection, "SELECT coalesce(max(id), 0) FROM matches", {})[0])
    rows = connection.execute(
        """
        SELECT matches.id FROM matches JOIN leagues ON leagues.id = matches.league_id
        WHERE is_waiting(matches.state) AND leagues.game = %(game)s AND matches.id <= %(last)s
        UNION
        SELECT id FROM hidden_matches WHERE game = %(game)s AND id <= %(last)s
        UNION
        SELECT number FROM generate_series(greatest(%(last)s - %(latest)s + 1, 1), %(last)s) AS number
        WHERE NOT EXISTS (SELECT FROM matches WHERE matches.id = number)
        ORDER BY id
        """,
        {"game": game, "last": last, "latest": LATEST},
    )
    return Reach(last, spans_of(MatchId(row[0]) for row in rows))


def spans_of(numbers: Iterable[int]) -> tuple[Span, ...]:
    """Return numbers, which come in their order, as at most MOST_SPANS spans, with the closest taken together."""
    spans: list[Span] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    if len(spans) <= MOST_SPANS:
        return tuple(spans)
    gaps = sorted(range(1, len(spans)), key=lambda place: spans[place][0] - spans[place - 1][1])
    cuts = [0, *sorted(gaps[len(spans) - MOST_SPANS :]), len(spans)]
    return tuple((spans[begin][0], spans[end - 1][1]) for begin, end in pairwise(cuts))


RANGE = 10_000
MATCHES_AT_ONCE = 200

Reading = Callable[[], AbstractContextManager[Connection]]


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
    found = [
        number
        for chunk in chunks(connection, place, BEYOND_ALL)
        for number in fitting(connection, place, wanted, chunk)
    ]
    return found[::-1]


def read_some(connection: Connection, numbers: list[MatchId], of: Named | None) -> list[ListedMatch]:
    return with_seats(connection, find_matches(connection, numbers)[::-1], of)
