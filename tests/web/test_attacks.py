"""Who is let in, what people try who mean harm, and a ladder of which more is asked than it can do."""

import logging
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from threading import Event, current_thread
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from engine.errors import UsageFault
from ladder.access import Actor, Role, Scope
from ladder.accounts import passwords
from ladder.actions.accounts import invite, join_code
from ladder.actions.tokens import WantedToken, create
from ladder.bots.players import player_id
from ladder.database.connection import Pool, transaction
from ladder.errors import DatabaseDown, ForOperators, Overloaded
from ladder.settings import RATES, Rates, web_settings_from
from ladder.version import VERSION
from ladder.web.app import HEADERS
from ladder.web.identity import SESSION, RequestLimits
from ladder.web.problems import problem_of
from ladder.web.rendering import IS_SERVED, OPERATES
from ladder.web.server import Connections, connected
from tests.ladder.arena import players, rows_of, within
from tests.patience import patience_s, wait_until
from tests.web.everybody import GAME, WEB, Body, Everybody
from tests.web.serving import KEY, Served, serving
from tests.web.test_accounts import Visit


def anybody(site: Served) -> httpx.Client:
    return httpx.Client(base_url=site.address, timeout=patience_s())


def test_nobody_is_let_in_without_the_key(site: Served) -> None:
    for path in ("/", "/api/v1/status", "/static/style.css", "/nothing"):
        with anybody(site) as client:
            answer = client.get(path)
        assert answer.status_code == 401, path
        assert "/home/kim/.ladder/web.key" in answer.text, path


def test_a_wrong_key_opens_nothing(site: Served) -> None:
    for wrong in (KEY.text[:-1], KEY.text + "0", KEY.text.upper(), "0"):
        bearer = {"Authorization": f"Bearer {wrong}"}
        cookies = [{"Cookie": f"{KEY.cookie_name}={text}"} for text in (wrong, KEY.text)]
        with anybody(site) as client:
            assert client.get("/", params={"key": wrong}).status_code == 401
            assert [client.get("/", headers=shown).status_code for shown in (bearer, *cookies)] == [401] * 3, wrong


def test_the_key_in_an_address_is_exchanged_for_a_cookie(site: Served) -> None:
    with anybody(site) as client:
        answer = client.get(f"/games/ocean-of-code/leagues/wood-3?key={KEY.text}&after=9")
        assert (answer.status_code, answer.headers["location"]) == (303, "/games/ocean-of-code/leagues/wood-3?after=9")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert KEY.text not in cookie
        assert client.get("/static/style.css").status_code == 200


def test_the_exchange_leads_to_no_other_host(site: Served) -> None:
    """An address that begins with two slashes would be another host's."""
    with anybody(site) as client:
        answer = client.get(f"{site.address}//elsewhere.example/?key={KEY.text}")
    assert answer.headers["location"] == "/elsewhere.example/"


def test_other_names_of_this_machine_are_not_answered(site: Served) -> None:
    """A stranger's page that leads its own name here reads nothing, not even with the key."""
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "[::2]"):
        assert site.get("/static/style.css", host=host).status_code == 421


def test_every_answer_has_the_headers_that_keep_it_safe(site: Served) -> None:
    for path in ("/static/style.css", "/nothing", "/games/ocean-of-code/leagues/wood-3", "/api/v1/nothing"):
        answer = site.get(path)
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS, path
        assert answer.headers["ladder-version"] == VERSION, path
        assert answer.headers["referrer-policy"] == "same-origin", "an address with a secret is no other site's to know"
        policy = answer.headers["content-security-policy"].split("; ")
        assert {"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} <= set(
            policy
        ), path
        assert answer.headers["x-content-type-options"] == "nosniff", path


OLGA = Actor("olga", Role.OPERATOR)
BOTS = f"/api/v1/games/{GAME}/bots"
LONGEST = 39
INJECTED = "\r\nSet-Cookie: theirs=1\r\n"
ODD_NAMES = (
    *("\0", "kim\0", "\0" * LONGEST, INJECTED, "a\r\nb", "\x1b[31mred", "a/../b", "..", "'; DROP TABLE players; --"),
    *(sign * LONGEST for sign in ("é", "\u202e", "\u200b", "😀", "ﷺ", "\x7f", "%", "<", '"', "&", " ", "-", ".", "_")),
    *("<b>", "{{7*7}}", "${7}", "%00", "%0d%0aSet-Cookie:x=1", "kim ", "K\u0131m", "k\u0456m"),
)
"""Of 39 signs, which is as long as a name can be, and shorter ones."""


