"""Looking for matches in bounded steps, and reading all again and again: none is missed in whichever order they end."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from engine.errors import UnknownName
from ladder.database.connection import Connection, Pool, one, transaction
from ladder.errors import FilterFault
from ladder.ids import MatchId
from ladder.leagues import leagues
from ladder.matches.filters import parse
from ladder.views import match_search
from ladder.views import matches as listed_matches
from ladder.views.match_search import FoundMatches, Reach, reach_of, search, spans_of
from tests.conftest import cloned, opened
from tests.ladder.arena import within
from tests.ladder.battles import insert_battle
from tests.web.a_ladder import SmallLadder
from tests.web.serving import Served, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.database.connection import Connection, Pool
    from ladder.ids import MatchId, VersionId
    from tests.web.a_ladder import SmallLadder
    from workers.embedded.state_file import Running


GAME = "ocean-of-code"


@pytest.fixture
def connection(small_ladder_pool: Pool) -> Iterator[Connection]:
    with transaction(small_ladder_pool) as connection:
        yield connection


def ids(found: FoundMatches) -> list[MatchId]:
    return [one.match.id for one in found.matches]


def looked_for(connection: Connection, where: str, limit: int = 50) -> list[MatchId]:
    found = search(connection, GAME, parse(where), limit)
    assert found.next is None
    return ids(found)


def test_a_search_finds_what_the_list_of_matches_finds(connection: Connection) -> None:
    for where in (
        "bot = kraken and result = lost",
        "bot = kraken@v2",
        "bot = wahoo and opponent = kraken@v2 and not seat = 0",
        "bot = kraken@v2 or bot = wahoo and seat = 1",
        "fault = crashed",
        "reason = crashed or turns > 100",
        "opponent = wahoo and turns > 60",
        "league = wood-2",
        "league = 'Wood 2' and rated = yes",
        "match >= 4 and match < 9",
        "not (turns > 100)",
    ):
        listed = listed_matches.latest(connection, 500, None, GAME, parse(where)).matches
        assert looked_for(connection, where) == sorted((one.match.id for one in listed), reverse=True)
        assert listed, where


def test_a_search_without_a_filter_lists_a_game_and_no_other(connection: Connection, small_ladder: SmallLadder) -> None:
    found = search(connection, GAME, None, 50)
    assert ids(found) == sorted(small_ladder.matches[GAME], reverse=True)
    assert (found.of, found.next, found.looked_at) == (None, None, 24)


def test_pages_follow_each_other_without_a_gap(connection: Connection, small_ladder: SmallLadder) -> None:
    below: MatchId | None = None
    seen: list[MatchId] = []
    for _ in range(4):
        found = search(connection, GAME, parse("bot = wahoo"), 6, below)
        seen += ids(found)
        below = found.next
    assert below is None
    assert seen == sorted(small_ladder.matches[GAME], reverse=True)


def test_a_rare_filter_is_looked_for_step_by_step(
    connection: Connection, small_ladder: SmallLadder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_search, "MOST_LOOKED_AT", 10)
    rare = parse(f"turns > 1 and (match = {small_ladder.matches[GAME][0]} or turns < 0)")
    below: MatchId | None = None
    steps: list[tuple[int, int]] = []
    while not steps or below is not None:
        found = search(connection, GAME, rare, 50, below)
        steps.append((found.looked_at, len(found.matches)))
        below = found.next
    assert steps == [(10, 0), (10, 0), (4, 1)]


def test_a_search_begins_where_its_filter_does(connection: Connection, small_ladder: SmallLadder) -> None:
    """Numbers, leagues and bots that have to fit are looked up, and nothing else is looked at."""
    first = small_ladder.matches[GAME][0]
    assert search(connection, GAME, parse(f"match = {first}"), 50).looked_at == 1
    assert search(connection, GAME, parse("league = gold"), 50).looked_at == 0
    assert search(connection, GAME, parse("bot = kraken@v2 and result = won"), 50).looked_at == 12
    assert search(connection, GAME, parse("gauntlet = 1"), 50).looked_at == 0
    assert search(connection, GAME, parse("match > 99999999999999999"), 50).looked_at == 0
    assert search(connection, GAME, parse("match <= 9223372036854775807"), 50).looked_at == 24


def test_of_a_bot_each_match_says_how_it_ended_for_it(connection: Connection) -> None:
    found = search(connection, GAME, parse("bot = kraken and result = won"), 50)
    assert str(found.of) == "kraken"
    assert {one.own_result for one in found.matches} == {"won"}


def test_unknown_names_are_refused(connection: Connection) -> None:
    with pytest.raises(UnknownName, match="unknown game 'chess'"):
        search(connection, "chess", None, 50)
    with pytest.raises(FilterFault, match="at character 7: it says 'nobody'"):
        search(connection, GAME, parse("bot = nobody"), 50)
    with pytest.raises(UnknownName, match="unknown bot 'settler'"):
        search(connection, GAME, parse("bot = settler"), 50)


def test_a_filter_knows_the_place_of_its_fault() -> None:
    """For whoever shows the filter itself; also where PostgreSQL could not hold a character."""
    for text, place in {
        "bot = kraken and rezult = lost": 18,
        "turns >": 8,
        "reason = 'a\0'": 12,
        "turns = x": 9,
    }.items():
        with pytest.raises(FilterFault) as caught:
            parse(text)
        assert caught.value.place == place
        assert f"at character {place}" in str(caught.value)
    with pytest.raises(FilterFault, match="reason holds a NUL character"):
        listed_matches.wanted_by([("reason", "reason", "=", "\0")], None)


MATCHES = f"/api/v1/games/{GAME}/matches"


def read(site: Served, address: str) -> tuple[list[int], str]:
    """Read a stream; return the numbers of its matches, and the address where it goes on."""
    answer = site.get(address, accept="application/x-ndjson")
    onward = re.fullmatch('<(.*)>; rel="next"', answer.headers["link"])
    assert onward is not None
    return [json.loads(line)["id"] for line in answer.text.splitlines()], onward[1]


def pair_of(connection: Connection, versions: tuple[VersionId, VersionId], seed: int = 5) -> tuple[MatchId, MatchId]:
    first, second = insert_battle(connection, leagues.leagues(connection, GAME)[0].id, versions, seed=seed)
    return first, second


@pytest.fixture
def own_pool(services: Running, with_small_ladder: tuple[str, SmallLadder]) -> Iterator[Pool]:
    with cloned(services, with_small_ladder[0]) as name, opened(services, name, most=8) as pool:
        yield pool


def test_a_reader_who_goes_on_misses_no_match_and_reads_none_twice(own_pool: Pool, small_ladder: SmallLadder) -> None:
    """Low numbers may end last, and may be committed after higher ones."""
    from tests.web.a_ladder import record_as, records_of

    versions = small_ladder.versions["kraken@v2"], small_ladder.versions["wahoo@v1"]
    found = records_of(GAME, 1, 1)[0]
    with serving(own_pool) as site:
        before, _ = read(site, MATCHES)
        first, second = within(own_pool, pair_of, versions, found.seed)
        with transaction(own_pool) as late:
            low = pair_of(late, versions, found.seed)  # their numbers are taken, and nobody sees them yet
            high = within(own_pool, pair_of, versions, found.seed)
            record_as(own_pool, high[1], found, is_hostile=False)
            numbers, onward = read(site, MATCHES)
            assert numbers == [*before, high[1]]
        for match_id in (low[1], first, high[0]):
            record_as(own_pool, match_id, found, is_hostile=False)
        numbers, onward = read(site, onward)
        assert numbers == [first, low[1], high[0]]
        assert read(site, onward)[0] == []
        for match_id in (second, low[0]):
            record_as(own_pool, match_id, found, is_hostile=False)
        assert read(site, f"{onward}&where=match+%3E+{second}")[0] == [low[0]]
        assert read(site, f"{onward}&since={low[0]}")[0] == [low[0]]
        assert read(site, onward)[0] == [second, low[0]]


def test_a_place_where_no_stream_goes_on_is_refused(site: Served) -> None:
    of_another_list = site.get(f"{MATCHES}?limit=1").json()["next"]
    no_reach = "WyJzdHJlYW0gb2YgbWF0Y2hlcyBvZiBvY2Vhbi1vZi1jb2RlIiwgIjEuMi0iXQ"
    for cursor in ("nonsense", no_reach, of_another_list):
        answer = site.get(f"{MATCHES}?cursor={cursor}", accept="application/x-ndjson")
        assert answer.status_code == 422, cursor
        assert "is of no place in the stream of matches of ocean-of-code" in answer.json()["detail"]


def test_a_reach_leaves_no_open_number_out_and_stays_small() -> None:
    draw = random.Random(1)
    for count in (0, 1, 19, 20, 21, 500):
        numbers = sorted(draw.sample(range(1, 3000), count))
        spans = spans_of(numbers)
        assert len(spans) <= match_search.MOST_SPANS
        assert all(any(begin <= number <= end for begin, end in spans) for number in numbers)
        found = Reach(3000, spans)
        assert Reach.read(found.text) == found
    assert spans_of([3, 4, 5, 9]) == ((3, 5), (9, 9))
    assert Reach(9, ((3, 5),)).unread(Reach(20)) == [(3, 5), (10, 20)]
    assert Reach(9).unread(Reach(9)) == []


def test_other_text_is_no_reach() -> None:
    for text in ("", "x", "-1", "1.2", "1.2-3.", "1.2-3-4", "9" * 19, "1" + ".1-1" * 21, "\u0661"):
        assert Reach.read(text) is None


def test_numbers_without_a_match_are_open_for_a_thousand_more(
    own_pool: Pool, small_ladder: SmallLadder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction that was undone leaves a hole, which nobody looks at for ever."""
    versions = small_ladder.versions["kraken@v2"], small_ladder.versions["wahoo@v1"]
    with transaction(own_pool) as connection:
        hole = one(connection, "SELECT nextval(pg_get_serial_sequence('matches', 'id'))", {})[0]
        first, second = pair_of(connection, versions)
        assert reach_of(connection, GAME).open == ((hole, second),)
        monkeypatch.setattr(match_search, "LATEST", 2)
        assert reach_of(connection, GAME).open == ((first, second),)
