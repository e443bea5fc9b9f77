"""A served ladder whose players come by TLS, which a proxy ends: nothing leads them to clear text."""

from collections.abc import Iterator

import httpx
import pytest

from ladder.access import Actor, Scope
from ladder.actions.matches import share
from ladder.actions.tokens import WantedToken, create
from ladder.database.connection import Pool
from ladder.settings import web_settings_from
from tests.web.a_busy_ladder import BusyLadder
from tests.web.serving import Served, serving
from tests.web.test_sight import addresses

HOST = "localhost:8210"
WEB = web_settings_from(
    {
        "LADDER_WEB_MODE": "served",
        "LADDER_PUBLIC_URL": f"https://{HOST}",
        "LADDER_WEB_READ": "everyone",
        "LADDER_TRUSTED_PROXIES": "127.0.0.1",
    }
)


class Players:
    """Players who ask for what is there, each from an address of their own."""

    def __init__(self, site: Served, token: str) -> None:
        self.site, self.token, self.asked = site, token, 0

    def get(self, path: str, **headers: str) -> httpx.Response:
        self.asked += 1
        address = f"203.0.{self.asked // 250}.{self.asked % 250}"
        sent = {"Host": HOST, "X-Forwarded-For": address, "Authorization": f"Bearer {self.token}", **headers}
        return self.site.client.get(path, headers=sent)


@pytest.fixture(scope="module")
def players(busy_ladder_pool: Pool) -> Iterator[Players]:
    token = create(Actor("kim"), busy_ladder_pool, WantedToken("ci", frozenset({Scope.READ}))).secret
    with serving(busy_ladder_pool, None, web=WEB) as site:
        yield Players(site, token)


def test_no_answer_names_an_address_in_clear_text(
    players: Players, busy_ladder: BusyLadder, busy_ladder_pool: Pool
) -> None:
    own = busy_ladder.small.matches["ocean-of-code"][-1]
    link = share(Actor("kim"), busy_ladder_pool, own).path
    named = 0
    for path in (*addresses(players.site, busy_ladder), link, "/gauntlets/", "/login/", "/nothing"):
        for kind in ("*/*", "application/x-ndjson"):
            answer = players.get(path, Accept=kind)
            words = f"{dict(answer.headers)} {answer.text}"
            assert f"http://{HOST}" not in words, (path, kind)
            named += f"https://{HOST}" in words
    assert named > 10, "addresses are absolute in some answers"


@pytest.mark.parametrize("path", ["/", "/static/style.css", "/nothing", "/api/v1/status"])
def test_every_answer_tells_browsers_to_stay_with_tls(players: Players, path: str) -> None:
    assert players.get(path).headers["strict-transport-security"] == "max-age=31536000"


def test_a_ladder_without_tls_says_nothing_of_it(site: Served) -> None:
    assert "strict-transport-security" not in site.get("/").headers
