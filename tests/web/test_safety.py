"""Which requests are let in, from which hosts, and the headers of every answer."""

import httpx

from ladder.version import VERSION
from ladder.web.app import HEADERS
from tests.patience import patience_s
from tests.web.serving import KEY, Served


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
            assert [client.get("/", headers=shown).status_code for shown in (bearer, *cookies)] == [401, 401, 401], (
                wrong
            )


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