def test_a_made_up_session_opens_nothing(everybody: Everybody) -> None:
    for cookie in ("x", "0" * 64, "ldr_" + "x" * 43, "x" * 43, "../../x", '"', "%00", "x" * 8000):
        everybody.headers["forged"] = {"Cookie": f"{SESSION}={cookie}"}
        assert everybody.ask("forged", "get", "/api/v1/me").status_code == 401, cookie
        assert everybody.ask("forged", "get", "/account").status_code in {303, 401}, cookie
        answer = everybody.ask("forged", "post", "/api/v1/tokens", {"name": "x", "scopes": ["play"]})
        assert answer.status_code == 401, cookie


def test_the_hash_that_is_stored_of_a_session_is_none(everybody: Everybody) -> None:
    rows = rows_of(everybody.pool, "SELECT encode(hash, 'hex'), encode(hash, 'base64') FROM sessions")
    assert rows
    for one in chain.from_iterable(rows):
        everybody.headers["forged"] = {"Cookie": f"{SESSION}={quote(one)}"}
        assert everybody.ask("forged", "get", "/api/v1/me").status_code == 401


def test_an_odd_name_is_no_players(everybody: Everybody) -> None:
    for name in ODD_NAMES:
        before = players(everybody.pool)
        answer = everybody.ask("operator", "post", "/api/v1/players", {"name": name})
        assert (answer.status_code, answer.json()["exit_status"]) == (422, 2), answer.text
        assert "\n" not in answer.json()["detail"], name
        answer = everybody.ask("operator", "patch", f"/api/v1/players/{quote(name, safe='')}", {"role": "operator"})
        assert answer.status_code in {404, 405, 422}, answer.text
        assert players(everybody.pool) == before, name


def test_an_odd_name_is_not_chosen_by_those_who_join(everybody: Everybody) -> None:
    link = f"/join/{join_code(OLGA, everybody.pool, 3).secret}"
    shown = everybody.ask("nobody", "get", link)
    (token,) = set(re.findall(r'name="form_token" value="(\w+)"', shown.text))
    before = players(everybody.pool)
    everybody.headers["joining"] = {"Cookie": shown.headers["set-cookie"].partition(";")[0]}
    for name in ODD_NAMES:
        fields = {"form_token": token, "name": name, "password": "correct horse", "again": "correct horse"}
        answer = everybody.send("joining", link, fields)
        assert answer.status_code == 422, (name, answer.text)
    assert players(everybody.pool) == before


def test_a_name_adds_no_header_to_an_answer(everybody: Everybody) -> None:
    sent = quote(INJECTED, safe="")
    asked: list[tuple[str, str, Body]] = [
        ("post", f"{BOTS}/{sent}/versions", {"source": "# x", "language": "python"}),
        ("post", f"{BOTS}/x/versions", {"source": "# x", "language": "python", "note": INJECTED}),
        ("post", "/api/v1/tokens", {"name": INJECTED, "scopes": ["play"]}),
        *(
            ("get", path.replace("NAME", sent), None)
            for path in (f"{BOTS}/NAME", f"{BOTS}/NAME/feed.atom", "/games/NAME")
        ),
        *(("get", path.replace("NAME", sent), None) for path in (f"/games/{GAME}/bots/NAME", "/r/NAME", "/join/NAME")),
        *(("get", path.replace("NAME", sent), None) for path in ("/account?next=NAME", "/login?next=/NAME", "/NAME")),
    ]
    for method, path, body in asked:
        for who in ("session", "nobody"):
            answer = everybody.ask(who, method, path, body)
            assert answer.status_code < 500, (who, path, answer.text)
            assert "theirs" not in answer.headers.get("set-cookie", ""), (who, path)
            assert not [name for name in answer.headers if "theirs" in name], (who, path)


@pytest.fixture
def few(pool: Pool) -> Iterator[Served]:
    """A served ladder that takes three requests of each kind in a minute from an address or a player."""
    with serving(pool, None, web=replace(WEB, rates=Rates(reads=3, writes=3))) as site:
        yield site


