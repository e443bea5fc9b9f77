"""A player on another machine reaches the server's web port by TLS and nothing else, and plays there.

The steps are one test, as each process of a run that had one of them would start a ladder of its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from cli.ladders import credentials
from tests.acceptance.conftest import SURFACER
from tests.catalogue import GAMES
from tests.patience import patience_s
from tests.throwaway import new_folder
from tests.two_machines import TwoMachines, code_in, two_machines

if TYPE_CHECKING:
    from playwright.sync_api import Browser

GAME = GAMES.find("ocean-of-code")
PASSWORD = "correct horse battery"  # noqa: S105 - of nobody
BETTER, WORSE, SHORT = (
    ("kraken@v2", "kraken@v1", "5"),
    ("kraken@v1", "kraken@v2", "5"),
    ("kraken@v2", "kraken@v1", "1"),
)
"""Gauntlets: who plays against whom, and how many pairs."""
VERDICTS = {BETTER: ("passed", 0), WORSE: ("failed", 1), SHORT: ("undecided", 6)}


@pytest.fixture
def two() -> Iterator[TwoMachines]:
    folder = new_folder()
    try:
        with two_machines(folder) as made:
            yield made
    finally:
        shutil.rmtree(folder)


@pytest.mark.long
@pytest.mark.weekly
def test_a_player_on_another_machine_reaches_the_web_port_alone_and_plays_there(two: TwoMachines) -> None:
    nothing_but_the_web_port_answers(two)
    a_certificate_that_nobody_vouches_for_is_refused(two)
    login_by_a_browser_there(two)
    whoami = two.client.ok("whoami")
    assert whoami.startswith(f"kim on {two.url}; the token ladder-on-")
    assert "may play, read and submit" in whoami
    submits_and_watches(two)
    gauntlets_end_with_their_verdicts(two)
    logs_out(two)


def nothing_but_the_web_port_answers(two: TwoMachines) -> None:
    assert two.open_ports() == {two.port}
    servers = {
        "LADDER_DATABASE_URL": f"postgresql://ladder@{two.server.address}:5432/ladder",
        "LADDER_BROKER_URL": f"redis://{two.server.address}:6379/0",
    }
    done = two.client.run("board", **servers)
    assert (done.returncode, "the database does not answer" in done.stderr) == (4, True), done.stderr


def a_certificate_that_nobody_vouches_for_is_refused(two: TwoMachines) -> None:
    done = two.client.run("login", two.url, SSL_CERT_FILE=os.devnull)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (4, "", 1), done.stderr
    assert f"the certificate of {two.url} is not trusted" in done.stderr


def login_by_a_browser_there(two: TwoMachines) -> None:
    link = two.server.ok("player", "invite", "kim").strip()
    assert link.startswith(f"{two.url}/join/")
    with two.browser_of_client() as browser:
        follow_link(browser, link)
        with two.client.start("login", two.url) as login:
            assert login.stderr is not None
            page, code = code_in(login.stderr.readline())
            assert page == f"{two.url}/device"
            let_it_in(browser, page, code, two.client.address)
            said = login.communicate(timeout=patience_s())[1]
    assert (login.returncode, f"logged in to {two.url} as kim" in said) == (0, True), said


def follow_link(browser: Browser, link: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.fill("#password", PASSWORD)
    page.fill("#again", PASSWORD)
    page.click("main button")
    page.wait_for_url("**/account")
    context.close()


def let_it_in(browser: Browser, address: str, code: str, asks_from: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.fill("#name", "kim")
    page.fill("#password", PASSWORD)
    page.click("main button")
    page.fill("#code", code)
    page.click("main button")
    asked = page.inner_text("main")
    assert f"from the address {asks_from}, wants to act as kim" in asked
    assert "submit versions" in asked
    page.click("text=Let it in")
    page.wait_for_selector("text=may act as kim now")
    context.close()


def submits_and_watches(two: TwoMachines) -> None:
    """Two versions, of which the first only surfaces and so loses soon."""
    source = two.client.home / "kraken.py"
    source.write_text(SURFACER)
    assert "submitted kraken@v1;" in two.client.ok("submit", source, "--game", GAME.name)
    source.write_text((GAME.bots_folder / "drifter_v1.py").read_text())
    done = two.client.run("submit", source, "--game", GAME.name, "--watch")
    assert (done.returncode, f"on {two.url}\n" in done.stderr) == (0, True), done.stderr
    assert re.search(r"kraken@v2 ranks ([12]) of [12] in Wood 2", done.stdout), "with the boss, once that is built"


def gauntlets_end_with_their_verdicts(two: TwoMachines) -> None:
    with ExitStack() as open_ones:
        running = {words: open_ones.enter_context(begun(two, *words)) for words in VERDICTS}
        told = {words: verdict_of(gauntlet) for words, gauntlet in running.items()}
    assert {words: verdict[:2] for words, verdict in told.items()} == VERDICTS
    is_kept_as_junit(two, str(told[WORSE][2]))


def begun(two: TwoMachines, version: str, against: str, pairs: str) -> subprocess.Popen[str]:
    return two.client.start("gauntlet", "run", version, "--against", against, "--pairs", pairs, "--json")


def verdict_of(gauntlet: subprocess.Popen[str]) -> tuple[str, int, int]:
    out, err = gauntlet.communicate(timeout=patience_s())
    assert out, err
    told = json.loads(out)
    return told["verdict"], gauntlet.returncode, told["id"]


def is_kept_as_junit(two: TwoMachines, failed: str) -> None:
    two.client.ok("gauntlet", "show", failed, "--junit", "gauntlet.xml")
    question = ElementTree.parse(two.client.home / "gauntlet.xml").find("testsuite/testcase")  # noqa: S314 - our own
    assert question is not None
    assert question.get("name") == "better than kraken@v2"
    assert question.find("failure") is not None


def logs_out(two: TwoMachines) -> None:
    file = two.client.home / ".config" / "ladder" / "credentials.toml"
    token = credentials.read(file).logins[two.url].token
    assert two.client.run("logout").stderr == f"logged out of {two.url}; the token is revoked\n"
    done = two.client.run("whoami", LADDER_SERVER=two.url, LADDER_TOKEN=token)
    assert (done.returncode, "revoked" in done.stderr) == (3, True), done.stderr
    assert credentials.read(file).server is None
