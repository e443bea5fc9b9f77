"""Pages of matches: the search in bounded steps, one match, two beside each other, those of an imported league."""

import gzip
import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from itertools import product

import pytest

from engine.errors import UnknownName
from engine.game import Games
from engine.text import harmless
from ladder.access import Actor, Role
from ladder.actions.installation import import_league
from ladder.database.connection import Connection, Pool, one, transaction
from ladder.errors import FilterFault
from ladder.ids import MatchId, VersionId
from ladder.imports import psyleague
from ladder.imports.league_import import ImportOrder
from ladder.leagues import leagues
from ladder.matches import matches
from ladder.matches.filters import parse
from ladder.matches.match_rows import match_record
from ladder.matches.record import pack, unpack
from ladder.viewer import page_data, style_of_page
from ladder.views import match_search
from ladder.views import matches as listed_matches
from ladder.views.match_search import FoundMatches, Reach, reach_of, search, spans_of
from ladder.views.turns.match import watch_match
from ladder.web.rendering import MINUS, STATIC
from tests.catalogue import GAMES
from tests.conftest import cloned, opened
from tests.fakes import RememberingQueue
from tests.foreign import a_psyleague_folder
from tests.ladder.arena import GAME, accept_bosses, insert_battle, within
from tests.ladder.rated import change
from tests.web.a_ladder import HOSTILE_STDERR, SmallLadder, record_as, records_of
from tests.web.everybody import Everybody
from tests.web.serving import Served, serving
from workers.embedded.state_file import Running


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
    for cursor in ("nonsense", "WyJzdHJlYW0gb2YgbWF0Y2hlcyBvZiBvY2Vhbi1vZi1jb2RlIiwgIjEuMi0iXQ", of_another_list):
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


SEARCH = f"/games/{GAME}/matches"


def classes(style: str) -> set[str]:
    return set(re.findall(r"\.([a-z][\w-]*)", re.sub(r"/\*.*?\*/|\{[^}]*\}", " ", style, flags=re.DOTALL)))