@pytest.mark.usefixtures("one_minute")
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_address_that_asks_too_often_is_put_off_and_others_are_not(few: Served, method: str) -> None:
    def ask(address: str, method: str = method) -> httpx.Response:
        headers = {"Host": "localhost:8210", "X-Forwarded-For": address}
        return few.client.request(method, "/api/v1/tokens", headers=headers)

    assert [ask("203.0.113.1").status_code for _ in range(4)] == [401, 401, 401, 429]
    refused = ask("203.0.113.1")
    assert int(refused.headers["retry-after"]) > 0
    assert (refused.json()["title"], refused.json()["exit_status"]) == ("too many", 3)
    assert ask("203.0.113.2").status_code == 401, "another address"
    assert ask("203.0.113.1", "POST" if method == "GET" else "GET").status_code == 401, "other kinds are counted apart"


@pytest.mark.usefixtures("one_minute")
def test_who_has_logged_in_is_counted_by_player_and_not_by_address(everybody: Everybody) -> None:
    with serving(everybody.pool, None, web=replace(WEB, rates=Rates(reads=2))) as site:

        def ask(who: str, address: str = "203.0.113.1") -> int:
            headers = {"Host": "localhost:8210", "X-Forwarded-For": address, **everybody.headers[who]}
            return site.client.get("/api/v1/me", headers=headers).status_code

        assert [ask(who) for who in ("nobody", "revoked", "expired")] == [401, 401, 429], "nobody, from one address"
        assert [ask("owner"), ask("session", "203.0.113.2"), ask("owner", "203.0.113.3")] == [200, 200, 429]
        assert ask("another player") == 200, "another player at the address of those"


def test_a_class_behind_one_address_joins_and_logs_in_at_once(pool: Pool) -> None:
    """Thirty pupils open their links and log in again, each with a typing error before, within a minute."""
    password = "correct horse battery"  # noqa: S105 - of nobody
    pupils = [f"pupil{number}" for number in range(30)]
    links = {name: f"/join/{invite(OLGA, pool, name).secret}" for name in pupils}
    with serving(pool, None, web=WEB) as site:

        def statuses(name: str) -> list[int]:
            joined = Visit(site, name).post(links[name], password=password, again=password)
            other = Visit(site, name)
            wrong, right = (other.post("/login", name=name, password=given) for given in ("x" * 12, password))
            return [joined.status_code, wrong.status_code, right.status_code]

        with ThreadPoolExecutor(len(pupils)) as at_once:
            assert list(at_once.map(statuses, pupils)) == [[303, 403, 303]] * len(pupils)


def test_how_much_the_pages_answer_is_a_setting() -> None:
    for name in RATES:
        assert getattr(web_settings_from({name: "7"}).rates, RATES[name]) == 7
        assert web_settings_from({name: ""}).rates == Rates()
        for word in ("0", "-1", "x", "1.5", "\u0664", "9" * 5000):
            with pytest.raises(UsageFault, match=f"{name} is '.*'; it must be a positive number$"):
                web_settings_from({name: word})


@pytest.mark.usefixtures("one_minute")
def test_guessing_is_bounded_for_an_account_and_from_an_address(pool: Pool) -> None:
    with serving(pool, None, web=replace(WEB, rates=Rates(logins=7))) as site:

        def tried(name: str, address: str = "203.0.113.1") -> int:
            return Visit(site, name, address=address).post("/login", name=name, password="x" * 12).status_code

        assert [tried("kim", f"203.0.113.{number}") for number in range(10, 16)] == [403] * 5 + [429]
        assert [tried(f"other{number}") for number in range(8)] == [403] * 7 + [429]


LOGINS = 60
"""More than the pages have threads."""
OVERLOAD = "more people ask at once than this ladder can answer: try again in a few seconds"
BOARD = "/games/ocean-of-code/leagues/wood-2"
EVERYONE = replace(WEB, read="everyone")


