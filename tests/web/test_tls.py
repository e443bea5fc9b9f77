"""A served ladder by TLS, by the command or behind a proxy; files with which there is none; and half of a request."""

import logging
import signal
import socket
import ssl
import subprocess
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE, Popen

import httpx
import pytest

from ladder.access import Actor, Scope
from ladder.actions.tokens import WantedToken, create
from ladder.bots.players import player_id
from ladder.database.connection import Pool
from ladder.settings import web_settings_from
from ladder.web import server
from ladder.web.site import Site
from tests.acceptance.conftest import LADDER, Desk
from tests.catalogue import GAMES
from tests.ladder.arena import within
from tests.patience import patience_s
from tests.processes import require_program
from tests.web.everybody import WEB
from tests.web.serving import Served, running, serving

EVERYONE = replace(WEB, read="everyone")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    require_program("openssl")
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    words = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    made = f"openssl req {words} -addext subjectAltName=DNS:localhost -keyout {key} -out {certificate}".split()
    subprocess.run(made, check=True, capture_output=True)
    return certificate, key


def served_at(database_url: str, port: int) -> dict[str, str]:
    return {
        "LADDER_DATABASE_URL": database_url,
        "LADDER_BROKER_URL": "redis://127.0.0.1:1/0",
        "LADDER_WEB_MODE": "served",
        "LADDER_PUBLIC_URL": f"https://localhost:{port}",
    }


