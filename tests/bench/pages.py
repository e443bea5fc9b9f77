"""The pages on a large ladder: how long each takes, how large it is, what the process needs; matches beside readers.

One process on a port of this machine shows 10,000 versions and 1,000,000 matches, one bot of which has 100,000. Each
page is asked for over one connection that stays open, as a browser does; times hold all of it, until the last byte.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from ladder.database.connection import connect, open_pool
from ladder.web.entrance import key_in
from tests.bench.full_ladder import GAME, LEAGUE, add_versions, fill, make_one_busy, services
from tests.bench.report import line
from tests.bench.service import ROUNDS, a_service, service
from tests.bench.start_up import LADDER
from tests.bench.viewer import NOTE_OPENING
from tests.browser.pages import running_chromium
from tests.networks import free_port
from tests.web.a_ladder import a_small_ladder

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

MATCHES = 1_000_000
RUNS = 40
READERS = 20
OPENINGS = 5
ASKING_AT_ONCE = 4
ASKING_S = 4.0
CHANGES_A_SECOND = 30
"""As many as two cores record matches."""
SLOW_RUNS = 5
PATIENCE_S = 60
BOARD_AIM_MS, PAGE_AIM_MS = 20, 50


BOARD = f"/games/{GAME}/leagues/{LEAGUE}"
BOARD_NOT_KEPT = f"{BOARD}?name=+"
"""The same by a search for nothing, so that no page is given that was made before."""
CHANGE = """
    UPDATE standings SET timeouts = timeouts
    WHERE version_id = (SELECT min(version_id) + floor(1000 * random())::bigint FROM standings)
