"""What people try who mean harm: made-up cookies, names that are more than names, asking without end."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from urllib.parse import quote

import httpx
import pytest

from engine.errors import UsageFault
from ladder.access import Actor, Role
from ladder.actions.accounts import invite, join_code
from ladder.database.connection import Pool
from ladder.settings import RATES, Rates, web_settings_from
from ladder.web.identity import SESSION
from tests.ladder.arena import players, rows_of
from tests.web.everybody import GAME, WEB, Body, Everybody
from tests.web.serving import Served, serving
from tests.web.test_accounts import Visit

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
    assert ask("203.0.113.1", "POST" if method == "GET" else "GET").status_code == 401, (
        "the other kind is counted apart"
    )


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
            visit = Visit(site, name)
            joined = visit.post(links[name], password=password, again=password)
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
