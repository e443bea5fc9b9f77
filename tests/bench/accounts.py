"""A ladder that is served to players: what a token costs, a login, a submission, and a board from another machine.

How this works. `ladder web` serves a board of 10,000 versions on a port of this machine. A proxy is played by requests
that name an address of their own, as else the limits of one address would be measured.
"""

import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import count

import httpx
from starlette.datastructures import Headers

from ladder import actions
from ladder.access import Actor, Role, Scope, Via
from ladder.actions.logins import Browser
from ladder.actions.tokens import WantedToken
from ladder.database.connection import Pool, open_pool
from ladder.web.identity import who_asks
from tests.bench.full_ladder import GAME, LEAGUE, add_versions, services
from tests.bench.pages import PATIENCE_S, web
from tests.bench.report import line, median_ms
from tests.bench.start_up import LADDER
from tests.networks import free_port
from workers.embedded.state_file import Running

CHECKS = 500
LOGINS = 5
BOARDS = 9
SUBMISSIONS = 15
WRITERS = 16
WRITES = 15
"""Of each of them: fewer than the versions that a player may submit in an hour."""
WRITING_AT_ONCE = 4
PASSWORD = "correct horse battery"  # noqa: S105 - of nobody
_addresses = (f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}" for number in count(1))
_numbers = count()
FORM_TOKEN = re.compile('name="form_token" value="([^"]+)"')


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    with services() as running:
        add_versions(running.database_url)
        with serving(running) as address, closing(open_pool(running.database_url)) as pool:
            token = a_token(pool, "kim")
            yield checks(pool, token)
            yield logins(address)
            yield from boards(running, address, token)
            yield from submissions(pool, address)


def elsewhere() -> dict[str, str]:
    return {"X-Forwarded-For": next(_addresses)}


def a_token(pool: Pool, name: str) -> str:
    """Make a player with a password, and a token for all that players do."""
    operator = Actor("operator", Role.OPERATOR)
    invited = actions.accounts.invite(operator, pool, name)
    actions.logins.accept(pool, invited.secret, name, PASSWORD, Browser("bench", None))
    scopes = frozenset({Scope.READ, Scope.SUBMIT, Scope.PLAY})
    return actions.tokens.create(Actor(name, via=Via.SESSION), pool, WantedToken("bench", scopes)).secret


def checks(pool: Pool, token: str) -> str:
    """Measure finding out whose token a request shows."""
    headers = Headers({"Authorization": f"Bearer {token}"})
    taken = median_ms(lambda: who_asks(pool, headers, "127.0.0.1"), CHECKS)
    return line("a token is checked", taken, "ms", f"median of {CHECKS}; aim: under 1")


def logins(address: str) -> str:
    """Measure sending the form of the login, from the first byte of the request to the last of the answer."""
    taken: list[float] = []
    for _ in range(LOGINS):
        with httpx.Client(base_url=address, headers=elsewhere(), timeout=PATIENCE_S) as browser:
            page = browser.get("/login")
            (form_token,) = FORM_TOKEN.findall(page.text)
            browser.headers["Cookie"] = page.headers["Set-Cookie"].partition(";")[0]  # as browsers do for localhost
            form = {"name": "kim", "password": PASSWORD, "form_token": form_token, "next": "/"}
            began = time.perf_counter()
            answer = browser.post("/login", data=form)
            taken.append(time.perf_counter() - began)
            assert answer.status_code == 303, answer.text
    return line("a login", 1000 * statistics.median(taken), "ms", f"median of {LOGINS}; aim: under 1,000")


def boards(running: Running, address: str, token: str) -> Iterator[str]:
    """Measure `ladder board` beside the database and from afar, in turns."""
    ways = {
        "directly": {"LADDER_DATABASE_URL": running.database_url, "LADDER_BROKER_URL": running.broker_url},
        "from afar": {"LADDER_SERVER": address, "LADDER_TOKEN": token},
    }
    taken: dict[str, list[float]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as home:
        for _ in range(BOARDS):
            for way, named in ways.items():
                taken[way].append(1000 * board_s({**named, "LADDER_HOME": home, "HOME": home}))
    direct, afar = (statistics.median(taken[way]) for way in ways)
    yield line("ladder board", direct, "ms", f"median of {BOARDS}, beside the database")
    yield line("ladder board", afar, "ms", f"from afar: {afar - direct:+.0f} ms; aim: at most 150 more")


def board_s(named: Mapping[str, str]) -> float:
    """Return how long the command takes, in seconds."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LADDER_")}
    began = time.perf_counter()
    command = [str(LADDER), "board", "--game", GAME, "--league", LEAGUE]
    subprocess.run(command, env={**kept, **named}, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


@contextmanager
def serving(running: Running) -> Iterator[str]:
    """Serve a ladder to players by `ladder web`, and give the address."""
    with tempfile.TemporaryDirectory() as home:
        address = f"http://localhost:{free_port()}"
        named = {
            "LADDER_HOME": home,
            "LADDER_DATABASE_URL": running.database_url,
            "LADDER_BROKER_URL": running.broker_url,
            "LADDER_WEB_MODE": "served",
            "LADDER_PUBLIC_URL": address,
            "LADDER_TRUSTED_PROXIES": "127.0.0.1,::1",
        }
        with web(address, named):
            yield address


def submissions(pool: Pool, address: str) -> Iterator[str]:
    """Measure submitting a version: by itself, and how many are taken a second when several submit at once."""
    with httpx.Client(base_url=address, timeout=PATIENCE_S) as client:
        token = a_token(pool, "lee")
        taken = median_ms(lambda: submit(client, "lee", token), SUBMISSIONS)
        yield line("a submission (201)", taken, "ms", f"median of {SUBMISSIONS}; aim: under 100")
        tokens = {f"writer-{number}": a_token(pool, f"writer-{number}") for number in range(WRITERS)}
        began = time.perf_counter()
        with ThreadPoolExecutor(WRITING_AT_ONCE) as threads:
            for done in [threads.submit(submit, client, *one) for _ in range(WRITES) for one in tokens.items()]:
                done.result()
        rate = WRITERS * WRITES / (time.perf_counter() - began)
        yield line("submissions (201)", rate, "a second", f"{WRITING_AT_ONCE} at once, one web process; aim: 50")


def submit(client: httpx.Client, player: str, token: str) -> None:
    body = {"source": f"print({next(_numbers)})\n", "language": "python"}
    headers = {"Authorization": f"Bearer {token}", **elsewhere()}
    answer = client.post(f"/api/v1/games/{GAME}/bots/bot-of-{player}/versions", json=body, headers=headers)
    assert answer.status_code == 201, answer.text