"""


@dataclass(frozen=True)
class Process:
    """`ladder web` of a home, and somebody who has its key."""

    pid: int
    client: httpx.Client
    address: str

    def took_ms(self, path: str) -> float:
        began = time.perf_counter()
        self.client.get(path).raise_for_status()
        return 1000 * (time.perf_counter() - began)

    def packed_kb(self, path: str) -> float:
        with self.client.stream("GET", path) as answer:
            return sum(len(part) for part in answer.iter_raw()) / 1000

    def memory_mb(self) -> tuple[float, float]:
        """Return the memory that the process holds, and of that its own share where programs share files."""
        text = Path(f"/proc/{self.pid}/smaps_rollup").read_text("ascii")
        held, own = (int(line.split()[1]) / 1000 for line in text.splitlines() if line.startswith(("Rss:", "Pss:")))
        return held, own


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    with services() as running:
        database_url = running.database_url
        add_versions(database_url)
        fill(database_url, MATCHES)
        busy = make_one_busy(database_url)
        with serving(database_url) as process:
            yield from boards_in_a_second(process, database_url)
            yield from times_of_pages(process, busy)
            yield from times_of_data(process, busy)
    yield from opened_matches()
    yield from beside_readers()


def boards_in_a_second(process: Process, database_url: str) -> Iterator[str]:
    """Measure how many boards are answered a second: of a ladder that rests, and of one that is played on."""
    yield line("board, 50 rows", f"{asked_in_a_second(process, BOARD):.0f}", "a second", "aim: 200")
    with changing(database_url):
        words = f"while {CHANGES_A_SECOND} changes a second are committed"
        yield line("board, 50 rows", f"{asked_in_a_second(process, BOARD):.0f}", "a second", words)


@contextmanager
def changing(database_url: str) -> Iterator[None]:
    """Let standings of the board change for the block, one after the other."""
    ending = threading.Event()

    def change() -> None:
        with connect(database_url, autocommit=True) as connection:
            while not ending.wait(1 / CHANGES_A_SECOND):
                connection.execute(CHANGE)

    thread = threading.Thread(target=change)
    thread.start()
    yield
    ending.set()
    thread.join()


def times_of_pages(process: Process, busy: str) -> Iterator[str]:
    """Measure every page of the large ladder. `busy`: the bot with a tenth of all matches."""
    for name, path in {"board": BOARD_NOT_KEPT, **other_pages(busy)}.items():
        process.took_ms(path)  # fills the caches of templates and plans
        times = sorted(process.took_ms(path) for _ in range(RUNS))
        aim = BOARD_AIM_MS if name == "board" else PAGE_AIM_MS
        words = f"median of {RUNS}; 95 %: {times[int(0.95 * RUNS)]:.1f}; {process.packed_kb(path):.1f} kB; aim: {aim}"
        yield line(f"page, {name}", statistics.median(times), "ms", words)
    held, own = process.memory_mb()
    words = f"its share (PSS) after all these pages, of {held:.1f} resident; aim: below 80"
    yield line("web process", own, "MB", words)


def times_of_data(process: Process, busy: str) -> Iterator[str]:
    """Measure the routes of the API that look at most."""
    of_bot = f"/api/v1/games/{GAME}/bots/{busy}"
    routes = {
        "status": "/api/v1/status",
        "bot": of_bot,
        "why": f"{of_bot}/why",
        "versus": f"/api/v1/games/{GAME}/versus?a={busy}",
    }
    for name, path in routes.items():
        times = [process.took_ms(path) for _ in range(SLOW_RUNS)]
        words = f"median of {SLOW_RUNS}, the bot with 100,000 matches; aim: below 2,000"
        yield line(f"data, {name}", statistics.median(times), "ms", words)
    held, own = process.memory_mb()
    yield line("web process", own, "MB", f"its share (PSS) after these too, of {held:.1f} resident; aim: below 80")


def other_pages(busy: str) -> dict[str, str]:
    game = f"/games/{GAME}"
    return {
        "home": "/",
        "game": game,
        "rules": f"{game}/rules/{LEAGUE}",
        "bot": f"{game}/bots/bot-5000",
        "bot, 100,000 matches": f"{game}/bots/{busy}",
        "version": f"{game}/bots/bot-5000/v/1",
        "version, 100,000 matches": f"{game}/bots/{busy}/v/1",
        "head-to-head": f"{game}/versus?a={busy}&b=bot-5000",
        "latest matches": f"{game}/matches",
        "matches of a bot": f"{game}/matches?where=bot+%3D+{busy}",
        "matches, lost by fault": f"{game}/matches?where=fault+%3D+any",
        "match": f"/matches/{MATCHES}",
        "gauntlets": "/gauntlets",
        "operations": "/operations",
        "guide": "/guide",
    }


def asked_in_a_second(process: Process, path: str) -> float:
    """Return how often a page is answered in a second when several ask at once."""
    until = time.perf_counter() + ASKING_S

    def ask() -> int:
        answers = 0
        with httpx.Client(base_url=process.address, headers=process.client.headers) as client:
            while time.perf_counter() < until:
                client.get(path).raise_for_status()
                answers += 1
        return answers

    with ThreadPoolExecutor(ASKING_AT_ONCE) as pool:
        return sum(one.result() for one in [pool.submit(ask) for _ in range(ASKING_AT_ONCE)]) / ASKING_S


@contextmanager
def serving(database_url: str) -> Iterator[Process]:
    """Run `ladder web` for a database."""
    with tempfile.TemporaryDirectory() as home:
        address = f"http://127.0.0.1:{free_port()}"
        named = {"LADDER_HOME": home, "LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": "redis://localhost:1/0"}
        with web(address, named) as pid:
            headers = {"Authorization": f"Bearer {key_in(Path(home)).text}"}
            with httpx.Client(base_url=address, headers=headers, timeout=PATIENCE_S) as client:
                yield Process(pid, client, address)


@contextmanager
def web(address: str, named: Mapping[str, str]) -> Iterator[int]:
    """Run `ladder web` with these variables on the port of that address, and give its pid once it answers."""
    command = [str(LADDER), "web", "--port", address.rpartition(":")[2]]
    with subprocess.Popen(command, env={**os.environ, **named}, stdout=subprocess.DEVNULL) as process:
        try:
            wait_for(address)
            yield process.pid
        finally:
            process.terminate()


def wait_for(address: str) -> None:
    """Wait until a site answers."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            httpx.get(f"{address}/healthz").raise_for_status()
        except httpx.HTTPError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def opened_matches() -> Iterator[str]:
    """Measure from the click on a match until its first turn is drawn, and how large such a page is."""
    with services() as running:
        with closing(open_pool(running.database_url)) as pool:
            made = a_small_ladder(pool)
        with serving(running.database_url) as process, running_chromium() as browser:
            for game, played in made.matches.items():
                path, before = (f"/matches/{match_id}" for match_id in played[:2])
                took_ms, loaded_kb = opened(browser, process, path, before)
                words = f"from the click on, median of {OPENINGS}; aim: below 500"
                yield line(f"match drawn, {game}", took_ms, "ms", words)
                yield line(f"match page, {game}", loaded_kb, "kB", "compressed, with data and script; aim: below 80")


