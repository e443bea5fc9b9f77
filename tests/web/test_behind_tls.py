"""A served ladder whose players come by TLS, which a proxy ends: nothing leads them to clear text."""

import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen

import httpx
import pytest

from ladder.access import Actor, Scope
from ladder.actions.matches import share
from ladder.actions.tokens import WantedToken, create
from ladder.database.connection import Pool
from ladder.settings import web_settings_from
from tests.acceptance.conftest import LADDER, Desk
from tests.patience import patience_s
from tests.web.a_busy_ladder import BusyLadder
from tests.web.serving import Served, serving
from tests.web.test_sight import addresses
from tests.web.test_tls import served_at

HOST = "localhost:8210"
WEB = web_settings_from(
    {
        "LADDER_WEB_MODE": "served",
        "LADDER_PUBLIC_URL": f"https://{HOST}",
        "LADDER_WEB_READ": "everyone",
        "LADDER_READS_PER_MINUTE": "100000",
    }
)


STREAMS = "/api/v1/games/ocean-of-code/matches"
"""What is sent as lines, too."""


class Player:
    """A player who asks for what is there."""

    def __init__(self, site: Served, token: str) -> None:
        self.site, self.token = site, token

    def get(self, path: str, **headers: str) -> httpx.Response:
        sent = {"Host": HOST, "Authorization": f"Bearer {self.token}", **headers}
        return self.site.client.get(path, headers=sent)


@pytest.fixture(scope="module")
def player(busy_ladder_pool: Pool) -> Iterator[Player]:
    token = create(Actor("kim"), busy_ladder_pool, WantedToken("ci", frozenset({Scope.READ}))).secret
    with serving(busy_ladder_pool, None, web=WEB) as site:
        yield Player(site, token)


def test_no_answer_names_an_address_in_clear_text(
    player: Player, busy_ladder: BusyLadder, busy_ladder_pool: Pool
) -> None:
    own = busy_ladder.small.matches["ocean-of-code"][-1]
    link = share(Actor("kim"), busy_ladder_pool, own).path
    named = 0
    for path in (*addresses(player.site, busy_ladder), link, "/gauntlets/", "/login/", "/nothing"):
        for kind in ("*/*", "application/x-ndjson") if path.startswith(STREAMS) else ("*/*",):
            answer = player.get(path, Accept=kind)
            words = f"{dict(answer.headers)} {answer.text}"
            assert f"http://{HOST}" not in words, (path, kind)
            named += f"https://{HOST}" in words
    assert named > 10, "addresses are absolute in some answers"


@pytest.mark.parametrize("path", ["/", "/static/style.css", "/nothing", "/api/v1/status"])
def test_every_answer_tells_browsers_to_stay_with_tls(player: Player, path: str) -> None:
    assert player.get(path).headers["strict-transport-security"] == "max-age=31536000"


def test_a_proxy_that_is_not_trusted_is_named_once_in_the_log_and_by_commands(
    tmp_path: Path, database_url: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    desk = Desk(tmp_path / "home", served_at(database_url, port))
    sentence = "if that is your proxy, set LADDER_TRUSTED_PROXIES=127.0.0.1, else all players behind it are one address"
    assert sentence not in desk.run("status").stdout
    command = (LADDER, "web", "--port", str(port))
    with Popen(command, env=desk.full_environment(), stdout=PIPE, stderr=PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        for header in ("X-Forwarded-For", "X-Forwarded-For", "Forwarded", "X-Real-IP"):
            headers = {"Host": f"localhost:{port}", header: "203.0.113.7"}
            answer = httpx.get(f"http://127.0.0.1:{port}/login", headers=headers, timeout=patience_s())
            assert answer.status_code == 200
        assert sentence in desk.run("status").stdout
        assert sentence not in desk.run("status", LADDER_TRUSTED_PROXIES="127.0.0.0/8").stdout
        process.send_signal(signal.SIGTERM)
        log = process.communicate()[1]
    assert log.count("proxy_not_trusted") == log.count("proxy_not_trusted address=127.0.0.1") == 1


def test_a_ladder_without_tls_says_nothing_of_it(site: Served) -> None:
    assert "strict-transport-security" not in site.get("/").headers
