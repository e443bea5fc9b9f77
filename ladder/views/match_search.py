"""A search for matches that stays quick whatever it looks for: it looks at a bounded number, and says where it goes on.

How this works. Those that may fit come by an index, the highest numbers first: the matches of a game's leagues, or of
the leagues, the bot or the gauntlet that the filter asks for anyway. They are looked at in chunks, small ones first,
until enough are found, or MOST_LOOKED_AT have been looked at. So a usual filter reads a hundred
matches, and a rare one never more than MOST_LOOKED_AT.

Those of gauntlets are left out unless the filter asks for them, as in `ladder match list`.

A *stream* has all matches of a game that a filter picks, the lowest numbers first, however many there are. The numbers
are looked through range by range, and the matches read some at a time; each look is a short transaction of its own, so
none stays open for a slow reader, and memory holds a few matches. A match that ends later than ones with higher numbers
is missing if the stream has passed its number by then; who goes on from the reach of a course gets it.

Matches end in another order than their numbers. So besides the highest number, a reach holds which matches below it
were not over yet, or are hidden: those that wait or are played, those whose end a freeze hides, and numbers that no
match has. Of these the latest may belong to a match that was made and is committed later. A reach is taken from one
snapshot; the next reading looks at what was open then, and at all numbers beyond.

A reach stays small: of many open numbers the closest are taken together into one span. What is over within a span is
read once more, and so is a match that ends while a reading is under way. Nothing is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain, pairwise
from typing import LiteralString

from psycopg.sql import SQL, Composable, Literal

from engine.immutable import immutable
from ladder.bots import versions
from ladder.database.connection import Connection, one
from ladder.ids import LARGEST_ID, MatchId, VersionId
from ladder.leagues import leagues
from ladder.matches.filters import FieldComparison, Filter, Joined, bot_in, check_names
from ladder.matches.match_rows import BOTH_SEATS, IS_VOID, OTHER_SEAT, find_matches, parts_of_query
from ladder.names import NamedVersion, read_name
from ladder.views.matches import ListedMatch, with_seats

MOST_LOOKED_AT = 20_000
FIRST_CHUNK, LARGEST_CHUNK = 128, 4_096
MOST_BRANCHES = 200
"""The matches of at most this many versions are merged; those of a bot with more are looked for in the whole game."""
BEYOND_ALL = LARGEST_ID
WITHIN = SQL("{id} < %(below)s AND {id} > %(above)s ORDER BY {id} DESC LIMIT %(chunk)s")
FINISHED_IN_LEAGUE = SQL("SELECT id FROM matches WHERE league_id = {} AND state = 'finished' AND ")
VOID_IN_LEAGUE = SQL("SELECT id FROM matches WHERE league_id = {} AND state = 'void' AND ")
OF_GAUNTLET = SQL("SELECT id FROM matches WHERE gauntlet_id = {} AND ")
OF_VERSION = SQL("SELECT match_id AS id FROM seats WHERE version_id = {} AND ")
CHUNK = SQL("SELECT id FROM ({}) AS source ORDER BY id DESC LIMIT %(chunk)s")
FITTING = SQL("""
    SELECT DISTINCT matches.id FROM matches JOIN leagues ON leagues.id = matches.league_id {seats}
    WHERE matches.id = ANY(%(chunk)s::bigint[]) AND (matches.state = 'finished' OR {is_void}) AND {where}
    """)
OF_ANYBODY = SQL("""
    LEFT JOIN LATERAL (SELECT * FROM seats WHERE match_id = matches.id AND seat = 0 OFFSET 0) AS first ON true
    LEFT JOIN LATERAL (SELECT * FROM seats WHERE match_id = matches.id AND seat = 1 OFFSET 0) AS second ON true
    """)
OF_BOT = SQL("""
    JOIN LATERAL (SELECT * FROM seats WHERE match_id = matches.id AND version_id = ANY(%(own)s) OFFSET 0) AS own ON true
    LEFT JOIN LATERAL (
        SELECT * FROM seats WHERE match_id = matches.id AND seat = 1 - own.seat OFFSET 0) AS other ON true
    """)
"""OFFSET 0 keeps PostgreSQL from reading all matches of a bot where it should look at those of the chunk."""
LATEST = 1000
"""Among this many numbers, those that no match has may still get one."""
MOST_SPANS = 20
Span = tuple[int, int]
TEXT = re.compile(r"(0|[1-9][0-9]{0,18})((?:\.[0-9]{1,19}-[0-9]{1,19})*)", re.ASCII)
RANGE = 10_000
MATCHES_AT_ONCE = 200
Reading = Callable[[], AbstractContextManager[Connection]]


@immutable
class FoundMatches:
    """What a search has found, highest numbers first. `next`: it goes on below that; None where it has seen all."""

    matches: list[ListedMatch]
    of: NamedVersion | None
    looked_at: int
    next: MatchId | None


@immutable
class SearchScope:
    """Where a search looks. `source`: gives numbers, None for none; `of`, `own`: from whose side, and its versions."""

    source: Composable | None
    below: int
    above: int
    of: NamedVersion | None = None
    own: tuple[VersionId, ...] = ()


def search(
    connection: Connection, game: str, wanted: Filter | None, limit: int, below: MatchId | None = None
) -> FoundMatches:
    """Look for `limit` matches that are over, with numbers below that. Raises UnknownName, FilterFault."""
    place = place_of(connection, game, wanted, below)
    match_ids: list[MatchId] = []
    looked_at, last = 0, MatchId(0)
    for chunk in chunks(connection, place, MOST_LOOKED_AT):
        looked_at, last = looked_at + len(chunk), chunk[-1]
        match_ids += fitting(connection, place, wanted, chunk)
        if len(match_ids) > limit:
            break
    page_ids = match_ids[:limit]
    onward = page_ids[-1] if len(match_ids) > limit else last if looked_at >= MOST_LOOKED_AT else None
    rows = find_matches(connection, page_ids)
    return FoundMatches(with_seats(connection, rows, place.of), place.of, looked_at, onward)


def place_of(connection: Connection, game: str, wanted: Filter | None, below: int | None = None) -> SearchScope:
    """Return the narrowest place that holds all that a filter picks. Raises UnknownName, FilterFault."""
    leagues.check_game(connection, game)
    if wanted is not None:
        check_names(connection, wanted)
    needed = needed_in(wanted)
    below, above = bounds_in(needed, BEYOND_ALL if below is None else below)
    own_versions = None if wanted is None else own_of(connection, game, wanted)
    if own_versions is not None:
        of, ids = own_versions
        return SearchScope(
            merged([of_index(OF_VERSION, version_id, "match_id") for version_id in ids]), below, above, of, ids
        )
    for comparison in needed:
        if (comparison.field, comparison.operator) == ("gauntlet", "="):
            return SearchScope(of_index(OF_GAUNTLET, comparison.value), below, above)
    return SearchScope(merged(of_leagues(connection, game, needed)), below, above)


def own_of(connection: Connection, game: str, wanted: Filter) -> tuple[NamedVersion, tuple[VersionId, ...]] | None:
    """Return the bot or version that a filter is about, and its versions; None for none and for a bot with too many."""
    name = bot_in(wanted)
    if name is None:
        return None
    named = read_name(name)
    bot, meant = versions.find_named(connection, named, game)
    own_versions = versions.versions_of(connection, bot.id) if meant is None else [meant]
    named_with_ids = NamedVersion(bot.name, named.number), tuple(version.id for version in own_versions)
    return named_with_ids if len(own_versions) <= MOST_BRANCHES else None


def needed_in(wanted: Filter | None) -> list[FieldComparison]:
    if isinstance(wanted, FieldComparison):
        return [wanted]
    if isinstance(wanted, Joined) and wanted.word == "and":
        return [comparison for part in wanted.parts for comparison in needed_in(part)]
    return []


def bounds_in(needed: Sequence[FieldComparison], below: int) -> tuple[int, int]:
    """Return the numbers of matches between which all are that fit: below the first, above the second."""
    above = 0
    for comparison in needed:
        if comparison.field == "match" and isinstance(comparison.value, int):
            if comparison.operator in {"=", "<", "<="}:
                below = min(below, comparison.value + (comparison.operator != "<"))
            if comparison.operator in {"=", ">", ">="}:
                above = max(above, comparison.value - (comparison.operator != ">"))
    return min(below, BEYOND_ALL), above


def of_leagues(connection: Connection, game: str, needed: Sequence[FieldComparison]) -> list[Composable]:
    names = {str(part.value) for part in needed if (part.field, part.operator) == ("league", "=")}
    ids = [league.id for league in leagues.leagues(connection, game) if all(league.is_called(name) for name in names)]
    return [of_index(index, league_id) for league_id in ids for index in (FINISHED_IN_LEAGUE, VOID_IN_LEAGUE)]


def of_index(index: SQL, key: object, column: LiteralString = "id") -> Composable:
    return SQL("({}{})").format(index.format(Literal(key)), WITHIN.format(id=SQL(column)))


def merged(sources: Sequence[Composable]) -> Composable | None:
    return SQL(" UNION ALL ").join(sources) if sources else None


def chunks(connection: Connection, place: SearchScope, most: int) -> Iterator[list[MatchId]]:
    """Give the numbers of the matches at a place, that many at most, the highest first."""
    if place.source is None:
        return
    remaining, size, below = most, FIRST_CHUNK, place.below
    while remaining > 0:
        size_now = min(size, remaining)
        values = {"below": below, "above": place.above, "chunk": size_now}
        with connection.cursor(binary=True) as cursor:
            match_ids = [row[0] for row in cursor.execute(CHUNK.format(place.source), values, prepare=False)]
        if match_ids:
            yield list(dict.fromkeys(match_ids))  # two versions of one bot may have met
        if len(match_ids) < size_now:
            return
        remaining, size, below = remaining - size_now, min(4 * size, LARGEST_CHUNK), match_ids[-1]


def fitting(connection: Connection, place: SearchScope, wanted: Filter | None, chunk: list[MatchId]) -> list[MatchId]:
    """Return those of some matches that are over and that a filter picks, the highest numbers first."""
    is_of_bot = place.of is not None
    _, where, values = parts_of_query(wanted, OTHER_SEAT if is_of_bot else BOTH_SEATS)
    query = FITTING.format(seats=OF_BOT if is_of_bot else OF_ANYBODY, is_void=IS_VOID, where=where)
    as_array = f"{{{','.join(map(str, chunk))}}}"  # thousands of them, which the driver would write one by one
    values_of_chunk = {**values, "chunk": as_array, "own": list(place.own)}
    rows = connection.execute(query, values_of_chunk, prepare=False)
    return sorted((row[0] for row in rows), reverse=True)


@immutable
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
        match = TEXT.fullmatch(text)
        if match is None:
            return None
        spans, before = [], 0
        for part in filter(None, match[2].split(".")):
            way, length = map(int, part.split("-"))
            spans.append((before + way, before + way + length))
            before = spans[-1][1]
        reach = cls(int(match[1]), tuple(spans))
        return reach if max(reach.last, before) <= LARGEST_ID and len(spans) <= MOST_SPANS else None

    def unread(self, now: Reach) -> list[Span]:
        """Return the numbers to read, the lowest first, up to where the ladder is now."""
        beyond = (self.last + 1, now.last)
        return [*self.open, *([beyond] if beyond[0] <= beyond[1] else [])]


BEGIN = Reach(0)


def reach_of(connection: Connection, game: str) -> Reach:
    """Return how far one gets who reads all matches of a game that are over. The connection must see one snapshot."""
    last = int(one(connection, "SELECT coalesce(max(id), 0) FROM matches", {})[0])
    query = """
        SELECT matches.id FROM matches JOIN leagues ON leagues.id = matches.league_id
        WHERE is_waiting(matches.state) AND leagues.game = %(game)s AND matches.id <= %(last)s
        UNION
        SELECT id FROM hidden_matches WHERE game = %(game)s AND id <= %(last)s
        UNION
        SELECT number FROM generate_series(greatest(%(last)s - %(latest)s + 1, 1), %(last)s) AS number
        WHERE NOT EXISTS (SELECT FROM matches WHERE matches.id = number) ORDER BY id
        """
    rows = connection.execute(query, {"game": game, "last": last, "latest": LATEST})
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


@immutable
class Course:
    """What is looked through for a search. `reach`: how far that gets."""

    place: SearchScope
    wanted: Filter | None
    spans: list[Span]
    reach: Reach


def course_of(connection: Connection, game: str, wanted: Filter | None, since: MatchId, after: Reach = BEGIN) -> Course:
    """Return what has to be looked through for matches of a game, from the number `since` on, `after` what was read.

    Raises UnknownName, FilterFault. The connection must see one snapshot.
    """
    place, reach = place_of(connection, game, wanted), reach_of(connection, game)
    first, last = max(since, place.above + 1), min(reach.last, place.below - 1)
    return Course(place, wanted, [(max(begin, first), min(end, last)) for begin, end in after.unread(reach)], reach)


def stream(reading: Reading, course: Course) -> Iterator[list[ListedMatch]]:
    """Give the matches that are over, some at a time; and none, at first and wherever the search only goes on."""
    yield []
    firsts = ((first, end) for begin, end in course.spans for first in range(begin, end + 1, RANGE))
    for first, end in firsts:
        part = replace(course.place, above=first - 1, below=min(first + RANGE, end + 1))
        with reading() as connection:
            parts = [fitting(connection, part, course.wanted, chunk) for chunk in chunks(connection, part, BEYOND_ALL)]
        numbers = [*chain(*parts)][::-1]
        if not numbers:
            yield []
        for place in range(0, len(numbers), MATCHES_AT_ONCE):
            with reading() as connection:
                part_of_range = read_some(connection, numbers[place : place + MATCHES_AT_ONCE], part.of)
            yield part_of_range


def read_some(connection: Connection, numbers: list[MatchId], of: NamedVersion | None) -> list[ListedMatch]:
    return with_seats(connection, find_matches(connection, numbers)[::-1], of)
