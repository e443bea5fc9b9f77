"""The process behind the pages: where it listens, who is let in, by TLS or behind a proxy, how it ends."""

import json
import logging
import os
import re
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from cli.web.process import NICE
from ladder.access import Actor, Scope
from ladder.actions.tokens import WantedToken, create
from ladder.bots.players import player_id
from ladder.database.connection import Pool
from ladder.settings import web_settings_from
from ladder.web import server
from ladder.web.site import Site
from tests.acceptance.conftest import LADDER, NO_BROKER, Desk
from tests.catalogue import GAMES
from tests.ladder.arena import within
from tests.networks import free_port
from tests.patience import patience_s, wait_until
from tests.processes import require_program
from tests.web.everybody import WEB as SERVED_WEB
from tests.web.serving import Served, running, serving
from workers.commands import WEB, embedded_children
from workers.embedded import control, state_file
from workers.embedded.home import LadderHome
from workers.embedded.state_file import Running

BOARD = "/games/ocean-of-code/leagues/wood-2"
MOST_MB = 80
"""Its share of the memory that it uses, with others or alone."""


@pytest.fixture(scope="module")
def home(open_folder: Path) -> Iterator[LadderHome]:
    """A home of which the servers and the pages run, and nothing that plays.

    Its port is one that no other ladder looks for: one that starts while the pages are down could take theirs for good.
    """
    home = LadderHome.at(open_folder / "shown")
    port = free_port()
    (pages_alone,) = (child for child in embedded_children(1, web=True) if child.name == WEB)
    child = replace(pages_alone, command=(*pages_alone.command, "--port", str(port)))
    control.up(home, [child], prepare="ladder.actions.installation:bring_up_to_date")
    yield home
    control.destroy(home)
    shutil.rmtree(home.folder, ignore_errors=True)


def state_of(home: LadderHome) -> Running:
    """Return what the home's supervisor says."""
    found = state_file.running(home)
    assert found is not None
    return found


def entrance(home: LadderHome) -> str:
    wait_until(lambda: state_file.last_pages(home, state_of(home).database_url))
    desk = Desk(home.folder)
    shown = wait_until(lambda: desk.ok("status"), "the pages' address", fits=lambda told: "pages: " in told)
    address = re.search(r"^pages: (http://127\.0\.0\.1:\d+/\?key=[0-9a-f]{64})$", shown, re.MULTILINE)
    assert address is not None
    return address[1]


def status_at(address: str) -> int:
    """Return the status of a page, 0 where nothing answers."""
    try:
        return httpx.get(address, timeout=patience_s()).status_code
    except httpx.TransportError:
        return 0


def test_other_accounts_get_nothing_without_the_key_and_the_printed_address_lets_a_browser_in(home: LadderHome) -> None:
    parts = urlsplit(entrance(home))
    with httpx.Client(base_url=f"http://{parts.netloc}", timeout=patience_s()) as browser:
        refused = browser.get(BOARD)
        assert refused.status_code == 401
        assert str(home.folder / "web.key") in refused.text
        let_in = browser.get(f"{BOARD}?{parts.query}")
        assert (let_in.status_code, let_in.headers["location"]) == (303, BOARD)
        assert browser.get(BOARD).status_code == 200
        printed = json.loads(Desk(home.folder).ok("status", "--json"))
        assert browser.get("/api/v1/status").json() == printed
        assert printed["web"] == f"http://{parts.netloc}/", "without the key"
    key = home.folder / "web.key"
    assert stat.S_IMODE(key.stat().st_mode) == stat.S_IMODE(home.pages.stat().st_mode) == 0o600
    assert key.read_text().strip() not in home.log(WEB).read_text()


def test_a_killed_process_is_back_on_its_port_and_so_is_one_whose_database_restarts(home: LadderHome) -> None:
    address = entrance(home)
    page = address.replace("/?", f"{BOARD}?")
    with httpx.Client(follow_redirects=True, timeout=patience_s()) as browser:
        assert browser.get(page, timeout=patience_s()).status_code == 200
        first = state_of(home).children[WEB]
        memory = Path(f"/proc/{first}/smaps_rollup").read_text()
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, first) == min(ours + NICE, 19)
        assert int(re.findall(r"^Pss:\s+(\d+) kB", memory, re.MULTILINE)[0]) / 1024 < MOST_MB

        os.kill(first, signal.SIGKILL)
        wait_until(lambda: state_of(home).children.get(WEB) not in {None, first})
        wait_until(lambda: status_at(page) == 303)
        assert entrance(home) == address
        assert browser.get(page.partition("?")[0], timeout=patience_s()).status_code == 200, "its cookie goes on"

        os.kill(state_of(home).children["postgres"], signal.SIGQUIT)
        seen: set[int] = set()

        def answers() -> bool:
            seen.add(browser.get(page, timeout=patience_s()).status_code)
            return 200 in seen and state_of(home).children.get("postgres") is not None

        wait_until(answers)
    assert seen <= {200, 503}