def opened(browser: Browser, process: Process, path: str, before: str) -> tuple[float, float]:
    """Open the page of a match; return after how many milliseconds it is drawn, and how many kB that is in all.

    `before`: the page of another match, which was looked at first, so the browser has the viewer's script already.
    """
    context = browser.new_context(extra_http_headers={"Authorization": process.client.headers["Authorization"]})
    context.add_init_script(NOTE_OPENING)
    drawn_ms(context, process.address + before)
    times = [drawn_ms(context, f"{process.address}{path}?{number}")[0] for number in range(OPENINGS)]
    context.close()
    fresh = browser.new_context(extra_http_headers={"Authorization": process.client.headers["Authorization"]})
    fresh.add_init_script(NOTE_OPENING)
    _, loaded_kb = drawn_ms(fresh, process.address + path)
    fresh.close()
    return statistics.median(times), loaded_kb


def drawn_ms(context: BrowserContext, address: str) -> tuple[float, float]:
    """Open a match; return after how many milliseconds its first turn is drawn, and how many kB were loaded for it."""
    page = context.new_page()
    page.goto(address)
    while (drawn := page.evaluate("globalThis.openedMs ?? null")) is None:
        time.sleep(0.02)
    loaded = page.evaluate(
        "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".reduce((sum, one) => sum + one.encodedBodySize, 0)"
    )
    page.close()
    return float(drawn), float(loaded) / 1000


def beside_readers() -> Iterator[str]:
    """Measure the service's matches per second with live readers and without, by turns."""
    with a_service() as running:
        alone, beside = [], []
        for _ in range(ROUNDS):
            alone.append(service(running))
            with serving(running.database_url) as process, reading(process, running.database_url):
                beside.append(service(running))
    words = f"by turns; alone {min(alone):.1f} to {max(alone):.1f}, with them {min(beside):.1f} to {max(beside):.1f}"
    yield line(f"matches/s, {READERS} readers : none", statistics.median(beside) / statistics.median(alone), "", words)


@contextmanager
def reading(process: Process, database_url: str) -> Iterator[None]:
    """Let READERS look at the board on which matches are played: each hears of changes, and asks for the page then."""
    with connect(database_url) as connection:
        found = connection.execute(
            "SELECT leagues.id, leagues.game, leagues.name FROM leagues JOIN bots ON bots.league_id = leagues.id "
            "WHERE bots.name = 'first'"
        ).fetchone()
    assert found is not None
    league_id, game, league = found
    ending = threading.Event()
    with ExitStack() as stack:
        threads = [
            threading.Thread(target=read, args=(process, league_id, f"/games/{game}/leagues/{league}", ending))
            for _ in range(READERS)
        ]
        for thread in threads:
            thread.start()
            stack.callback(thread.join)
        stack.callback(ending.set)
        yield


def read(process: Process, league_id: int, path: str, ending: threading.Event) -> None:
    headers = process.client.headers
    with httpx.Client(base_url=process.address, headers=headers, timeout=PATIENCE_S) as client:
        etag = client.get(path).headers["etag"]
        with client.stream("GET", f"/api/v1/events?topic=board:{league_id}") as events:
            for event in events.iter_lines():
                if ending.is_set():
                    return
                if event.startswith("data:"):
                    etag = client.get(path, headers={"If-None-Match": etag}).headers["etag"]