def test_login_and_commands_go_by_tls_and_a_proxy_that_is_not_trusted_is_named_once_in_the_log_and_by_commands(
    tmp_path: Path, pool: Pool, database_url: str, files: tuple[Path, Path]
) -> None:
    within(pool, player_id, "kim")
    token = create(Actor("kim"), pool, WantedToken("ci", frozenset({Scope.READ}))).secret
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    certificate, key = files
    desk = Desk(tmp_path / "home", served_at(database_url, port))
    command = (LADDER, "web", "--host", "0.0.0.0", "--port", str(port), "--tls-cert", certificate, "--tls-key", key)  # noqa: S104 - as a server does
    with Popen(command, env=desk.full_environment(), stdout=PIPE, stderr=PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == f"https://localhost:{port}\n"
            with httpx.Client(verify=ssl.create_default_context(cafile=certificate), timeout=patience_s()) as browser:
                answer = browser.get(f"https://localhost:{port}/login", timeout=patience_s())
                assert answer.status_code == 200
                assert "__Host-ladder-form" in browser.cookies
                check_commands(Desk(tmp_path / "home", {"LADDER_TOKEN": token}), port, certificate)
                check_proxies(desk, browser, port)
        finally:
            process.send_signal(signal.SIGTERM)
        log = process.communicate()[1]
    assert process.returncode == 0
    assert log.count("proxy_not_trusted") == log.count("proxy_not_trusted address=127.0.0.1") == 1


def check_commands(player: Desk, port: int, certificate: Path) -> None:
    """They trust what the system trusts, or the authority of SSL_CERT_FILE, and only for the name that they ask."""
    here, other_name = f"https://localhost:{port}", f"https://127.0.0.1:{port}"
    untrusted = player.refused(4, "--server", here, "bot", "list")
    assert f"the certificate of {here} is not trusted (self-signed certificate): where a school" in untrusted
    trusted = {"SSL_CERT_FILE": str(certificate)}
    assert "bot" in player.ok("--server", here, "bot", "list", **trusted)
    misnamed = player.refused(4, "--server", other_name, "bot", "list", **trusted)
    assert f"the certificate of {other_name} is not trusted (IP address mismatch" in misnamed
    write = player.refused(4, "--server", other_name, "bot", "retire", "kraken", **trusted)
    assert "IP address mismatch" in write


def check_proxies(desk: Desk, browser: httpx.Client, port: int) -> None:
    sentence = "if that is your proxy, set LADDER_TRUSTED_PROXIES=127.0.0.1, else all players behind it are one address"
    assert sentence not in desk.run("status").stdout
    for header in ("X-Forwarded-For", "X-Forwarded-For", "Forwarded", "X-Real-IP"):
        assert browser.get(f"https://localhost:{port}/login", headers={header: "203.0.113.7"}).status_code == 200
    assert sentence in desk.run("status").stdout
    assert sentence not in desk.run("status", LADDER_TRUSTED_PROXIES="127.0.0.0/8").stdout


HALVES = {
    "nothing": b"",
    "half a head": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    "half a body": b"POST /login HTTP/1.1\r\nHost: localhost:8210\r\nContent-Length: 99\r\n\r\nname=",
    "a request, and half of the next": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /heal",
}


@pytest.mark.parametrize("by_tls", [False, True])
def test_who_sends_half_a_request_is_cut_off_and_who_waits_for_news_is_not(
    pool: Pool,
    files: tuple[Path, Path],
    by_tls: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for limit in ("HEAD_LIMIT_S", "BODY_LIMIT_S"):
        monkeypatch.setattr(server, limit, 0.5)
    certificate, key = (str(file) if by_tls else None for file in files)
    made = server.server_for(Site(pool, GAMES, None, web=EVERYONE), certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as listener, running(made, listener) as address, ExitStack() as ends:

        def opened(sent: bytes) -> socket.socket:
            plain = socket.create_connection(address, timeout=patience_s())
            trusting = ssl.create_default_context(cafile=files[0])
            end = trusting.wrap_socket(plain, server_hostname="localhost") if by_tls else plain
            end.sendall(sent)
            return ends.enter_context(end)

        news = opened(b"GET /api/v1/events?topic=home HTTP/1.1\r\nHost: localhost:8210\r\n\r\n")
        assert b"data:" in until(news, b"data:")
        assert {name: until(opened(sent))[:12] for name, sent in HALVES.items()} == {
            **dict.fromkeys(HALVES, b""),
            "a request, and half of the next": b"HTTP/1.1 200",
        }
        news.settimeout(1)
        with pytest.raises(TimeoutError):
            until(news)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_between_two_requests_a_connection_stays_open_for_longer_than_proxies_use_it_again(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEAD_LIMIT_S", 0.5)
    made = server.server_for(Site(pool, GAMES, None, web=EVERYONE))
    assert made.config.timeout_keep_alive > 120, "Caddy's limit"
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        running(made, listener) as address,
        socket.create_connection(address, timeout=patience_s()) as end,
    ):
        for pause_s in (0, 1):
            time.sleep(pause_s)
            end.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert until(end, b"}").startswith(b"HTTP/1.1 200")


def until(end: socket.socket, words: bytes | None = None) -> bytes:
    """Return what comes until some words do, or else the end of the connection."""
    found = b""
    while words is None or words not in found:
        try:
            part = end.recv(65536)
        except (ConnectionResetError, ssl.SSLError):
            return found
        if not part:
            return found
        found += part
    return found


def test_files_that_are_no_certificate_with_its_key_are_refused(
    tmp_path: Path, database_url: str, files: tuple[Path, Path]
) -> None:
    certificate, key = files
    desk = Desk(tmp_path / "home", served_at(database_url, 1))
    assert "belong together" in desk.refused(2, "web", "--tls-cert", certificate)
    assert "cannot be used for TLS" in desk.refused(2, "web", "--tls-cert", key, "--tls-key", certificate)
    assert "No such file" in desk.refused(2, "web", "--tls-cert", tmp_path / "x", "--tls-key", key)
    words = ("web", "--tls-cert", certificate, "--tls-key", key)
    assert "is for a served ladder" in desk.refused(2, *words, LADDER_WEB_MODE="local")


def test_every_answer_tells_browsers_to_stay_with_tls_and_without_it_none_does(
    site: Served, small_ladder_pool: Pool
) -> None:
    web = web_settings_from({"LADDER_WEB_MODE": "served", "LADDER_PUBLIC_URL": "https://localhost:8210"})
    with serving(small_ladder_pool, None, web=replace(web, read="everyone")) as by_tls:
        for path in ("/", "/static/style.css", "/nothing", "/api/v1/status"):
            headers = by_tls.get(path, host="localhost:8210").headers
            assert headers["strict-transport-security"] == "max-age=31536000", path
    assert "strict-transport-security" not in site.get("/").headers
