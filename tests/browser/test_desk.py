"""An operator at the desk, in a browser: opens a contest, hands out links, freezes, and is refused in one sentence."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ladder.access import Role
from ladder.accounts import accounts
from ladder.database.connection import Pool, transaction
from ladder.ratings import frozen
from tests.browser.pages import Pages
from tests.browser.test_forms_that_write import GAME, joined, kept, served
from tests.browser.test_site import ONLY_CONTRAST, faults
from tests.ladder.arena import within
from tests.web.serving import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["served"]


def test_an_operator_opens_a_contest_and_hands_out_its_links(
    browser: Browser, served: Served, busy_ladder_pool: Pool
) -> None:
    pages = Pages(browser, "desk")
    page = joined(pages, served, busy_ladder_pool, "nelly")
    with transaction(busy_ladder_pool) as connection:
        accounts.set_role(connection, accounts.find_account(connection, "nelly").id, Role.OPERATOR)
    page.goto("/")
    page.click("text=Desk")
    looked_at(pages, page, "whole")
    zone = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    assert set(page.locator("[data-zone]").all_text_contents()) == {zone}
    assert page.input_value("form[action='/desk/freeze'] input[name=zone] >> nth=0") == zone

    page.click("summary")
    until = datetime.now(UTC) + timedelta(days=9)
    page.fill("form[action='/desk/contest'] input[name=title]", "Winter cup")
    page.fill("form[action='/desk/contest'] input[name=until]", f"{until:%Y-%m-%dT%H:%M}")
    page.fill("form[action='/desk/contest'] textarea[name=players]", "zoe\nzoe")
    page.click("text=Open it")
    page.wait_for_selector("[role=alert]:has-text('zoe is in the list twice')")
    pages.problems[:] = [one for one in pages.problems if "422" not in one]
    assert page.input_value("form[action='/desk/contest'] input[name=title]") == "Winter cup"
    page.fill("form[action='/desk/contest'] textarea[name=players]", "zoe\nben")
    page.click("text=Open it")
    page.wait_for_selector(".slips li:has-text('zoe')")
    assert page.locator(".slips li").count() == 2
    looked_at(pages, page, "slips")
    page.emulate_media(media="print")
    assert not page.is_visible("header")
    assert page.is_visible(".slips")
    page.emulate_media(media="screen")

    page.click("text=Back to the desk")
    page.click(f".card:has(a[href='/games/{GAME}']) >> text=Freeze the boards")
    page.wait_for_selector("#deeds tbody tr:first-child:has-text('board freeze')")
    assert within(busy_ladder_pool, frozen.find, GAME) is not None
    page.wait_for_selector("p.contest:has-text('boards frozen since')")
    pages.close()


def looked_at(pages: Pages, page: Page, name: str) -> None:
    kept(pages, page, name)
    assert faults(page, ONLY_CONTRAST) == [], "dark"
    page.emulate_media(color_scheme="light")
    assert faults(page) == []