def text_of(page: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


def matches_on(page: str) -> list[int]:
    return [int(found) for found in re.findall(r'<th scope="row" class="number"><a href="/matches/(\d+)"', page)]


def lost_by_a_crash(small_ladder: SmallLadder) -> MatchId:
    return small_ladder.matches[GAME][-1]


def test_a_search_is_in_its_address(site: Served, small_ladder: SmallLadder) -> None:
    """As form and as text: both find the same, and the page shows what it was asked."""
    by_form = site.get(f"{SEARCH}?bot=kraken&result=lost&longer_than=100")
    by_text = site.get(f"{SEARCH}?where=bot+%3D+kraken+and+result+%3D+lost+and+turns+%3E+100")
    assert matches_on(by_form.text) == matches_on(by_text.text) != []
    assert "bot = kraken and result = lost and turns > 100" in text_of(by_form.text)
    assert 'name="bot" value="kraken"' in by_form.text
    assert '<option value="lost" selected>' in by_form.text
    both = site.get(f"{SEARCH}?opponent=wahoo&where=turns+%3C+100+or+match+%3D+1")
    assert "opponent = wahoo and (turns < 100 or match = 1)" in text_of(both.text)


def test_a_search_of_all_shows_the_latest_and_goes_on(small_ladder_pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.web.pages.search.ROWS", 7)
    with serving(small_ladder_pool) as site:
        seen: list[int] = []
        address: str | None = f"{SEARCH}?opponent=wahoo"
        while address is not None:
            page = site.get(address).text
            seen += matches_on(page)
            onward = re.search(r'<a rel="next" href="([^"]+)">Go on from match (\d+)', page)
            address = None if onward is None else unescape(onward[1])
            assert onward is None or int(onward[2]) == seen[-1]
    assert len(seen) == len(set(seen)) == 24
    assert seen == sorted(seen, reverse=True)


def test_the_first_page_of_a_search_follows_its_ladder(site: Served) -> None:
    (topics,) = re.findall(r'data-topics="([^"]*)"', site.get(f"{SEARCH}?bot=kraken").text)
    assert set(re.findall(r"matches:\d+", topics)) == set(topics.split()) != set()
    assert 'data-topics=""' in site.get(f"{SEARCH}?bot=kraken&before=9").text
    assert 'data-topics=""' in site.get(f"{SEARCH}?where=turns+%3E").text


def test_what_cannot_be_searched_is_refused_with_its_place_which_is_pointed_at(site: Served) -> None:
    for query, words in (
        ("where=bot+%3D+kraken+and+rezult+%3D+lost", "cannot read the filter at character 18: it says 'rezult'"),
        ("where=turns+%3E", "cannot read the filter at character 8: it ends where"),
        (f"where={'x' * 10_000}", "the filter has 10000 characters, the limit is 2000"),
        (f"bot={'x' * 10_000}", '"bot" has 10000 characters, the limit is 2000'),
        ("bot=nobody", "\"bot\" says 'nobody' where a bot"),
        ("bot=settler", "unknown bot 'settler'"),
        ("longer_than=many", "\"longer than\" says 'many' where a whole number"),
        ("fault=%3Cb%3E", "says '<b>'"),
        ("before=0", "must be at least 1"),
        ("before=99999999999999999999999999", "must be at most"),
        ("before=x", "before is x; it must be a whole number"),
    ):
        answer = site.get(f"{SEARCH}?{query}")
        assert answer.status_code == 422, query
        assert words in text_of(answer.text), query
    unknown = site.get("/games/chess/matches")
    assert (unknown.status_code, "unknown game 'chess'" in text_of(unknown.text)) == (404, True)
    page = site.get(f"{SEARCH}?where=bot+%3D+kraken+and+rezult+%3D+lost").text
    (shown,) = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert shown == "bot = kraken and rezult = lost\n                 ^"
    assert 'name="where" value="bot = kraken and rezult = lost"' in page


def test_a_match_says_all_that_is_stored_of_it(site: Served, small_ladder: SmallLadder) -> None:
    match_id = lost_by_a_crash(small_ladder)
    page = site.get(f"/matches/{match_id}").text
    words = text_of(page)
    for said in (
        f"Match {match_id}: crash after 95 turns",
        "fair clock, policy strict; 1000 ms for the first answer, 50 ms for each later one",
        "bubblewrap",
        harmless(HOSTILE_STDERR.strip()),
        "verdict crash",
        "what it was sent",
        f"match {match_id - 1} :",
        "By other versions of these bots",
    ):
        assert said in words
    words = words.replace(MINUS, "-")
    number = r"(-?[\d.]+)"
    changes = re.findall(rf"@v\d {number} ± {number} {number} ± {number} {number} {number} \+?{number}", words)
    assert len(changes) == 2
    assert sorted(float(change[-1]) > 0 for change in changes) == [False, True]
    texts = re.findall(r'href="(/api/v1/matches/[^"]+/seats/[^"]+)"', page)
    assert [text.rpartition("/")[2] for text in texts] == ["input", "stderr"] * 2
    assert {site.get(text).headers["content-type"] for text in texts} == {"text/plain; charset=utf-8"}


def test_a_link_to_a_match_previews_it(site: Served, small_ladder: SmallLadder) -> None:
    match_id = lost_by_a_crash(small_ladder)
    page = site.get(f"/matches/{match_id}").text
    tags = dict(re.findall(r'<meta property="(og:\w+)" content="([^"]*)">', page))
    assert tags["og:title"] == "kraken@v2 beat wahoo@v1 4:0"
    assert tags["og:description"].startswith("crash after 95 turns; ocean-of-code, Wood 2, seed ")
    assert tags["og:url"] == f"{site.address}/matches/{match_id}"


def test_the_viewer_gets_what_the_file_holds(site: Served, small_ladder: SmallLadder, small_ladder_pool: Pool) -> None:
    match_id = small_ladder.matches["ice-and-fire"][0]
    watched = within(small_ladder_pool, watch_match, GAMES, match_id)
    assert site.get(f"/matches/{match_id}/data").json() == json.loads(json.dumps(page_data([watched])))


def test_the_data_of_a_match_are_known_unchanged_without_computing_them(
    site: Served, small_ladder: SmallLadder, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/matches/{small_ladder.matches[GAME][0]}/data"
    etag = site.get(address).headers["etag"]
    monkeypatch.setattr("ladder.web.viewer_context.watch_match", lambda *_, **__: pytest.fail("it is computed"))
    answer = site.get(address, if_none_match=etag)
    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", etag)


def test_a_page_with_all_that_it_needs_is_small(site: Served, small_ladder: SmallLadder) -> None:
    """The longest matches there are; style sheets and script are kept by browsers, and counted all the same."""
    for game in ("ocean-of-code", "ice-and-fire"):
        page = site.get(f"/matches/{small_ladder.matches[game][0]}").text
        needed = re.findall(r'(?:<script type="module" src|<link rel="stylesheet" href| data-from)="([^"]+)"', page)
        parts = [page, *(site.get(unescape(address)).text for address in needed)]
        assert len(parts) >= 5, game
        assert sum(len(gzip.compress(part.encode(), 4)) for part in parts) < 80_000, game


def test_the_viewers_files_are_kept_for_good(site: Served, small_ladder: SmallLadder) -> None:
    page = site.get(f"/matches/{small_ladder.matches[GAME][0]}").text
    script, style = sorted(re.findall(r'"(/static/viewer/[^"]+)"', page))
    for address in (script, style):
        assert "immutable" in site.get(address).headers["cache-control"]
    assert site.get("/static/viewer/games/chess.js").status_code == 404


def test_the_sites_style_sheet_leaves_the_viewer_alone() -> None:
    """They share no name of a class but those that mean the same, and those that the site takes back in the viewer."""
    same, taken_back = {"number", "quiet", "mark"}, {"facts", "now"}
    within_others = {"curve", "limit", "where"}
    of_site = "\n".join(line for line in (STATIC / "style.css").read_text().splitlines() if ".stage" not in line)
    assert classes(of_site) & classes(style_of_page()) <= same | taken_back | within_others


def test_the_viewer_begins_to_look_from_ones_own_seat(everybody: Everybody) -> None:
    given = "UPDATE bots SET player_id = (SELECT id FROM players WHERE name = %s) WHERE name = 'wahoo'"
    assert "data-seat" not in everybody.ask("session", "get", "/matches/1").text, "both seats are kim's"
    change(everybody.pool, given, "olga")
    seat = "SELECT seat FROM seats WHERE match_id = 1 AND version_name(version_id) LIKE %(bot)s"
    (own,) = within(everybody.pool, one, seat, {"bot": "kraken@%"})
    assert f'data-seat="{own}"' in everybody.ask("session", "get", "/matches/1").text
    assert "data-seat" not in everybody.ask("nobody", "get", "/matches/1").text
    change(everybody.pool, given, "kim")


def test_without_script_there_are_the_turns_and_the_curves(site: Served, small_ladder: SmallLadder) -> None:
    match_id = lost_by_a_crash(small_ladder)
    (inside,) = re.findall(r"<noscript>(.*?)</noscript>", site.get(f"/matches/{match_id}").text, re.DOTALL)
    assert inside.count("<tr") == 1 + 95
    assert "MOVE N TORPEDO" in inside
    curves = site.get(f"/matches/{match_id}/curves.svg")
    assert curves.headers["content-type"] == "image/svg+xml"
    assert "Lives" in curves.text
    assert curves.text.count("<polyline") == 4


def test_a_match_that_waits_says_so(site: Served, small_ladder_pool: Pool, small_ladder: SmallLadder) -> None:
    both = small_ladder.versions["kraken@v1"], small_ladder.versions["wahoo@v1"]
    with transaction(small_ladder_pool) as connection:
        league = leagues.leagues(connection, GAME)[0]
        waiting = insert_battle(connection, league.id, both, seed=5)[0]
    page = site.get(f"/matches/{waiting}").text
    assert "cannot be shown turn by turn: it is queued" in text_of(page)
    assert f'data-topics="match:{waiting}"' in page
    assert site.get(f"/compare?a={waiting}&b={waiting}").status_code == 409


def test_a_match_taken_back_shows_the_reason(site: Served, small_ladder: SmallLadder, small_ladder_pool: Pool) -> None:
    match_id = small_ladder.matches[GAME][4]
    before = site.get(f"/matches/{match_id}/data").headers["etag"]
    within(small_ladder_pool, matches.take_back, match_id, "kim", "played with a <broken> map")
    words = text_of(site.get(f"/matches/{match_id}").text)
    assert "void: played with a <broken> map" in words
    assert "taken back by kim" in words
    assert site.get(f"/matches/{match_id}/data").headers["etag"] != before


def test_a_match_is_shown_as_far_as_it_is_there(services: Running, with_small_ladder: tuple[str, SmallLadder]) -> None:
    """On a ladder of its own, as other tests count what is there."""
    template, small_ladder = with_small_ladder
    first, second = small_ladder.matches[GAME][6:8]
    with cloned(services, template) as name, opened(services, name) as pool:
        with transaction(pool) as connection:
            connection.execute("DELETE FROM seats WHERE match_id = %s AND seat = 1", [first])
            connection.execute("UPDATE matches SET record = 'x' WHERE id = %s", [second])
        with serving(pool) as site:
            for match_id, why in {first: "the database has lost rows of it", second: "its turns is damaged"}.items():
                answer = site.get(f"/matches/{match_id}")
                assert answer.status_code == 200
                assert why in text_of(answer.text)
                assert site.get(f"/matches/{match_id}/data").status_code == 409
                assert site.get(f"/matches/{match_id}/curves.svg").status_code == 409
                assert site.get(f"/compare?a={match_id}&b={second}").status_code == 409
                assert site.get(f"/api/v1/matches/{match_id}/replay").status_code == 409


def test_a_match_of_a_game_not_here_shows_what_was_said(small_ladder_pool: Pool, small_ladder: SmallLadder) -> None:
    page = f"/matches/{lost_by_a_crash(small_ladder)}"
    with serving(small_ladder_pool, games=Games((GAMES.find("ice-and-fire"),), {})) as site:
        answer = site.get(page)
        assert answer.status_code == 200
        assert "the game ocean-of-code is not installed here" in text_of(answer.text)
        assert "MOVE N TORPEDO" in answer.text
        assert site.get(f"{page}/data").status_code == 404


def test_a_match_by_other_rules_has_turns_and_no_picture(small_ladder_pool: Pool, small_ladder: SmallLadder) -> None:
    page = f"/matches/{lost_by_a_crash(small_ladder)}"
    with serving(
        small_ladder_pool, games=Games(tuple(replace(game, rules_version=99) for game in GAMES.all), {})
    ) as site:
        assert site.get(page).status_code == 200
        (shown,) = site.get(f"{page}/data").json()["matches"]
        assert "99" in shown["replay"]["fault"]
        assert len(shown["replay"]["turns"]) == 95
        assert site.get(f"{page}/curves.svg").status_code == 200


def test_two_matches_on_one_seed_are_compared(site: Served, small_ladder: SmallLadder) -> None:
    first, second = small_ladder.matches[GAME][-2:]
    answer = site.get(f"/compare?a={first}&b={second}")
    assert "Both matches are the same, turn by turn." in text_of(answer.text)
    assert answer.text.count("<noscript>") == 1
    shown = site.get(f"/compare/data?a={first}&b={second}").json()
    assert [one["name"] for one in shown["matches"]] == [f"match {first}", f"match {second}"]
    assert shown["parting"] is None


def test_the_first_other_turn_is_marked(site: Served, small_ladder: SmallLadder, small_ladder_pool: Pool) -> None:
    first, second = small_ladder.matches["ice-and-fire"][:2]
    with transaction(small_ladder_pool) as connection:
        recording = unpack(match_record(connection, second) or b"")
        turns = list(recording.turns)
        turns[30] = replace(turns[30], line="<b>elsewhere</b>")
        packed = pack(replace(recording, turns=tuple(turns)))
        connection.execute("UPDATE matches SET record = %s WHERE id = %s", [packed, second])
    page = site.get(f"/compare?a={first}&b={second}").text
    words = text_of(page)
    assert f"They first differ in turn 31 , of seat {turns[30].seat}" in words
    assert f"<b>elsewhere</b> in match {second}" in words
    assert re.findall(r'<tr class="marked"><td class="number">(\d+)', page) == ["31", "31"]
    assert site.get(f"/compare/data?a={first}&b={second}").json()["parting"] == {"turn": 31, "seat": turns[30].seat}


def test_matches_on_two_seeds_or_of_two_games_are_refused_with_why(site: Served, small_ladder: SmallLadder) -> None:
    ocean, ice = small_ladder.matches[GAME], small_ladder.matches["ice-and-fire"]
    for first, second in ((ocean[0], ocean[2]), (ocean[0], ice[0])):
        answer = site.get(f"/compare?a={first}&b={second}")
        assert answer.status_code == 422
        assert "only matches on one seed compare" in text_of(answer.text)
    assert site.get(f"/compare?a={ocean[0]}").status_code == 422
    assert site.get(f"/compare?a={ocean[0]}&b=999999").status_code == 404


def test_what_is_no_number_of_a_match_is_refused(site: Served) -> None:
    routes = ("/matches/{}", "/matches/{}/data", "/matches/{}/curves.svg", "/compare?a={}&b=1")
    for route, number in product(routes, ("0", "-1", "x", "1e3", "9" * 30, "9223372036854775808")):
        assert site.get(route.format(number)).status_code == 422, (route, number)


@pytest.fixture(scope="module")
def imported_site(services: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    league = psyleague.read(a_psyleague_folder(tmp_path_factory.mktemp("psyleague")), {})
    with cloned(services, "ladder") as name, opened(services, name, most=8) as pool:
        import_league(Actor("kim", Role.OPERATOR), pool, RememberingQueue(), ImportOrder(GAME, (2,), league))
        accept_bosses(pool)
        with serving(pool) as served:
            yield served


def test_pages_show_what_is_known_and_say_what_is_not(imported_site: Served) -> None:
    latest, level, first = matches_on(imported_site.get(f"/games/{GAME}/matches").text)
    page = text_of(imported_site.get(f"/matches/{first}").text)
    assert (
        "This match cannot be shown turn by turn: it was imported from psyleague and has no record of its turns ."
        in page
    )
    assert "tron_v1@v1 2nd : 1st tron_v2@v1" in page
    assert "verdict fault of unknown kind" in page
    assert "map = big , depth = 3" in page
    assert "seed unknown" in text_of(imported_site.get(f"/matches/{level}").text)
    assert "on record" in text_of(imported_site.get(f"/games/{GAME}/bots/wasp").text)
    version = text_of(imported_site.get(f"/games/{GAME}/bots/tron_v2/v/1").text)
    assert "imported from psyleague , where it was tron_v2" in version
    assert "wasp@v1" in text_of(imported_site.get(f"/matches/{latest}").text)


def test_no_address_of_what_was_imported_is_broken(imported_site: Served) -> None:
    latest, level, first = matches_on(imported_site.get(f"/games/{GAME}/matches").text)
    bots = [f"/games/{GAME}/bots/{bot}" for bot in ("wasp", "tron_v2")]
    shown = [
        *(f"/matches/{match}" for match in (latest, level, first)),
        *(bot + part for bot in bots for part in ("", "/v/1")),
        f"/games/{GAME}",
        f"/games/{GAME}/versus?a=wasp&b=tron_v2",
        f"/games/{GAME}/matches?where=fault+%3D+unknown",
        *(f"/api/v1/matches/{match}" for match in (latest, level, first)),
        *(f"/api/v1{bot}{part}" for bot in bots for part in ("", "/ratings", "/timing")),
        f"/api/v1/games/{GAME}/bots/tron_v2/why",
        f"/api/v1/games/{GAME}/matches",
        f"/api/v1/games/{GAME}/versus?a=wasp&b=tron_v2",
    ]
    for address in shown:
        assert imported_site.get(address).status_code == 200, address
    without_record = [
        *(f"/matches/{first}/{part}" for part in ("data", "curves.svg")),
        f"/api/v1/matches/{first}/replay",
        f"/api/v1/matches/{first}/seats/0/input",
        f"/compare?a={latest}&b={level}",
    ]
    for address in without_record:
        answer = imported_site.get(address)
        assert (answer.status_code, "it has no record of its turns" in answer.text) == (409, True), address