@contextmanager
def by_hand(desk: Desk, *words: str | Path, under: tuple[str, ...] = ()) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `ladder web` for the block, by the command `under`; give it, and the first line that it prints."""
    command = (*under, LADDER, "web", *words)
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=desk.full_environment()
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        yield process, (process.stderr if "--uds" in words else process.stdout).readline()
    finally:
        process.kill()
        process.communicate()


def ended_by(process: subprocess.Popen[str], number: signal.Signals) -> str:
    process.send_signal(number)
    _, complaints = process.communicate(timeout=patience_s())
    assert process.returncode == 0
    assert "Traceback" not in complaints
    return complaints


def named(home: Path, database_url: str) -> Desk:
    return Desk(home, {"LADDER_DATABASE_URL": database_url, **NO_BROKER})


def test_without_a_database_pages_say_so_and_come_back(tmp_path: Path, services: Running, database_url: str) -> None:
    desk = named(tmp_path / "home", database_url)
    opened = tmp_path / "opened"
    browser_of_people = tmp_path / "browser"
    browser_of_people.write_text(f'#!/bin/sh\necho "$@" >{opened}\n')
    browser_of_people.chmod(0o755)
    desk = Desk(desk.home, {**desk.environment, "BROWSER": str(browser_of_people)})
    server = services.database_url.replace("/ladder?", "/postgres?")
    name = database_url.partition("@/")[2].partition("?")[0]
    with psycopg.connect(server, autocommit=True) as operator, socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        operator.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        with by_hand(desk, "--port", str(port), "--open") as (process, line):
            address = urlsplit(line)
            assert address.port is not None
            assert port < address.port <= port + 19
            here = f"http://{address.netloc}"
            with httpx.Client(base_url=here, timeout=patience_s(), follow_redirects=True) as browser:
                down = browser.get(f"{BOARD}?{address.query.strip()}")
                assert (down.status_code, down.headers["retry-after"]) == (503, "2")
                assert "the database does not answer" in down.text
                assert down.headers["refresh"] == "2"
                operator.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
                wait_until(lambda: browser.get(BOARD).status_code == 200)
            assert json.loads(desk.run("status", "--json").stdout)["web"] == f"{here}/"
            headers = {"Authorization": f"Bearer {address.query.strip().removeprefix('key=')}"}
            with httpx.stream("GET", f"{here}/api/v1/events?topic=home", headers=headers) as live:
                assert live.status_code == 200
                complaints = ended_by(process, signal.SIGINT)
    few_files = ("prlimit", "--nofile=64:")
    with by_hand(desk, "--port", str(address.port), under=few_files) as (process, again), ExitStack() as connections:
        assert again == line
        for _ in range(100):  # more than the files that a process may usually open
            connections.enter_context(socket.create_connection((address.hostname, address.port)))
        with httpx.Client(base_url=here, timeout=patience_s(), cookies=browser.cookies) as returned:
            assert returned.get(BOARD).status_code == 401, "another account may have listened there meanwhile"
            assert returned.get(f"{BOARD}?{address.query.strip()}").status_code == 303
            assert returned.get(BOARD).status_code == 200
    page = desk.home / "web.html"
    assert opened.read_text() == f"{page.as_uri()}\n"
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert line.strip() in page.read_text()
    assert f"port {port} is in use; the pages are on port {address.port}" in complaints
    assert complaints.count(" database_lost ") == 1
    assert complaints.count(" database_found ") == 1
    assert json.loads(desk.run("status", "--json").stdout)["web"] is None


def test_on_a_socket_of_its_own_account_it_asks_for_no_key_and_replaces_one_that_was_left(
    tmp_path: Path, services: Running, database_url: str
) -> None:
    path = tmp_path / "web.socket"
    desk = named(tmp_path / "home", database_url)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with by_hand(desk, "--uds", path) as (process, line):
        assert str(path) in line
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        pipe = httpx.HTTPTransport(uds=str(path))
        with httpx.Client(transport=pipe, base_url="http://localhost", timeout=patience_s()) as browser:
            assert browser.get(BOARD).status_code == 200
        assert "another process listens on" in desk.refused(4, "web", "--uds", path)
        ended_by(process, signal.SIGTERM)
    assert not path.exists()
    path.write_text("a letter")
    assert "is not a socket" in desk.refused(3, "web", "--uds", path)
    assert path.read_text() == "a letter"


def test_until_there_are_accounts_no_other_machine_is_served(tmp_path: Path) -> None:
    for host in ("::", "0", "192.168.1.5", "ladder.example", ""):
        assert "until there are accounts" in Desk(tmp_path / "home").refused(2, "web", "--host", host), host
    assert not (tmp_path / "home").exists()


def test_where_no_ladder_runs_the_command_says_what_to_start(tmp_path: Path) -> None:
    assert "`ladder up`" in Desk(tmp_path / "home").refused(4, "web")


SERVED = {"LADDER_WEB_MODE": "served", "LADDER_PUBLIC_URL": "https://arena.example"}


@pytest.mark.parametrize(("command", "by_option"), [("up", True), ("web", False)])
def test_served_it_refuses_a_taken_port(open_folder: Path, database_url: str, command: str, *, by_option: bool) -> None:
    """A proxy leads people to that port, and would lead them to whoever has it."""
    home = LadderHome.at(open_folder / f"refused-{command}-{by_option}")
    desk = Desk(home.folder, SERVED) if command == "up" else named(home.folder, database_url)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        wanted = [command, "--port", port] if by_option else [command]
        told = desk.refused(4, *wanted, **{**SERVED, "LADDER_WEB_PORT": "1" if by_option else port})
    assert told == (
        f"ladder: port {port} of 127.0.0.1 is in use by another program: name another one with --port, or in "
        "LADDER_WEB_PORT\n"
    )
    assert state_file.running(home) is None


@pytest.mark.thorough
def test_up_and_status_say_where_the_pages_of_a_served_ladder_listen(open_folder: Path) -> None:
    home = LadderHome.at(open_folder / "served")
    port = str(free_port())
    desk = Desk(home.folder, {**SERVED, "LADDER_WEB_PORT": "1"})
    where = f"https://arena.example (they listen on 127.0.0.1, port {port})"
    try:
        assert f"the pages: {where}\n" in desk.run("up", "--port", port).stderr
        assert f"pages: {where}\n" in desk.ok("status")
        assert json.loads(desk.ok("status", "--json"))["web"] == "https://arena.example"
        assert status_at(f"http://127.0.0.1:{port}/healthz") not in {0, 404}
    finally:
        control.destroy(home)


def test_a_port_that_is_none_is_refused(tmp_path: Path) -> None:
    for word in ("65536", "-1", "http", "8210x", "\u0668"):
        told = Desk(tmp_path / "home").refused(2, "up", LADDER_WEB_PORT=word)
        assert f"LADDER_WEB_PORT is {word!r}; it must be" in told


def test_the_pages_have_as_much_time_to_end_as_all_others() -> None:
    assert len({child.grace_s for child in embedded_children(1, web=True)}) == 1


EVERYONE = replace(SERVED_WEB, read="everyone")


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
    port = free_port()
    certificate, key = files
    desk = Desk(tmp_path / "home", served_at(database_url, port))
    words = ("web", "--host", "0.0.0.0", "--port", str(port), "--tls-cert", certificate, "--tls-key", key)  # noqa: S104 - as a server does
    with desk.begin(*words) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == f"https://localhost:{port}\n"
            with httpx.Client(verify=ssl.create_default_context(cafile=certificate), timeout=patience_s()) as browser:
                assert browser.get(f"https://localhost:{port}/login", timeout=patience_s()).status_code == 200
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
    assert "IP address mismatch" in player.refused(4, "--server", other_name, "bot", "retire", "kraken", **trusted)


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


def test_an_idle_connection_outlasts_proxies_use_of_it(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_no_other_files_are_taken_as_a_certificate(tmp_path: Path, database_url: str, files: tuple[Path, Path]) -> None:
    certificate, key = files
    desk = Desk(tmp_path / "home", served_at(database_url, 1))
    assert "belong together" in desk.refused(2, "web", "--tls-cert", certificate)
    assert "cannot be used for TLS" in desk.refused(2, "web", "--tls-cert", key, "--tls-key", certificate)
    assert "No such file" in desk.refused(2, "web", "--tls-cert", tmp_path / "x", "--tls-key", key)
    words = ("web", "--tls-cert", certificate, "--tls-key", key)
    assert "is for a served ladder" in desk.refused(2, *words, LADDER_WEB_MODE="local")


def test_every_answer_over_tls_and_no_other_keeps_browsers_there(site: Served, small_ladder_pool: Pool) -> None:
    web = web_settings_from({"LADDER_WEB_MODE": "served", "LADDER_PUBLIC_URL": "https://localhost:8210"})
    with serving(small_ladder_pool, None, web=replace(web, read="everyone")) as by_tls:
        for path in ("/", "/static/style.css", "/nothing", "/api/v1/status"):
            headers = by_tls.get(path, host="localhost:8210").headers
            assert headers["strict-transport-security"] == "max-age=31536000", path
    assert "strict-transport-security" not in site.get("/").headers
