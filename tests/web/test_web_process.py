"""The process behind the pages, as people and supervisors start it: where it listens, who is let in, how it ends."""

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import httpx
import psycopg
import pytest

from cli.web.process import NICE
from tests.acceptance.conftest import LADDER, NO_BROKER, Desk
from tests.patience import patience_s, wait_until
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
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
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
    address = entrance(home)
    parts = urlsplit(address)
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


def test_a_process_that_is_killed_comes_back_on_its_port_and_so_does_one_whose_database_is_restarted(
    home: LadderHome,
) -> None:
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


def bearer(address: SplitResult) -> dict[str, str]:
    return {"Authorization": f"Bearer {address.query.strip().removeprefix('key=')}"}


def named(home: Path, database_url: str) -> Desk:
    return Desk(home, {"LADDER_DATABASE_URL": database_url, **NO_BROKER})


def test_while_the_database_does_not_answer_the_pages_say_so_and_come_back_by_themselves_and_at_their_place_again(
    tmp_path: Path, services: Running, database_url: str
) -> None:
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
            shown = json.loads(desk.run("status", "--json").stdout)
            assert shown["web"] == f"{here}/"
            with httpx.stream("GET", f"{here}/api/v1/events?topic=home", headers=bearer(address)) as live:
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
        sentence = Desk(tmp_path / "home").refused(2, "web", "--host", host)
        assert "until there are accounts" in sentence, host
    assert not (tmp_path / "home").exists()


def test_where_no_ladder_runs_the_command_says_what_to_start(tmp_path: Path) -> None:
    assert "`ladder up`" in Desk(tmp_path / "home").refused(4, "web")


SERVED = {"LADDER_WEB_MODE": "served", "LADDER_PUBLIC_URL": "https://arena.example"}


@pytest.mark.parametrize(("command", "by_option"), [("up", True), ("web", False)])
def test_a_served_ladder_refuses_a_taken_port(
    open_folder: Path, database_url: str, command: str, *, by_option: bool
) -> None:
    """A proxy leads people to that port, and would lead them to whoever has it."""
    home = LadderHome.at(open_folder / f"refused-{command}-{by_option}")
    desk = Desk(home.folder, SERVED) if command == "up" else named(home.folder, database_url)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        wanted = [command, "--port", port] if by_option else [command]
        setting = {**SERVED, "LADDER_WEB_PORT": "1" if by_option else port}
        told = desk.refused(4, *wanted, **setting)
    assert told == (
        f"ladder: port {port} of 127.0.0.1 is in use by another program: name another one with --port, or in "
        "LADDER_WEB_PORT\n"
    )
    assert state_file.running(home) is None


@pytest.mark.thorough
def test_up_and_status_say_where_the_pages_of_a_served_ladder_listen(open_folder: Path) -> None:
    home = LadderHome.at(open_folder / "served")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    desk = Desk(home.folder, {**SERVED, "LADDER_WEB_PORT": "1"})
    where = f"https://arena.example (they listen on 127.0.0.1, port {port})"
    try:
        done = desk.run("up", "--port", port)
        assert f"the pages: {where}\n" in done.stderr
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
