"""Looking for matches in bounded steps: what is found, and where the search goes on."""

from collections.abc import Iterator

import pytest

from engine.errors import UnknownName
from ladder.database.connection import Connection, Pool, transaction
from ladder.errors import FilterFault
from ladder.ids import MatchId
from ladder.matches.filters import parse
from ladder.views import matches
from ladder.views.match_search import FoundMatches, search
from tests.web.a_ladder import SmallLadder

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


@pytest.mark.parametrize(
    "where",
    [
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
    ],
)
def test_a_search_finds_what_the_list_of_matches_finds(connection: Connection, where: str) -> None:
    listed = matches.latest(connection, 500, None, GAME, parse(where)).matches
    assert looked_for(connection, where) == sorted((one.match.id for one in listed), reverse=True)
    assert listed


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


def test_a_rare_filter_is_looked_for_step_by_step(connection: Connection, small_ladder: SmallLadder) -> None:
    rare = parse(f"turns > 1 and (match = {small_ladder.matches[GAME][0]} or turns < 0)")
    below: MatchId | None = None
    steps: list[tuple[int, int]] = []
    while not steps or below is not None:
        found = search(connection, GAME, rare, 50, below, most=10)
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
        matches.wanted_by([("reason", "reason", "=", "\0")], None)