class Checks:
    """Passwords that are being checked for as long as a test wants."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked, self.threads, self.may_end = 0, set[str](), Event()
        in_turn = RequestLimits.in_turn

        def fits(_password: str, _kept: str | None) -> bool:
            self.threads.add(current_thread().name)
            return not self.may_end.wait()

        async def counted(limits: RequestLimits, *work: Any) -> Any:
            self.asked += 1
            return await in_turn(limits, *work)

        monkeypatch.setattr(passwords, "fits", fits)
        monkeypatch.setattr(RequestLimits, "in_turn", counted)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Checks:
    return Checks(monkeypatch)


@contextmanager
def logins(site: Any, checks: Checks, most: int) -> Iterator[list[Future[int]]]:
    """Let that many people log in, each with a name of their own, whose passwords wait while the block lasts."""

    def log_in(number: int) -> int:
        return Visit(site, "x").post("/login", name=f"pupil{number}", password="x" * 12).status_code

    with ThreadPoolExecutor(most) as browsers:
        try:
            done = [browsers.submit(log_in, number) for number in range(most)]
            wait_until(lambda: checks.asked, "the logins", fits=most.__eq__)
            yield done
        finally:
            checks.may_end.set()


def test_boards_are_answered_while_sixty_logins_wait(pool: Pool, checks: Checks) -> None:
    with serving(pool, None, web=EVERYONE) as site, logins(site, checks, LOGINS) as waiting:
        for _ in range(3):
            assert Visit(site, "x").ask("GET", BOARD).status_code == 200
        assert not [one for one in waiting if one.done()], "all of them wait still"
    assert {one.result() for one in waiting} == {403}
    assert len(checks.threads) == passwords.AT_ONCE
    assert all(name.startswith("password") for name in checks.threads)


def test_more_than_may_wait_are_asked_to_come_again(pool: Pool, checks: Checks) -> None:
    web = replace(WEB, rates=Rates(waiting_logins=3))
    with serving(pool, None, web=web) as site, logins(site, checks, 3) as waiting:
        refused = Visit(site, "x").post("/login", name="late", password="x" * 12)
        assert (refused.status_code, refused.headers["retry-after"], OVERLOAD in refused.text) == (503, "5", True)
        assert "LADDER" not in refused.text
        assert "refresh" not in refused.headers, "a form is not sent again by itself"
        assert "data-retry" not in refused.text
    assert [one.result() for one in waiting] == [403] * 3


@contextmanager
def all_in_use(connections: Connections) -> Iterator[None]:
    """Let all connections be in use for the block, in which nobody waits long for one."""
    with transaction(connections) as connection:
        connection.execute("SELECT 1")
        usual, connections._pool.timeout = connections._pool.timeout, 0.2
        yield
        connections._pool.timeout = usual


def test_an_overload_is_not_called_a_lost_database(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ladder.events")
    with connected(database_url, 1) as connections:
        with all_in_use(connections):
            for _ in range(2):
                with pytest.raises(Overloaded, match="all 1 connections of the pages"), transaction(connections):
                    raise AssertionError("no connection is free")
        assert [record.getMessage() for record in caplog.records] == ["pages_overloaded"], "once a minute"
        with transaction(connections) as connection:
            connection.execute("SELECT 1")


def test_a_lost_database_is_not_called_an_overload(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ladder.events")
    with connected(f"{database_url}&port=1", 1) as connections, pytest.raises(DatabaseDown), transaction(connections):
        raise AssertionError("there is no connection")
    assert [record.getMessage() for record in caplog.records] == ["database_lost"]


def test_under_overload_players_read_words_for_players(pool: Pool, database_url: str) -> None:
    within(pool, player_id, "kim")
    token = create(Actor("kim"), pool, WantedToken("ci", frozenset({Scope.READ}))).secret
    with connected(database_url, 1) as connections, serving(connections, None, web=EVERYONE) as site:
        assert Visit(site, "x").ask("GET", BOARD).status_code == 200
        with all_in_use(connections):
            for headers in ({}, {"Authorization": f"Bearer {token}"}):
                for path in (BOARD, "/api/v1/status"):
                    answer = Visit(site, "x").ask("GET", path, None, **headers)
                    assert (answer.status_code, OVERLOAD in answer.text) == (503, True), answer.text
                    assert "LADDER_" not in answer.text


def test_players_read_nothing_that_only_operators_can_mend() -> None:
    words, kinds = "is LADDER_DATABASE_URL right?", list[Any](ForOperators.__subclasses__())
    assert kinds
    for kind in kinds:
        assert problem_of(kind(words)).detail == words, "who is alone operates"
        served, operates = IS_SERVED.set(True), OPERATES.set(True)
        assert problem_of(kind(words)).detail == words
        OPERATES.reset(operates)
        assert problem_of(kind(words)).detail == kind.for_players
        IS_SERVED.reset(served)
