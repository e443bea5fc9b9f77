"""Frozen boards revealed place by place in a browser, by keys and by buttons, and thawed at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.access import Actor, Role
from ladder.actions import games
from ladder.database.connection import Pool, one
from ladder.ratings import frozen
from tests.browser.pages import Pages
from tests.browser.test_forms_that_write import joined, kept
from tests.browser.test_site import faults
from tests.ladder.arena import within
from tests.web.a_busy_ladder import BusyLadder
from tests.web.a_ladder import play_recorded
from tests.web.serving import serving_players

if TYPE_CHECKING:
    from playwright.sync_api import Browser

GAME = "ocean-of-code"
OLGA = Actor("olga", Role.OPERATOR)


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_an_operator_reveals_the_boards_and_thaws_them(
    browser: Browser, busy_ladder_pool: Pool, busy_ladder: BusyLadder, motion: str
) -> None:
    pool, versions = busy_ladder_pool, busy_ladder.small.versions
    games.freeze_boards(OLGA, pool, GAME, within(pool, one, "SELECT clock_timestamp()", {})[0])
    play_recorded(pool, GAME, [versions["wahoo@v1"], versions["kraken@v2"]], 3)
    pages = Pages(browser, f"resolver_{motion}")
    with serving_players(pool) as served:
        page = joined(pages, served, pool, f"mina-{motion}", Role.OPERATOR)
        page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
        page.goto(f"/games/{GAME}/leagues/wood-2")
        page.click("text=Reveal it place by place")
        page.wait_for_selector(".steps [aria-disabled=true]")
        shown, outcome = page.locator(".resolver > section:visible"), page.locator("td.strong.outcome:visible")
        rows = shown.locator(".frozen tbody tr").count()
        assert (rows >= 3, outcome.count(), page.locator(".thaw:visible").count()) == (True, 0, 0)
        kept(pages, page, "before")
        page.keyboard.press("Space")
        assert outcome.count() == 1
        assert page.locator("tr.latest").inner_text() == page.locator(".frozen tbody tr").last.inner_text()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        assert outcome.count() == 1
        page.click("text=Next")
        page.keyboard.press("Space")  # the focused button's own key, which is one step and not two
        assert (outcome.count(), page.locator("#revealed").inner_text() != "") == (3, True)
        kept(pages, page, "half")
        assert faults(page) == []
        for _ in range(rows - 3):
            page.keyboard.press("PageDown")
        page.keyboard.press("ArrowRight")
        assert shown.locator(".after tbody tr:visible").count() >= rows
        kept(pages, page, "after")
        page.keyboard.press("End")
        assert faults(page) == []
        page.click("text=Thaw")
        page.wait_for_url(f"**/games/{GAME}/projector")
        pages.close()
    assert within(pool, frozen.find, GAME) is None
