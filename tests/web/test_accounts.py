"""A served ladder: who is let in, by which ways, and what is refused."""

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import islice, product
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from psycopg.sql import SQL, Identifier

from ladder import actions, audit
from ladder.access import Actor, Role, Scope
from ladder.accounts import accounts, passwords
from ladder.actions.accounts import disable, invite, join_code, reset
from ladder.actions.tokens import WantedToken, create, revoke
from ladder.database.connection import Pool, transaction
from ladder.errors import AskedTooOften, QuotaUsed
from ladder.quotas.rules import Quota
from ladder.settings import Rates, WebSettings, web_settings_from
from ladder.web import watcher
from ladder.web.forms import own_place
from ladder.web.identity import SESSION, Limit, RequestLimits
from ladder.web.problems import problem_of
from tests.ladder.arena import rows_of, within
from tests.ladder.rated import change
from tests.patience import patience_s, wait_until
from tests.web.serving import Served, serving

OLGA = Actor("olga", Role.OPERATOR)
PASSWORD = "correct horse battery"  # noqa: S105 - of nobody
PUBLIC = "http://localhost:8210"
WEB = web_settings_from(
    {"LADDER_WEB_MODE": "served", "LADDER_PUBLIC_URL": PUBLIC, "LADDER_TRUSTED_PROXIES": "10.0.0.0/8"}
)
SHORT = {"password": "short", "again": "short"}
GRANT = "urn:ietf:params:oauth:grant-type:device_code"


@dataclass
class Visit:
    """A browser at a served ladder. It keeps cookies itself, as it has no TLS here. `address`: as a proxy says."""

    site: Served
    name: str
    cookies: dict[str, str] = field(default_factory=dict[str, str])
    address: str = ""

    def ask(self, method: str, path: str, form: Mapping[str, str] | None = None, **headers: str) -> httpx.Response:
        sent = {"Host": "localhost:8210", "Cookie": "; ".join(f"{name}={text}" for name, text in self.cookies.items())}
        sent |= {"X-Forwarded-For": self.address} if self.address else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.site.client.request(method, path, data=form, headers=sent)
        for line in answer.headers.get_list("set-cookie"):
            name, _, rest = line.partition("=")
            value = rest.partition(";")[0].strip('"')
            assert {"secure", "httponly", "samesite=lax", "path=/"} <= set(rest.lower().split("; ")), line
            self.cookies[name] = value
        return answer

    def post(self, path: str, page: str | None = None, **fields: str) -> httpx.Response:
        shown = self.ask("GET", page or path)
        found = re.search(r'name="form_token" value="(\w+)"', shown.text)
        assert found, shown.text
        return self.ask("POST", path, {"form_token": found[1], **fields})


@pytest.fixture
def served(pool: Pool) -> Iterator[Served]:
    with serving(pool, None, web=WEB) as site:
        yield site


@pytest.fixture
def kim(served: Served, pool: Pool) -> Visit:
    visit = Visit(served, "kim")
    done = visit.post(f"/join/{invite(OLGA, pool, 'kim').secret}", password=PASSWORD, again=PASSWORD)
    assert (done.status_code, done.headers["location"]) == (303, "/account"), done.text
    return visit


def actions_of(pool: Pool, name: str) -> list[str]:
    return [line.action for line in within(pool, audit.latest, 50, name)]


def test_somebody_who_has_not_logged_in_sees_the_login_and_nothing_else(served: Served) -> None:
    visit = Visit(served, "x")
    sent = visit.ask("GET", "/games/ocean-of-code?a=1")
    assert (sent.status_code, sent.headers["location"]) == (303, "/login?next=%2Fgames%2Focean-of-code%3Fa%3D1")
    refused = visit.ask("GET", "/api/v1/status").json()
    assert (refused["status"], refused["exit_status"]) == (401, 3)
    assert refused["detail"] == f"log in at {PUBLIC}/login, or show a token: {PUBLIC}/account makes one"
    assert [visit.ask("GET", path).status_code for path in ("/login", "/static/style.css", "/healthz")] == [200] * 3
    assert visit.ask("GET", "/join").status_code == 404, "registration is not open"


