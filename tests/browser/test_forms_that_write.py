"""Players and operators on a served ladder, in a browser: what they submit, start, reveal, open and hand out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from ladder.access import Actor, Role
from ladder.accounts import accounts
from ladder.actions import games
from ladder.actions.accounts import invite
from ladder.actions.clarifications import announce
from ladder.actions.hooks import add
from ladder.choices import NoticeEvent
from ladder.database.connection import Pool, one, transaction
from ladder.flows.submission import reject
from ladder.ids import RequestId, VersionId
from ladder.leagues import leagues
from ladder.matchmaking import requests
from ladder.matchmaking.matchmaker import Pairing
from ladder.ratings import frozen
from tests.browser.pages import Pages
from tests.browser.test_site import ONLY_CONTRAST, faults
from tests.fakes import RememberingQueue
from tests.ladder.arena import claimed_build, within
from tests.ladder.rated import change
from tests.web.a_ladder import BusyLadder, play_recorded, record_as, records_of
from tests.web.serving import Served, serving_players

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


GAME = "ocean-of-code"
PASSWORD = "correct horse battery"  # noqa: S105 - of nobody
WORDS = "bot.cpp:2:13: error: expected ';' before '}' token"


@pytest.fixture
def served(busy_ladder_pool: Pool) -> Iterator[Served]:
    queue = RememberingQueue()
    with serving_players(busy_ladder_pool, lambda: queue) as site:
        yield site


def test_a_player_submits_and_begins_a_gauntlet(browser: Browser, served: Served, busy_ladder_pool: Pool) -> None:
    pages = Pages(browser, "forms_that_write")
    page = joined(pages, served, busy_ladder_pool, "kim")
    page.goto(f"/games/{GAME}/bots/kraken")
    page.click("text=submit a version")
    page.fill("#text", "int main() {\n    return 0\n}\n")
    kept(pages, page, "submit")
    page.select_option("#language", "cpp")
    page.click("main form button")
    page.wait_for_url("**/bots/kraken/v/3")
    assert "building" in page.inner_text("h1")
    latest = VersionId(within(busy_ladder_pool, one, "SELECT max(id) FROM versions", {})[0])
    assert within(busy_ladder_pool, reject, claimed_build(busy_ladder_pool, latest), WORDS)
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


def test_a_player_starts_a_match_and_its_page_opens(browser: Browser, served: Served, busy_ladder_pool: Pool) -> None:
    pages = Pages(browser, "start_a_match")
    page = joined(pages, served, busy_ladder_pool, "nelly")
    page.goto(f"/games/{GAME}/bots/kraken/v/2")
    page.click("text=play a match")
    assert page.input_value("#a") == "kraken@v2"
    page.fill("#b", "boss-gold")
    page.click("main form button")
    page.wait_for_selector("[role=alert]:has-text('they meet only on one board')")
    assert faults(page) == []
    kept(pages, page, "refused")
    pages.problems[:] = [one for one in pages.problems if "409" not in one]
    page.fill("#b", "wahoo@v1")
    (played,) = records_of(GAME, within(busy_ladder_pool, leagues.leagues, GAME)[0].rules_level, 1)
    page.fill("#seed", str(played.seed))
    page.click("main form button")
    page.wait_for_url("**/requests/*")
    kept(pages, page, "waiting")
    assert faults(page) == []
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.focus("button.copy")
    page.keyboard.press("Enter")
    page.wait_for_selector("button.copy:has-text('Copied')")
    request_id = RequestId(int(page.url.rpartition("/")[2]))
    assert page.evaluate("navigator.clipboard.readText()") == f"ladder match cancel {request_id}"
    request = within(busy_ladder_pool, requests.find, request_id)
    battle = Pairing(request.league_id, (request.first_id, request.second_id), request_id=request_id)
    match_id = within(busy_ladder_pool, requests.make, request_id, battle, 1)[0]  # as the scheduler does
    page.wait_for_url(f"**/matches/{match_id}")
    record_as(busy_ladder_pool, match_id, played, is_hostile=False)
    page.wait_for_selector("canvas")
    pages.close()


def test_a_player_sees_where_notices_go_or_why_not(browser: Browser, served: Served, busy_ladder_pool: Pool) -> None:
    pages = Pages(browser, "notices")
    page = joined(pages, served, busy_ladder_pool, "wanda")
    for url in ("https://discord.com/api/webhooks/1/abcdefgh", "http://intranet.example/hook"):
        add(
            Actor("wanda"),
            busy_ladder_pool,
            url,
            [NoticeEvent.ACCEPTED, NoticeEvent.REJECTED, NoticeEvent.VERDICT, NoticeEvent.DEADLINE],
        )
    change(
        busy_ladder_pool,
        "UPDATE hooks SET answer = 'intranet.example leads to no address of the internet, and so no notice goes there',"
        " tried_at = now(), failing_since = now(), disabled_at = now()"
        " WHERE strpos(url, 'intranet') > 0",
    )
    page.goto("/account")
    assert "disabled: intranet.example leads to no address" in page.inner_text("main")
    assert "abcdefgh" not in page.content()
    kept(pages, page, "account")
    assert faults(page) == []
    pages.close()


def joined(pages: Pages, served: Served, pool: Pool, player: str, role: Role = Role.PLAYER) -> Page:
    """Return a page of a browser in which a player has joined by a link."""
    link = invite(Actor("olga", Role.OPERATOR), pool, player, role).secret
    context = pages.browser.new_context(base_url=served.address, reduced_motion="reduce")
    context.on("page", lambda page: pages._watch(page, lambda url: url.startswith(f"{served.address}/")))
    page = context.new_page()
    page.goto(f"/join/{link}")
    page.fill("#password", PASSWORD)
    page.fill("#again", PASSWORD)
    page.click("main button")
    page.wait_for_url("**/account")
    return page


def kept(pages: Pages, page: Page, name: str) -> None:
    """Keep pictures of a page, a narrow one in light colours and a wide one in dark; it fits into its window."""
    for width, scheme in ((390, "light"), (1280, "dark")):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        pages.keep_picture(page, f"{name}-{width}-{scheme}")


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


def test_an_operator_opens_a_contest_and_has_links(browser: Browser, served: Served, busy_ladder_pool: Pool) -> None:
    pages = Pages(browser, "desk")
    page = joined(pages, served, busy_ladder_pool, "hanna")
    with transaction(busy_ladder_pool) as connection:
        accounts.set_role(connection, accounts.find_account(connection, "hanna").id, Role.OPERATOR)
    announce(Actor("hanna", Role.OPERATOR), busy_ladder_pool, "Welcome.")
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
    assert not page.is_visible("text=Welcome.")
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
