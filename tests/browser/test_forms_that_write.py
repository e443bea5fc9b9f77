"""A player on a served ladder, in a browser: submits, reads the compiler's words, begins a gauntlet, starts a match."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from ladder.access import Actor, Role
from ladder.actions.accounts import invite
from ladder.actions.hooks import add
from ladder.choices import NoticeEvent
from ladder.database.connection import Pool, one
from ladder.flows.submission import reject
from ladder.ids import MatchId, RequestId, VersionId
from ladder.leagues import leagues
from ladder.matchmaking import requesting, requests
from ladder.matchmaking.matchmaker import Pairing
from tests.browser.pages import Pages
from tests.browser.test_site import faults
from tests.fakes import RememberingQueue
from tests.ladder.arena import claimed_build, within
from tests.ladder.rated import change
from tests.web.a_ladder import record_as, records_of
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
    pages = Pages(browser, "forms_that_write")
    page = joined(pages, served, busy_ladder_pool, "kim")
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
    match_id = first_match(busy_ladder_pool, request_id)
    page.wait_for_url(f"**/matches/{match_id}")
    record_as(busy_ladder_pool, match_id, played, is_hostile=False)
    page.wait_for_selector("canvas")
    pages.close()


def test_a_player_sees_where_notices_go_and_why_some_do_not(
    browser: Browser, served: Served, busy_ladder_pool: Pool
) -> None:
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
        """
        UPDATE hooks SET answer = 'intranet.example leads to no address of the internet, and so no notice goes there',
                         tried_at = now(), failing_since = now(), disabled_at = now()
        WHERE strpos(url, 'intranet') > 0
        """,
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


def first_match(pool: Pool, request_id: RequestId) -> MatchId:
    """Make the battle of a request, as the scheduler does."""
    request = within(pool, requests.find, request_id)
    battle = Pairing(request.league_id, (request.first_id, request.second_id), request_id=request_id)
    return within(pool, requesting.make, request_id, battle, 1)[0]


def kept(pages: Pages, page: Page, name: str) -> None:
    """Keep pictures of a page, a narrow one in light colours and a wide one in dark; it fits into its window."""
    for width, scheme in ((390, "light"), (1280, "dark")):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        pages.keep_picture(page, f"{name}-{width}-{scheme}")


def turn_down(pool: Pool) -> None:
    latest = VersionId(within(pool, one, "SELECT max(id) FROM versions", {})[0])
    claim = claimed_build(pool, latest)
    assert within(pool, reject, claim, WORDS)
