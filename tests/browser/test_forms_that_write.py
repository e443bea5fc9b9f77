"""A player on a served ladder, in a browser: submits, reads the compiler's words, begins a gauntlet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from ladder.access import Actor, Role
from ladder.actions.accounts import invite
from ladder.database.connection import Pool, one
from ladder.flows.submission import reject
from ladder.ids import VersionId
from tests.browser.pages import Pages
from tests.fakes import RememberingQueue
from tests.ladder.arena import claimed_build, within
from tests.web.serving import Served, serving_players

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

GAME = "ocean-of-code"
PASSWORD = "correct horse battery"  # noqa: S105 - of nobody
SOURCE = "int main() {\n    return 0\n}\n"
WORDS = "bot.cpp:2:13: error: expected ';' before '}' token"


@pytest.fixture
def served(busy_ladder_pool: Pool) -> Iterator[Served]:
    queue = RememberingQueue()
    with serving_players(busy_ladder_pool, lambda: queue) as site:
        yield site


def test_a_player_submits_and_begins_a_gauntlet(browser: Browser, served: Served, busy_ladder_pool: Pool) -> None:
    link = invite(Actor("olga", Role.OPERATOR), busy_ladder_pool, "kim").secret
    pages = Pages(browser, "forms_that_write")
    context = browser.new_context(base_url=served.address, reduced_motion="reduce")
    context.on("page", lambda page: pages._watch(page, lambda url: url.startswith(f"{served.address}/")))
    page = context.new_page()
    page.goto(f"/join/{link}")
    page.fill("#password", PASSWORD)
    page.fill("#again", PASSWORD)
    page.click("main button")
    page.goto(f"/games/{GAME}/bots/kraken")
    page.click("text=submit a version")
    page.fill("#text", SOURCE)
    kept(pages, page, "submit")
    page.select_option("#language", "cpp")
    page.click("main form button")
    page.wait_for_url("**/bots/kraken/v/3")
    assert "building" in page.inner_text("h1")
    turn_down(busy_ladder_pool)
    page.wait_for_selector(f"text={WORDS}")
    kept(pages, page, "rejected")
    page.goto(f"/games/{GAME}/bots/kraken/v/2")
    kept(pages, page, "version")
    page.fill("input[name=against]", "kraken@v1")
    page.fill("input[name=pairs]", "4")
    page.click("button:has-text('Begin')")
    page.wait_for_url("**/gauntlets/*")
    kept(pages, page, "gauntlet")
    page.click("button:has-text('Stop it')")
    page.wait_for_selector("text=Let it go on")
    pages.close()


def kept(pages: Pages, page: Page, name: str) -> None:
    """Keep pictures of a page, wide, narrow and dark; it is never wider than its window."""
    for width, scheme in ((1280, "light"), (390, "light"), (1280, "dark")):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        pages.keep_picture(page, f"{name}-{width}-{scheme}")


def turn_down(pool: Pool) -> None:
    latest = VersionId(within(pool, one, "SELECT max(id) FROM versions", {})[0])
    claim = claimed_build(pool, latest)
    assert within(pool, reject, claim, WORDS)