def test_a_member_of_a_team_logs_in_alone_and_acts_as_the_team(served: Served, pool: Pool) -> None:
    anna = Visit(served, "anna")
    link = f"/join/{invite(OLGA, pool, 'anna', team='kraken').secret}"
    assert re.search("anna.*, a member of .*kraken", anna.ask("GET", link).text)
    assert anna.post(link, password=PASSWORD, again=PASSWORD).headers["location"] == "/account"
    assert re.search("<h1>.*anna.*of kraken.*</h1>", anna.ask("GET", "/account").text)
    known = anna.ask("GET", "/api/v1/me").json()
    assert (known["player"], known["member"], known["role"]) == ("kraken", "anna", "player")
    form = {"name": "ci", "scope_submit": "1", "days": "3"}
    found = re.search("ldr_[A-Za-z0-9_-]{43}", anna.post("/account/tokens", "/account", **form).text)
    assert found
    program = Visit(served, "a program").ask("GET", "/api/v1/me", Authorization=f"Bearer {found[0]}").json()
    assert (program["player"], program["member"], program["token"]) == ("kraken", "anna", "ci")
    assert actions_of(pool, "anna") == ["token create", "account new"]
    changed = {"before": PASSWORD, "password": "another long password", "again": "another long password"}
    assert anna.post("/account/password", "/account", **changed).status_code == 303
    again = f"/join/{reset(OLGA, pool, 'anna').secret}"
    disable(OLGA, pool, "kraken", "cheated")
    assert anna.ask("GET", again).status_code == 404, "nobody gets in by a link of a team that is disabled"
    assert anna.ask("GET", "/account").status_code == 303
    gone = Visit(served, "a program").ask("GET", "/api/v1/me", Authorization=f"Bearer {found[0]}").json()
    assert (gone["status"], "cheated" in gone["detail"]) == (401, True)


def test_a_link_makes_one_account_which_its_password_logs_in(served: Served, pool: Pool, kim: Visit) -> None:
    assert "kim" in kim.ask("GET", "/account").text
    assert kim.ask("GET", "/").status_code == 200
    link = f"/join/{invite(OLGA, pool, 'mia').secret}"
    mia = Visit(served, "mia")
    assert "12 to 200 characters" in mia.post(link, **SHORT).text
    assert "the two passwords differ" in mia.post(link, password=PASSWORD, again=PASSWORD + "x").text
    assert mia.post(link, password=PASSWORD, again=PASSWORD).status_code == 303
    again = Visit(served, "again")
    assert again.post("/login", name="MIA", password=PASSWORD, next="/guide").headers["location"] == "/guide"
    assert "mia" in again.ask("GET", "/account").text
    assert actions_of(pool, "mia") == ["login", "account new"]
    ann, link = Visit(served, "ann"), f"/join/{invite(OLGA, pool, 'ann', Role.OPERATOR).secret}"
    ann.post(link, password=PASSWORD, again=PASSWORD)
    assert "operate" in ann.ask("GET", "/account").text


def test_a_session_lasts_14_days_and_a_link_7(served: Served, pool: Pool, kim: Visit) -> None:
    found = re.search(r'name="form_token" value="(\w+)"', kim.ask("GET", "/login").text)
    assert found
    cookie = f"{SESSION}={kim.cookies[SESSION]}"
    fields = {"form_token": found[1], "name": "kim", "password": PASSWORD}
    headers = {"Host": "localhost:8210", "Cookie": cookie}
    lines = served.client.post("/login", data=fields, headers=headers).headers.get_list("set-cookie")
    (line,) = [line for line in lines if line.startswith(f"{SESSION}=")]
    assert f"Max-Age={14 * 24 * 3600};" in line
    session = {SESSION: line.partition("=")[2].partition(";")[0]}
    link = f"/join/{invite(OLGA, pool, 'mia').secret}"

    def after(days: int, hours: int) -> tuple[int, int]:
        """Whether the session and the link still let somebody in when that time has passed."""
        with transaction(pool) as connection:
            for table in ("sessions", "invitations"):
                past = SQL("UPDATE {} SET expires_at = expires_at - make_interval(days => %s, hours => %s)")
                connection.execute(past.format(Identifier(table)), [days, hours])
        account = Visit(served, "kim", dict(session)).ask("GET", "/account")
        return account.status_code, Visit(served, "mia").ask("GET", link).status_code

    assert after(6, 23) == (200, 200)
    assert after(0, 1) == (200, 404)
    assert after(6, 23) == (200, 404)
    assert after(0, 1) == (303, 404)


