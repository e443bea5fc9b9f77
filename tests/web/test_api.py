"""The same data as JSON: as the commands print it, in lists that go on, as lines, as feeds; and what is refused."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest

from engine.game import Games
from ladder.database.connection import Connection, Pool, open_pool, transaction
from ladder.errors import DatabaseDown
from ladder.ids import MatchId
from ladder.views import match_search
from tests.acceptance.conftest import Desk
from tests.catalogue import GAMES
from tests.conftest import cloned, opened, url_of
from tests.ladder.arena import within
from tests.patience import patience_s
from tests.web.a_ladder import HOSTILE_NOTE, HOSTILE_STDERR, BusyLadder, SmallLadder, play_recorded
from tests.web.serving import Served, serving
from workers.embedded.state_file import Running

GAME = "ocean-of-code"
OF_GAME = f"/api/v1/games/{GAME}"
ATOM = {"atom": "http://www.w3.org/2005/Atom"}


@pytest.fixture(scope="module")
def site(busy_site: Served) -> Served:
    return busy_site


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, services: Running, busy_ladder_pool: Pool) -> Desk:
    return desk_at(tmp_path_factory.mktemp("desk") / "home", services, busy_ladder_pool)


def desk_at(home: Path, services: Running, pool: Pool) -> Desk:
    return Desk(home, {"LADDER_DATABASE_URL": url_of(services, pool), "LADDER_BROKER_URL": services.broker_url})


def body(site: Served, path: str) -> Any:
    answer = site.get(path)
    assert answer.status_code == 200, f"{path}: {answer.text}"
    return answer.json()


def in_order(value: object) -> str:
    return json.dumps(value, sort_keys=True)


BODIES = [
    (f"{OF_GAME}/bots/kraken", f"bot show kraken --game {GAME}"),
    (f"{OF_GAME}/bots/kraken@v1", f"bot show kraken@v1 --game {GAME}"),
    (f"{OF_GAME}/bots/kraken/why", f"bot why kraken --game {GAME}"),
    ("/api/v1/matches/1", "match show 1"),
    ("/api/v1/matches/1/replay", "match view 1"),
    ("/api/v1/gauntlets/1", "gauntlet show 1"),
    ("/api/v1/gauntlets/2", "gauntlet show 2"),
    ("/api/v1/gauntlets/3", "gauntlet show 3"),
]
LISTS = [
    ("/api/v1/games", "game list"),
    (f"{OF_GAME}/leagues/wood-2/board", f"board --game {GAME} --league wood-2"),
    (f"{OF_GAME}/bots", f"bot list --game {GAME}"),
    (f"{OF_GAME}/versus?a=kraken", f"bot versus kraken --game {GAME}"),
    (f"{OF_GAME}/versus?a=kraken&b=wahoo", f"bot versus kraken wahoo --game {GAME}"),
    (f"{OF_GAME}/matches", f"match list --limit 100 --game {GAME}"),
    (f"{OF_GAME}/matches?bot=kraken&where=result%20%3D%20lost", f"match list --bot kraken --lost --game {GAME}"),
    (f"{OF_GAME}/seasons", f"season list --game {GAME}"),
    ("/api/v1/gauntlets", "gauntlet list"),
]


def test_a_route_has_the_body_that_its_command_prints(site: Served, desk: Desk) -> None:
    for path, command in BODIES:
        printed = json.loads(desk.run(*command.split(), "--json").stdout)
        found = body(site, path)
        if printed.get("state") == "running":
            assert found.pop("elapsed_s") >= printed.pop("elapsed_s") > 0, path
        assert in_order(found) == in_order(printed), path


def test_a_gauntlet_is_junit_too(site: Served, desk: Desk, busy_ladder: BusyLadder, tmp_path: Path) -> None:
    number, file = busy_ladder.gauntlets["finished"], tmp_path / "gauntlet.xml"
    desk.run("gauntlet", "show", str(number), "--junit", file)
    answer = site.get(f"/api/v1/gauntlets/{number}/junit")
    assert (answer.headers["content-type"], answer.text) == ("application/xml", file.read_text())
    refused = site.get(f"/api/v1/gauntlets/{busy_ladder.gauntlets['variants']}/junit")
    assert (refused.status_code, refused.json()["title"]) == (422, "usage")


def test_the_boards_of_a_closed_season_are_those_that_the_command_prints(
    services: Running, with_small_ladder: tuple[str, SmallLadder], tmp_path: Path
) -> None:
    with cloned(services, with_small_ladder[0]) as name, opened(services, name) as pool, serving(pool) as site:
        desk = desk_at(tmp_path / "home", services, pool)
        desk.ok("season", "close", GAME, "--yes", "--now")
        printed = json.loads(desk.ok("season", "show", GAME, "1", "--json"))
        assert in_order(body(site, f"{OF_GAME}/seasons/1")["items"]) == in_order(printed)
        first = body(site, f"{OF_GAME}/seasons/1?limit=2")
        assert first["items"] + body(site, f"{OF_GAME}/seasons/1?cursor={first['next']}")["items"] == printed
        assert {row["league"] for row in body(site, f"{OF_GAME}/seasons/1?league=wood-2")["items"]} == {"wood-2"}
        seasons = body(site, f"{OF_GAME}/seasons?limit=1")
        assert [season["number"] for season in seasons["items"]] == [1]
        assert [one["number"] for one in body(site, f"{OF_GAME}/seasons?cursor={seasons['next']}")["items"]] == [2]


def test_ratings_and_times_of_a_bot_are_those_of_its_page(site: Served) -> None:
    """As many points as it has rated matches, and what its turns took."""
    history = body(site, f"{OF_GAME}/bots/kraken/ratings")
    assert len(history["points"]) == history["matches"] == 24
    timing = body(site, f"{OF_GAME}/bots/kraken@v1/timing")
    assert sum(one["turns"] for one in timing["bins"]) == timing["turns"] > 0


def test_a_list_has_the_rows_that_its_command_prints(site: Served, desk: Desk) -> None:
    for path, command in LISTS:
        found = body(site, path)
        assert in_order(found["items"]) == in_order(json.loads(desk.ok(*command.split(), "--json"))), path
        assert found["next"] is None, path


def test_the_status_is_null_where_only_the_home_knows_it(site: Served, desk: Desk) -> None:
    found, printed = body(site, "/api/v1/status"), json.loads(desk.ok("status", "--json"))
    known_at_home = {"home", "supervisor", "starting", "queue"}
    assert {name: found[name] for name in known_at_home} == dict.fromkeys(known_at_home)
    assert {**found, **{name: printed[name] for name in known_at_home}} == printed


def test_the_pages_of_a_list_together_are_the_list(site: Served) -> None:
    for path, least in (
        ("/api/v1/games", 2),
        (f"{OF_GAME}/bots", 8),
        (f"{OF_GAME}/leagues/wood-2/board", 3),
        (f"{OF_GAME}/matches", 24),
        (f"{OF_GAME}/matches?bot=kraken&where=not%20result%20%3D%20lost", 5),
        (f"{OF_GAME}/versus?a=kraken", 1),
        (f"{OF_GAME}/versus?a=kraken&b=wahoo@v1", 2),
        (f"{OF_GAME}/matches?where=rated%20%3D%20no", 20),
        ("/api/v1/gauntlets", 3),
        ("/api/v1/gauntlets?bot=kraken", 3),
    ):
        sign = "&" if "?" in path else "?"
        rows, after = [], ""
        while True:
            found = body(site, f"{path}{sign}limit=2{after}")
            assert len(found["items"]) <= 2, path
            rows += found["items"]
            if found["next"] is None:
                break
            after = f"&cursor={found['next']}"
        assert rows == body(site, f"{path}{sign}limit=500")["items"]
        assert len(rows) >= least, path


def test_matches_recorded_meanwhile_move_no_page(services: Running, with_small_ladder: tuple[str, SmallLadder]) -> None:
    """A cursor leads to the row after the one that it was given with, whatever was recorded since."""
    template, made = with_small_ladder
    both = [made.versions["kraken@v2"], made.versions["wahoo@v1"]]
    with cloned(services, template) as name, opened(services, name) as pool, serving(pool) as site:
        before = body(site, f"{OF_GAME}/matches?limit=500")["items"]
        first = site.get(f"{OF_GAME}/matches?limit=5")
        play_recorded(pool, GAME, both, 1)
        rest = body(site, f"{OF_GAME}/matches?limit=500&cursor={first.json()['next']}")
        assert first.json()["items"] + rest["items"] == before
        again = site.get(f"{OF_GAME}/matches?limit=5", if_none_match=first.headers["etag"])
        assert again.status_code == 200
        unchanged = site.get(f"{OF_GAME}/matches?limit=5", if_none_match=again.headers["etag"])
        assert (unchanged.status_code, unchanged.content) == (304, b"")


def over(busy: BusyLadder) -> list[int]:
    return [*busy.small.matches[GAME], *busy.void]


def test_all_matches_are_lines_the_lowest_numbers_first(site: Served, busy_ladder: BusyLadder) -> None:
    answer = site.get(f"{OF_GAME}/matches", accept="application/x-ndjson")
    assert answer.headers["content-type"] == "application/x-ndjson"
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert [match["id"] for match in found] == over(busy_ladder)
    assert found[::-1] == body(site, f"{OF_GAME}/matches?limit=500")["items"]
    later = site.get(f"{OF_GAME}/matches?bot=kraken@v2&since=20", accept="application/x-ndjson").text
    expected = [match for match in over(busy_ladder)[12:] if match >= 20]
    assert [json.loads(line)["id"] for line in later.splitlines()] == expected
    assert site.get(f"{OF_GAME}/matches?where=seed%3D0", accept="application/x-ndjson").text == ""


def test_a_stream_reads_few_matches_at_a_time(
    busy_ladder_pool: Pool, monkeypatch: pytest.MonkeyPatch, busy_ladder: BusyLadder
) -> None:
    """Each in a transaction that ends before the next, so it takes no more memory for more matches."""
    open_now: list[int] = []

    @contextmanager
    def reading() -> Iterator[Connection]:
        open_now.append(1)
        with transaction(busy_ladder_pool) as connection:
            yield connection
        open_now.pop()

    monkeypatch.setattr(match_search, "MATCHES_AT_ONCE", 4)
    monkeypatch.setattr(match_search, "RANGE", 10)
    parts = []
    course = within(busy_ladder_pool, match_search.course_of, GAME, None, MatchId(1))
    for part in match_search.stream(reading, course):
        assert not open_now
        parts.append([listed.match.id for listed in part])
    assert parts[0] == []  # whoever reads has an answer before anything is looked for
    assert max(map(len, parts)) == 4
    assert [number for part in parts for number in part] == over(busy_ladder)


def test_a_stream_that_breaks_is_not_taken_for_whole(site: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = match_search.read_some, []

    def read_some(*given: Any) -> Any:
        calls.append(given)
        if len(calls) > 1:
            raise DatabaseDown("the database does not answer")
        return real(*given)

    monkeypatch.setattr(match_search, "MATCHES_AT_ONCE", 4)
    monkeypatch.setattr(match_search, "read_some", read_some)
    read: list[str] = []
    asked = {"accept": "application/x-ndjson"}
    with (
        pytest.raises(httpx.RemoteProtocolError),
        site.client.stream("GET", f"{OF_GAME}/matches", headers=asked) as answer,
    ):
        read.extend(answer.iter_lines())
    assert 0 < len(read) <= 4
    assert site.get("/healthz").status_code == 200


def test_a_finished_replay_is_known_unchanged_without_being_made(site: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    first = site.get("/api/v1/matches/1/replay")
    monkeypatch.setattr("ladder.web.viewer_context.watch_match", None)
    again = site.get("/api/v1/matches/1/replay", if_none_match=first.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]


def test_what_a_seat_was_sent_and_wrote_is_plain_text(site: Served, desk: Desk, busy_ladder: BusyLadder) -> None:
    assert site.get("/api/v1/matches/1/seats/0/input").text == desk.ok("match", "input", "1", "--seat", "0")
    last = busy_ladder.small.matches[GAME][-1]
    both = [site.get(f"/api/v1/matches/{last}/seats/{seat}/stderr") for seat in (0, 1)]
    assert {answer.headers["content-type"] for answer in both} == {"text/plain; charset=utf-8"}
    assert any(answer.text.endswith(HOSTILE_STDERR) for answer in both)


def test_feeds_are_atom_whatever_notes_hold(site: Served) -> None:
    for path in (f"{OF_GAME}/bots/kraken/feed.atom", f"{OF_GAME}/leagues/wood-2/feed.atom"):
        first, again = site.get(path), site.get(path)
        assert first.headers["content-type"] == "application/atom+xml", path
        assert first.content == again.content, path
        feed = ElementTree.fromstring(first.text)  # noqa: S314 - our own
        entries = feed.findall("atom:entry", ATOM)
        ids = [entry.findtext("atom:id", "", ATOM) for entry in [feed, *entries]]
        assert len(set(ids)) == len(ids) >= 3, path
        assert all(found.startswith("urn:uuid:") for found in ids), path
        titles = [entry.findtext("atom:title", "", ATOM) for entry in entries]
        notes = [title for title in titles if title.startswith("kraken@v2 was accepted: </script><img")]
        assert len(notes) == 1, path
        assert HOSTILE_NOTE not in notes[0], path
        assert any(
            re.fullmatch(r"kraken@v2 has (passed|failed|neither passed nor failed) gauntlet 1", one) for one in titles
        ), path
        assert all(entry.findtext("atom:updated", "", ATOM).endswith("+00:00") for entry in entries), path


PROBLEMS = [
    ("/api/v1/nothing", 404, "there is no such page"),
    ("/api/v1/games/chess", 404, "unknown game 'chess'; known: ocean-of-code, ice-and-fire"),
    (f"{OF_GAME}/leagues/mud/board", 404, "unknown league"),
    (f"{OF_GAME}/bots/nobody", 404, "unknown bot 'nobody'"),
    (f"{OF_GAME}/bots/kraken@v99", 404, "kraken"),
    (f"{OF_GAME}/bots/kraken@x", 404, "names no version"),
    (f"{OF_GAME}/bots/%00", 404, "the character 0"),
    (f"{OF_GAME}/bots/..%2F..%2Fetc", 404, ""),
    (f"{OF_GAME}/bots/%ff%fe", 404, "unknown bot"),
    (f"{OF_GAME}/bots/{'x' * 500}", 422, "bot has 500 characters; it can have 100 at most"),
    (f"{OF_GAME}/versus", 422, "a is missing"),
    (f"{OF_GAME}/versus?a=kraken&b=wahoo@v9", 404, "wahoo"),
    ("/api/v1/matches/999999", 404, "there is no match 999999"),
    ("/api/v1/matches/0", 422, "number is 0; it must be at least 1"),
    ("/api/v1/matches/-3", 422, "number is -3; it must be at least 1"),
    (f"/api/v1/matches/{'9' * 30}", 422, "it must be at most 9223372036854775807"),
    ("/api/v1/matches/kraken", 422, "number is kraken; it must be a whole number"),
    ("/api/v1/matches/1/seats/2/input", 422, "the match has the seats 0 to 1, and no seat 2"),
    ("/api/v1/matches/1/seats/0/input?to=9999", 422, "has turns 1 to"),
    ("/api/v1/gauntlets/7", 404, "there is no gauntlet 7"),
    ("/api/v1/gauntlets?game=chess", 422, "say `bot` too"),
    (f"{OF_GAME}/seasons/1", 409, "season 1"),
    (f"{OF_GAME}/seasons/99", 404, "99"),
    (f"{OF_GAME}/bots?limit=0", 422, "limit is 0; it must be at least 1"),
    (f"{OF_GAME}/bots?limit=501", 422, "limit is 501; it must be at most 500"),
    (f"{OF_GAME}/bots?limit=many", 422, "limit is many; it must be a whole number"),
    (f"{OF_GAME}/bots?cursor=%00", 404, "the character 0"),
    (f"{OF_GAME}/bots?cursor=WyJib3RzIG9mIG9jZWFuLW9mLWNvZGUiLCAiXHUwMDAwIl0", 422, "is of no place in the bots"),
    (f"{OF_GAME}/bots?cursor={'x' * 10_000}", 422, "cursor has 10000 characters"),
    (f"{OF_GAME}/matches?where={'x' * 10_000}", 422, "where has 10000 characters; it can have 2000 at most"),
    (f"{OF_GAME}/matches?where=turns%20%3E", 422, "cannot read the filter at character 8: it ends where"),
    (f"{OF_GAME}/matches?where=bot%3Dnobody", 422, "nobody"),
    (f"{OF_GAME}/matches?bot=nobody", 422, "nobody"),
    (f"{OF_GAME}/leagues/wood-2/board?cursor=3:abc:1", 422, "is not a place on a board"),
]


def test_what_cannot_be_answered_is_a_problem(site: Served) -> None:
    for (path, status, sentence), accept in product(PROBLEMS, ("application/json", "application/x-ndjson")):
        answer = site.get(path, accept=accept)
        kind = answer.headers["content-type"]
        assert (answer.status_code, kind) == (status, "application/problem+json"), (path, answer.text)
        found = answer.json()
        assert set(found) == {"type", "title", "status", "detail", "exit_status"}
        assert sentence in found["detail"], path
        assert (found["status"], found["exit_status"]) == (status, 3 if status == 409 else 2), path


def test_a_cursor_of_another_list_is_refused(site: Served) -> None:
    bots = body(site, f"{OF_GAME}/bots?limit=1")["next"]
    for path in ("/api/v1/games/ice-and-fire/bots", f"{OF_GAME}/matches", "/api/v1/gauntlets"):
        answer = site.get(f"{path}?cursor={bots}")
        assert (answer.status_code, answer.json()["title"]) == (422, "usage"), answer.text
    board = body(site, f"{OF_GAME}/leagues/wood-2/board?limit=1")["next"]
    answer = site.get(f"{OF_GAME}/leagues/gold/board?cursor={board}")
    assert answer.status_code == 422
    assert "is a place on another board than that of Gold" in answer.json()["detail"]


def test_nothing_can_be_written(site: Served) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        for path in ("/api/v1/status", f"{OF_GAME}/bots/kraken", "/healthz"):
            answer = site.client.request(method, path)
            assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD"), method
            assert answer.headers["content-type"] == "application/problem+json", method


def test_a_head_has_the_headers_of_its_body(site: Served) -> None:
    for path in ("/api/v1/status", "/api/v1/nothing", f"{OF_GAME}/matches"):
        head, whole = site.client.head(path), site.get(path)
        assert (head.status_code, head.content) == (whole.status_code, b""), path
        assert head.headers.get("etag") == whole.headers.get("etag"), path


def test_who_asks_for_health_learns_that_the_database_is_down_without_a_key(tmp_path: Path) -> None:
    nowhere = open_pool(f"postgresql://ladder@/ladder?host={tmp_path}", most=1, wait_s=0.2)
    with serving(nowhere) as site, httpx.Client(base_url=site.address, timeout=patience_s()) as anybody:
        answer = anybody.get("/healthz")
        assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
        assert int(answer.headers["retry-after"]) > 0
        assert "the database does not answer" in answer.json()["detail"]
        assert answer.json()["exit_status"] == 4
    nowhere.close()


def test_health_needs_no_key(site: Served) -> None:
    with httpx.Client(base_url=site.address, timeout=patience_s()) as anybody:
        assert anybody.get("/healthz").json() == {"database": "answers"}


def test_a_fault_of_ours_is_a_problem_and_the_next_answer_comes(
    site: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from ladder.web.api import routes
    from ladder.web.app import HEADERS

    monkeypatch.setattr(routes, "listed_games", None)
    for _ in range(3):
        answer = site.get("/api/v1/games")
        assert (answer.status_code, answer.json()["exit_status"]) == (500, 1)
        assert "Traceback" not in answer.text
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert "is not callable" in caplog.text


def test_an_answer_is_sent_at_once(site: Served) -> None:
    """No body waits until its head is confirmed, for which the system takes 40 ms."""

    def shortest(method: str) -> float:
        times = []
        for _ in range(15):
            began = time.perf_counter()
            site.client.request(method, "/api/v1/games")
            times.append(time.perf_counter() - began)
        return min(times)

    assert shortest("GET") - shortest("HEAD") < 0.04 / 2


def test_every_kind_of_answer_is_known_again_and_packed(site: Served) -> None:
    for path in (
        f"{OF_GAME}/bots",
        f"{OF_GAME}/bots/kraken/feed.atom",
        "/api/v1/gauntlets/1/junit",
        "/api/v1/openapi.json",
    ):
        first = site.get(path)
        assert first.headers["content-encoding"] == "gzip", path
        again = site.get(path, if_none_match=first.headers["etag"])
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"]), path


def test_a_match_that_was_not_played_is_shown_as_far_as_it_goes(site: Served, busy_ladder: BusyLadder) -> None:
    number = busy_ladder.void[0]
    assert body(site, f"/api/v1/matches/{number}")["state"] == "void"
    replay = body(site, f"/api/v1/matches/{number}/replay")
    assert (replay["turns"], replay["fault"]) == ([], "it is void; nothing of it was recorded")
    sent = site.get(f"/api/v1/matches/{number}/seats/0/input")
    assert (sent.status_code, sent.json()["title"]) == (409, "refused")
    assert site.get(f"/api/v1/matches/{number}/seats/0/stderr").text == ""


def test_a_match_of_a_game_that_is_not_here_is_shown_without_its_turns_being_replayed(busy_ladder_pool: Pool) -> None:
    """Its board and its lists are read from the database alone."""
    without = Games(tuple(game for game in GAMES.all if game.name != GAME), {})
    with serving(busy_ladder_pool, games=without) as site:
        assert body(site, "/api/v1/matches/1")["said"]
        assert len(body(site, f"{OF_GAME}/leagues/wood-2/board")["items"]) >= 3
        assert len(body(site, f"{OF_GAME}/matches")["items"]) >= 24
        for path in (OF_GAME, "/api/v1/matches/1/replay", "/api/v1/matches/1/seats/0/input"):
            answer = site.get(path)
            assert (answer.status_code, answer.json()["title"]) == (404, "unknown"), answer.text
            assert f"unknown game '{GAME}'" in answer.json()["detail"]