def test_unknown_names_wrong_passwords_and_disabled_accounts_get_the_same_answer(
    served: Served, pool: Pool, kim: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str | None] = []
    fits = passwords.fits

    def counted(password: str, kept: str | None) -> bool:
        checked.append(kept)
        return fits(password, kept)

    monkeypatch.setattr(passwords, "fits", counted)
    mia = Visit(served, "mia")
    mia.post(f"/join/{invite(OLGA, pool, 'mia').secret}", password=PASSWORD, again=PASSWORD)
    disable(OLGA, pool, "mia", "a copy")
    answers = [
        Visit(served, "x").post("/login", name=name, password=password)
        for name, password in (("zoe", PASSWORD), ("kim", "wrong wrong wrong"), ("mia", PASSWORD), ("a\0b", PASSWORD))
    ]
    assert {answer.status_code for answer in answers} == {403}
    assert all("the name or the password is wrong" in answer.text for answer in answers)
    assert len(checked) == 4, "the same work"
    assert mia.ask("GET", "/account").status_code == 303, "a disabled player's session ends at once"
    assert within(pool, accounts.account_called, "zoe") is None, "a refused login makes no account"
    assert actions_of(pool, "zoe") == ["login refused"]


def test_a_new_password_ends_all_other_sessions(served: Served, pool: Pool, kim: Visit) -> None:
    other = Visit(served, "x")
    other.post("/login", name="kim", password=PASSWORD)
    assert (
        "the present password is another one"
        in kim.post("/account/password", "/account", before="x", password=PASSWORD * 2, again=PASSWORD * 2).text
    )
    kim.post("/account/password", "/account", before=PASSWORD, password=PASSWORD * 2, again=PASSWORD * 2)
    assert (kim.ask("GET", "/account").status_code, other.ask("GET", "/account").status_code) == (200, 303)
    Visit(served, "y").post(f"/join/{reset(OLGA, pool, 'kim').secret}", password=PASSWORD, again=PASSWORD)
    assert kim.ask("GET", "/account").status_code == 303


def test_logging_in_begins_a_new_session_whatever_the_browser_had(served: Served, kim: Visit) -> None:
    """A session that somebody else has put into the browser is never one that is logged in."""
    kim.cookies = {SESSION: "chosen-by-a-stranger"}
    kim.post("/login", name="kim", password=PASSWORD)
    assert kim.cookies[SESSION] != "chosen-by-a-stranger"
    before = kim.cookies[SESSION]
    kim.post("/login", name="kim", password=PASSWORD)
    assert Visit(served, "x", {SESSION: before}).ask("GET", "/account").status_code == 303
    kim.post("/logout", "/account")
    assert kim.ask("GET", "/account").status_code == 303


def test_of_a_join_code_each_chooses_a_free_name(served: Served, pool: Pool, kim: Visit) -> None:
    link = f"/join/{join_code(OLGA, pool, 2).secret}"
    visit = Visit(served, "x")
    for name, words in (("KIM", "somebody is called KIM already"), ("a b", "a player&#39;s name is 1 to 39")):
        answer = visit.post(link, name=name, password=PASSWORD, again=PASSWORD)
        assert (answer.status_code, words in answer.text) == (422, True), answer.text
    for name in ("ben", "mia"):
        assert Visit(served, name).post(link, name=name, password=PASSWORD, again=PASSWORD).status_code == 303
    assert visit.ask("GET", link).status_code == 410


def test_a_link_that_was_used_lets_in_whose_answer_was_lost(served: Served, pool: Pool) -> None:
    link = f"/join/{invite(OLGA, pool, 'mia').secret}"
    first, second = Visit(served, "mia"), Visit(served, "mia")
    second.ask("GET", link)
    assert first.post(link, password=PASSWORD, again=PASSWORD).status_code == 303
    words = "this link was used: if it was you, log in, else ask an operator for another one"
    lost = second.post(link, "/login", password=PASSWORD, again=PASSWORD)
    for answer in (second.ask("GET", link), lost):
        assert (answer.status_code, words in answer.text, 'action="/login"' in answer.text) == (410, True, True)
    invite(OLGA, pool, "zoe")
    assert second.ask("GET", link).status_code == 410, "also when other links were made"
    assert second.post("/login", link, name="mia", password=PASSWORD).status_code == 303
    change(pool, "UPDATE invitations SET expires_at = now()")
    assert [second.ask("GET", place).status_code for place in (link, "/join/made-up")] == [404, 404]


def test_who_may_join_is_told_of_a_taken_name_at_once(pool: Pool, kim: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []
    make = passwords.hashed

    def counted(password: str) -> str:
        hashed.append(password)
        return make(password)

    monkeypatch.setattr(passwords, "hashed", counted)
    code = f"/join/{join_code(OLGA, pool, 2).secret}"
    with serving(pool, None, web=replace(WEB, registration="open")) as site:
        for link, name in product((code, "/join"), ("KIM", "a b", "house")):
            answer = Visit(site, "x").post(link, name=name, password=PASSWORD, again=PASSWORD)
            assert answer.status_code == 422, answer.text
        assert hashed == []
        assert Visit(site, "x").post(code, name="ben", password=PASSWORD, again=PASSWORD).status_code == 303
        visit = Visit(site, "x")
        assert "/join" in visit.ask("GET", "/login").text
        assert visit.post("/join", name="zoe", password=PASSWORD, again=PASSWORD).headers["location"] == "/account"
    assert hashed == [PASSWORD] * 2


def test_where_everyone_may_read_only_accounts_need_a_login(pool: Pool) -> None:
    with serving(pool, None, web=replace(WEB, read="everyone")) as site:
        visit = Visit(site, "x")
        statuses = [visit.ask("GET", path).status_code for path in ("/", "/api/v1/status", "/account", "/device")]
    assert statuses == [200, 200, 303, 303]


def test_a_ladder_of_one_person_has_no_such_pages(pool: Pool) -> None:
    with serving(pool, web=WebSettings()) as site:
        assert [site.get(path).status_code for path in ("/login", "/account", "/device", "/join")] == [404] * 4
        assert "/account" not in site.get("/").text


def test_forms_of_other_sites_are_refused(kim: Visit) -> None:
    token = re.search(r'name="form_token" value="(\w+)"', kim.ask("GET", "/account").text)
    assert token
    form = {"form_token": token[1]}
    for headers in (
        {"Origin": "https://evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ):
        assert kim.ask("POST", "/account/sessions", form, **headers).status_code == 403
    for fields in ({}, {"form_token": "0" * 64}, {"form_token": "ä"}):
        answer = kim.ask("POST", "/account/sessions", fields)
        assert (answer.status_code, "not from this ladder" in answer.text) == (403, True)
    assert kim.ask("POST", "/account/sessions", form, Origin=PUBLIC, Sec_Fetch_Site="same-origin").status_code == 303


class TestTokens:
    def test_one_lets_in_or_says_why_and_is_noted_once_a_minute(self, served: Served, pool: Pool, kim: Visit) -> None:
        made = create(Actor("kim"), pool, WantedToken("ci", frozenset({Scope.READ})))
        program = Visit(served, "p")

        def shown(secret: str) -> tuple[int, str]:
            answer = program.ask("GET", "/api/v1/status", Authorization=f"Bearer {secret}")
            return answer.status_code, answer.json().get("detail", "")

        assert shown(made.secret) == (200, "")
        assert shown(made.secret[:-1] + ("a" if made.secret[-1] != "a" else "b")) == (401, "this token is unknown")
        assert shown("0" * 64)[1].startswith("this is not a token")
        assert program.ask("GET", "/account", Authorization=f"Bearer {made.secret}").status_code == 403
        latest = rows_of(pool, "SELECT last_used_at IS NOT NULL, last_used_from FROM tokens")
        assert latest == [(True, "127.0.0.1")]

        def used(ago: str) -> bool:
            """Whether a use is written down where the last one was so long ago."""
            change(pool, "UPDATE tokens SET last_used_at = now() - %s::interval", ago)
            before = rows_of(pool, "SELECT last_used_at FROM tokens")
            assert shown(made.secret)[0] == 200
            return rows_of(pool, "SELECT last_used_at FROM tokens") != before

        assert [used(ago) for ago in ("0 s", "20 s", "61 s")] == [False, False, True]
        revoke(Actor("kim"), pool, "kim", "ci")
        assert shown(made.secret) == (401, "this token is revoked")

    def test_one_in_the_wrong_place_lets_nobody_in(self, served: Served, pool: Pool, kim: Visit) -> None:
        """An address, a cookie and a body can be kept in places that others read."""
        made = create(Actor("kim"), pool, WantedToken("ci", frozenset({Scope.READ, Scope.PLAY})))
        program = Visit(served, "p")
        asked = [
            *(program.ask("GET", f"/api/v1/me?{name}={made.secret}") for name in ("token", "access_token", "key")),
            Visit(served, "p", {SESSION: made.secret}).ask("GET", "/api/v1/me"),
            Visit(served, "p", {"token": made.secret}).ask("GET", "/api/v1/me"),
            program.ask("GET", "/api/v1/me", X_Token=made.secret),
            program.ask("POST", "/api/v1/acts/retire", {"token": made.secret, "access_token": made.secret}),
        ]
        assert [answer.status_code for answer in asked] == [401] * 7
        assert {answer.json()["exit_status"] for answer in asked} == {3}
        assert all("or show a token" in answer.json()["detail"] for answer in asked)
        assert program.ask("GET", "/api/v1/me", Authorization=f"Bearer {made.secret}").status_code == 200

    def test_the_account_page_makes_one_shows_it_once_and_revokes_it(self, kim: Visit) -> None:
        fields = {"name": "ci", "scope_submit": "1", "scope_play": "1", "days": "30", "bot": "kraken"}
        secret = re.search(r"ldr_[\w-]{43}", kim.post("/account/tokens", "/account", **fields).text)
        assert secret
        later = kim.ask("GET", "/account")
        assert secret[0] not in later.text
        assert secret[0][-4:] in later.text
        assert later.headers["cache-control"] == "no-store"
        for bad in (
            {"days": "x"},
            {"days": "400"},
            {"name": "a b"},
            {"scope_submit": "", "scope_play": ""},
            {"game": "x"},
        ):
            answer = kim.post("/account/tokens", "/account", **(fields | {"name": "other"} | bad))
            assert (answer.status_code, 'role="alert"' in answer.text) == (422, True), bad
        kim.post("/account/tokens/revoke", "/account", name="ci")
        assert secret[0][-4:] not in kim.ask("GET", "/account").text


class TestHooks:
    def test_the_account_page_adds_one_shows_its_secret_once_tries_it_and_removes_it(self, kim: Visit) -> None:
        fields = {"url": "https://example.org/hook/abcd", "event_promoted": "1", "event_verdict": "1", "form": "json"}
        added = kim.post("/account/hooks", "/account", **fields).text
        secret = re.search(r"shown only now: <code>([\w-]{43})</code>", added)
        assert secret
        later = kim.ask("GET", "/account").text
        assert secret[1] not in later
        assert all(words in later for words in ("https://example.org/…abcd", "promoted, verdict"))
        (hook,) = set(re.findall(r'name="hook" value="(\d+)"', later))
        for page, bad, status in (
            ("/account/hooks", fields | {"url": "ftp://example.org"}, 422),
            ("/account/hooks", {"url": fields["url"]}, 422),
            ("/account/hooks/remove", {"hook": "x"}, 422),
            ("/account/hooks/test", {"hook": "999999"}, 422),
            ("/account/hooks/sell", {"hook": hook}, 404),
        ):
            assert kim.post(page, "/account", **bad).status_code == status, bad
        assert kim.post("/account/hooks/test", "/account", hook=hook).headers["location"] == "/account#notices"
        assert "not tried yet" in kim.ask("GET", "/account").text
        kim.post("/account/hooks/remove", "/account", hook=hook)
        assert "example.org/…" not in kim.ask("GET", "/account").text


class TestDeviceGrant:
    """RFC 8628: a program asks, a person answers in a browser."""

    def asked(self, program: Visit, **fields: str) -> dict[str, Any]:
        answer = program.ask("POST", "/oauth/device", {"client_id": "ladder on nelly", **fields})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def collected(self, program: Visit, code: str) -> dict[str, Any]:
        return dict(program.ask("POST", "/oauth/token", {"grant_type": GRANT, "device_code": code}).json())

    def waited(self, pool: Pool) -> None:
        change(pool, "UPDATE device_grants SET polled_at = polled_at - interval '5 seconds'")

    def test_a_program_gets_its_token_once_when_its_user_agrees(self, served: Served, pool: Pool, kim: Visit) -> None:
        program = Visit(served, "p")
        asked = self.asked(program)
        assert re.fullmatch(r"[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}", asked["user_code"])
        assert (asked["interval"], asked["expires_in"], asked["verification_uri"]) == (5, 600, f"{PUBLIC}/device")
        code = asked["device_code"]
        assert self.collected(program, code) == {"error": "authorization_pending"}
        assert self.collected(program, code) == {"error": "slow_down"}
        place = urlsplit(asked["verification_uri_complete"])
        assert asked["user_code"] in kim.ask("GET", f"{place.path}?{place.query}").text
        shown = kim.post("/device", code=asked["user_code"].lower().replace("-", " "))
        for words in ("ladder on nelly", "127.0.0.1", "submit versions", f"<code>{asked['user_code']}</code>"):
            assert words in shown.text
        assert "do what operators do" not in shown.text
        assert "may act as" in kim.post("/device", code=asked["user_code"], answer="yes").text
        self.waited(pool)
        token = self.collected(program, code)
        assert (token["token_type"], token["scope"]) == ("Bearer", "play read submit")
        assert token["expires_in"] == 90 * 24 * 3600
        assert program.ask("GET", "/api/v1/status", Authorization=f"Bearer {token['access_token']}").status_code == 200
        self.waited(pool)
        assert self.collected(program, code) == {"error": "invalid_grant"}, "a device code is used once"
        assert actions_of(pool, "kim")[:2] == ["token create", "device grant"]

    def test_it_gets_none_when_its_user_refuses_or_time_is_over(self, served: Served, pool: Pool, kim: Visit) -> None:
        program = Visit(served, "p")
        denied, late = self.asked(program), self.asked(program)
        assert "was turned away" in kim.post("/device", code=denied["user_code"], answer="no").text
        assert self.collected(program, denied["device_code"]) == {"error": "access_denied"}
        change(pool, "UPDATE device_grants SET expires_at = now()")
        assert "no program waits with that code" in kim.post("/device", code=late["user_code"]).text
        assert self.collected(program, late["device_code"]) == {"error": "expired_token"}
        assert self.collected(program, "x") == {"error": "invalid_grant"}
        assert program.ask("POST", "/oauth/token", {}).json() == {"error": "unsupported_grant_type"}
        assert program.ask("POST", "/oauth/device", {"scope": "fly"}).json() == {"error": "invalid_scope"}
        assert program.ask("POST", "/oauth/device", {"client_id": "x" * 61}).json()["error"] == "invalid_request"

    @pytest.mark.usefixtures("one_minute")
    def test_a_player_tries_five_codes_and_no_sixth(self, kim: Visit) -> None:
        statuses = [kim.post("/device", code=f"BBBB-BBB{letter}").status_code for letter in "BCDFGH"]
        assert statuses == [422] * 5 + [429]


def test_only_the_public_name_is_answered(served: Served) -> None:
    for host in ("localhost:9", "127.0.0.1:8210", "evil.example", ""):
        answer = Visit(served, "x").ask("GET", "/login", Host=host)
        assert (answer.status_code, PUBLIC in answer.text) == (421, True)
    assert Visit(served, "x").ask("GET", "/healthz", Host="10.1.2.3").status_code == 200


def test_a_body_that_is_too_long_is_refused_before_it_is_read(served: Served) -> None:
    answer = Visit(served, "x").ask("POST", "/login", {"password": "x" * 1_000_000})
    assert (answer.status_code, "more than 32768 bytes" in answer.text) == (422, True)


def test_the_word_of_a_proxy_counts_and_that_of_anybody_else_does_not(served: Served, pool: Pool, kim: Visit) -> None:
    made = create(Actor("kim"), pool, WantedToken("ci", frozenset({Scope.READ})))
    headers = {"Authorization": f"Bearer {made.secret}", "X_Forwarded_For": "192.0.2.7"}
    Visit(served, "p").ask("GET", "/api/v1/status", None, **headers)
    assert rows_of(pool, "SELECT last_used_from FROM tokens") == [("127.0.0.1",)]
    with serving(
        pool, None, web=replace(WEB, proxies=web_settings_from({"LADDER_TRUSTED_PROXIES": "127.0.0.1"}).proxies)
    ) as site:
        change(pool, "UPDATE tokens SET last_used_at = NULL")
        Visit(site, "p").ask("GET", "/api/v1/status", None, **headers | {"X_Forwarded_For": "10.9.9.9, 192.0.2.7"})
    assert rows_of(pool, "SELECT last_used_from FROM tokens") == [("192.0.2.7",)]


def test_a_login_leads_to_no_other_site() -> None:
    for place in ("//evil.example", "https://evil.example", "/\\evil.example", "", "/a\nb", "javascript:x"):
        assert own_place(place) == "/", place


def test_logins_and_requests_are_counted_for_each_address_and_name() -> None:
    limits = RequestLimits(Rates())
    for limit, most in ((Limit.LOGINS_OF, 5), (Limit.LOGINS_FROM, 120), (Limit.WRITES, 60), (Limit.READS, 600)):
        for _ in range(most):
            limits.count(limit, "kim")
        with pytest.raises(AskedTooOften) as refused:
            limits.count(limit, "kim")
        found = problem_of(refused.value)
        assert (found.status, "Retry-After" in found.headers) == (429, True)
        limits.count(limit, "mia")


def test_what_goes_beyond_a_quota_is_refused_and_the_account_page_shows_use_and_quota(pool: Pool, kim: Visit) -> None:
    actions.accounts.change_quotas(OLGA, pool, "kim", {Quota.TOKENS: 1, Quota.CPU_S_PER_DAY: None})
    wanted = {"scope_read": "1", "days": "30"}
    assert kim.post("/account/tokens", "/account", name="one", **wanted).status_code == 200
    refused = kim.post("/account/tokens", "/account", name="two", **wanted)
    assert "kim may have 1 tokens; 1 are used" in refused.text
    rows = re.findall(
        r'<tr><th scope="row">([^<]+)</th><td class="number">(\d+)</td><td class="number">([^<]+)</td>', refused.text
    )
    assert ("tokens", "1", "1") in rows
    assert ("CPU seconds a day", "0", "none") in rows


def test_a_used_up_quota_is_429_and_says_when_it_is_possible() -> None:
    for wait_s, headers in ((61.2, {"Retry-After": "62"}), (None, {})):
        problem = problem_of(QuotaUsed("kim may ...", None, wait_s))
        assert (problem.status, problem.exit_status, problem.headers) == (429, 3, headers)


@pytest.mark.parametrize("read", ["players", "everyone"])
def test_a_stream_ends_with_the_session_of_its_player_unless_everybody_may_read(
    pool: Pool, read: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "PERIOD_S", 0.1)
    with serving(pool, None, web=replace(WEB, read=read)) as site, ExitStack() as open_ones:
        kim, mia = Visit(site, "kim"), Visit(site, "mia")
        streams = []
        for visit in (kim, mia):
            visit.post(f"/join/{invite(OLGA, pool, visit.name).secret}", password=PASSWORD, again=PASSWORD)
            cookie = {"Host": "localhost:8210", "Cookie": f"{SESSION}={visit.cookies[SESSION]}"}
            stream = site.client.stream("GET", "/api/v1/events?topic=home", headers=cookie, timeout=patience_s())
            lines = open_ones.enter_context(stream).iter_lines()
            streams.append(line for line in lines if line.startswith("data:"))
        assert [next(data) for data in streams] == ['data: ["home"]'] * 2
        disable(OLGA, pool, "kim", "a copy")
        heard = ['data: ["home"]']
        assert next(streams[1]) == heard[0], "others follow on"
        assert [*islice(streams[0], 1)] == ([] if read == "players" else heard)


def test_a_player_follows_changes_with_four_pages_at_once_and_no_more(served: Served, pool: Pool, kim: Visit) -> None:
    cookie = {"Host": "localhost:8210", "Cookie": f"{SESSION}={kim.cookies[SESSION]}"}
    with ExitStack() as pages:
        for _ in range(4):
            stream = served.client.stream("GET", "/api/v1/events?topic=home", headers=cookie)
            assert pages.enter_context(stream).status_code == 200
        refused = kim.ask("GET", "/api/v1/events?topic=home")
        assert (refused.status_code, refused.json()["exit_status"]) == (429, 3)
        assert "4 of your pages follow changes already" in refused.json()["detail"]
        elsewhere = {**cookie, "X-Forwarded-For": "203.0.113.9"}
        with served.client.stream("GET", "/api/v1/events?topic=home", headers=elsewhere) as answer:
            assert answer.status_code == 429, "the player counts, not the address"
        mia = Visit(served, "mia")
        mia.post(f"/join/{invite(OLGA, pool, 'mia').secret}", password=PASSWORD, again=PASSWORD)
        own = {**cookie, "Cookie": f"{SESSION}={mia.cookies[SESSION]}"}
        with served.client.stream("GET", "/api/v1/events?topic=home", headers=own) as answer:
            assert answer.status_code == 200, "another player at the same address"
    wait_until(lambda: kim.ask("HEAD", "/api/v1/events?topic=home").status_code != 429, "the end of the others")
