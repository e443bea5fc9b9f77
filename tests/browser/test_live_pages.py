"""Pages follow their ladder, and the reader keeps the place."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from ladder.access import Actor, Role
from ladder.actions import clarifications
from ladder.bots import bots
from ladder.database.connection import Pool, open_pool, transaction
from ladder.leagues import leagues
from tests.browser.pages import SitePages, site_pages_of
from tests.conftest import beside, cloned
from tests.patience import patience_s
from tests.web.a_ladder import SmallLadder, play_recorded
from tests.web.serving import serving
from workers.embedded.state_file import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BOARD = "/games/ocean-of-code/leagues/wood-2"
IN_TIME_S = 2.0
DIFFERS = "(before) => document.querySelector('main').innerText !== before"
SAYS_NOTHING = "() => document.getElementById('notice').textContent === ''"
CUT_OFF = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
HIDE = """(hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def play(small_ladder_pool: Pool, small_ladder: SmallLadder) -> Callable[[], object]:
    both = [small_ladder.versions[name] for name in ("kraken@v2", "wahoo@v1")]
    return lambda: play_recorded(small_ladder_pool, "ocean-of-code", both, 1)


def words(page: Page) -> str:
    return page.locator("main").inner_text()


def follows(page: Page, path: str) -> None:
    with page.expect_response(lambda answer: answer.url.endswith(path) and answer.request.resource_type == "fetch"):
        page.goto(path)


def test_a_row_that_changes_is_marked_for_a_moment(site_pages: SitePages, play: Callable[[], object]) -> None:
    page = site_pages.window().new_page()
    follows(page, BOARD)
    assert page.locator("tr.changed").count() == 0
    play()
    page.locator("tr.changed").first.wait_for()


def test_an_announcement_reaches_open_pages(site_pages: SitePages, small_ladder_pool: Pool) -> None:
    page = site_pages.window().new_page()
    follows(page, BOARD)
    olga = Actor("olga", Role.OPERATOR)
    made = clarifications.announce(olga, small_ladder_pool, "Submissions close at 18:00.")
    page.locator("#announced p", has_text="Submissions close at 18:00.").wait_for()
    assert page.locator("#announced").get_attribute("aria-live") == "polite"
    clarifications.withdraw(olga, small_ladder_pool, made.id)
    page.locator("#announced p").wait_for(state="detached")


def test_boards_on_a_projector_turn_and_follow_the_ladder(site_pages: SitePages, play: Callable[[], object]) -> None:
    page = site_pages.window(width=1280).new_page()
    page.clock.install()
    follows(page, "/games/ocean-of-code/projector")
    assert page.locator("header").count() == 0
    page.clock.fast_forward(11_000)
    shown = page.locator("[data-turned] > section:visible")
    assert shown.count() == 1
    before = shown.inner_text()
    play()
    page.clock.resume()
    page.wait_for_function(DIFFERS.replace("main", "section:not([hidden])"), arg=before)
    assert shown.count() == 1, "also after it was laid over anew"


def test_a_match_of_elsewhere_shows_and_readers_stay(site_pages: SitePages, play: Callable[[], object]) -> None:
    page = site_pages.window(width=390, height=200).new_page()
    follows(page, BOARD)
    page.evaluate(
        """() => {
            window.marked = document.querySelector("main tbody tr");
            const link = document.querySelector("main tbody a");
            link.focus();
            getSelection().selectAllChildren(link);
            scrollTo(0, 60);
        }"""
    )
    place = "[document.activeElement.textContent, String(getSelection()), scrollY, marked.isConnected]"
    before = page.evaluate(place)
    took_s = []
    for _ in range(3):  # a busy machine is allowed to be late now and then
        shown = words(page)
        play()
        began = time.monotonic()
        page.wait_for_function(DIFFERS, arg=shown, timeout=1000 * patience_s())
        took_s.append(time.monotonic() - began)
        if took_s[-1] < IN_TIME_S:
            break
    assert min(took_s) < IN_TIME_S
    assert before[2] == 60
    assert page.evaluate(place) == before


def test_a_hidden_tab_catches_up_when_it_is_shown(site_pages: SitePages, play: Callable[[], object]) -> None:
    page = site_pages.window().new_page()
    follows(page, BOARD)
    before = words(page)
    with page.expect_event("requestfailed", lambda request: "/api/v1/events" in request.url):
        page.evaluate(HIDE, arg=True)
    play()
    page.wait_for_timeout(1500)
    assert words(page) == before
    page.evaluate(HIDE, arg=False)
    page.wait_for_function(DIFFERS, arg=before, timeout=1000 * patience_s())


def test_the_title_of_a_hidden_tab_counts_changed_rows(site_pages: SitePages, play: Callable[[], object]) -> None:
    page = site_pages.window().new_page()
    page.clock.install()
    follows(page, BOARD)
    title = page.title()
    page.evaluate(HIDE, arg=True)
    play()
    page.clock.fast_forward(61_000)
    page.wait_for_function("(title) => document.title === `(2) ${title}`", arg=title)
    page.evaluate(HIDE, arg=False)
    assert page.title() == title


@pytest.mark.parametrize("path", ["/", BOARD])
def test_a_page_says_for_a_while_which_bot_has_gone_up(
    site_pages: SitePages, small_ladder_pool: Pool, small_ladder: SmallLadder, path: str
) -> None:
    page = site_pages.window(width=390).new_page()
    follows(page, path)
    with transaction(small_ladder_pool) as connection:
        low, high = leagues.leagues(connection, "ocean-of-code")[:2]
        bots.write_down_move(connection, small_ladder.versions["wahoo@v1"], "promotion", low.id, high.id)
    line = page.get_by_role("status").get_by_role("link", name="wahoo up to Wood 1")
    line.wait_for(timeout=1000 * patience_s())
    site_pages.keep_picture(page)
    line.click()
    page.get_by_role("heading", name="Wood 1").wait_for()


def test_six_tabs_are_open_and_the_seventh_loads_and_follows(site_pages: SitePages, play: Callable[[], object]) -> None:
    """Also where all of them can be seen, as in a window each: a browser has six connections for all of them."""
    window = site_pages.window()
    for _ in range(6):
        window.new_page().goto(BOARD)
    page = window.new_page()
    follows(page, BOARD)
    shown = [words(page) for page in window.pages]
    play()
    for page, before in zip(window.pages, shown, strict=True):
        page.wait_for_function(DIFFERS, arg=before, timeout=1000 * patience_s())


def test_the_database_goes_away_under_an_open_page_which_goes_on_when_it_is_back(
    browser: Browser, services: Running, with_small_ladder: tuple[str, SmallLadder]
) -> None:
    template, small = with_small_ladder
    both = [small.versions[name] for name in ("kraken@v2", "wahoo@v1")]
    with (
        cloned(services, template) as name,
        open_pool(services.database_url.replace("/ladder?", f"/{name}?"), most=4, wait_s=0.5) as pool,
        serving(pool) as site,
        site_pages_of(browser, site, "a_restart") as pages,
    ):
        window = pages.window()
        page, late = window.new_page(), window.new_page()
        follows(page, BOARD)
        before = words(page)
        page.evaluate("window.isTheSame = true")
        beside(services.database_url).execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        beside(services.database_url).execute(CUT_OFF, [name])
        page.get_by_text("the database does not answer").wait_for()
        assert words(page) == before
        late.goto(BOARD)
        assert words(late).startswith("503")
        pages.keep_picture(page)
        beside(services.database_url).execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
        page.wait_for_function(SAYS_NOTHING, timeout=1000 * patience_s())
        late.get_by_role("heading", name="Wood 2").wait_for(timeout=1000 * patience_s())
        assert words(page) == before
        play_recorded(pool, "ocean-of-code", both, 1)
        for shown in (page, late):
            shown.wait_for_function(DIFFERS, arg=before, timeout=1000 * patience_s())
        assert page.evaluate("window.isTheSame")
        pages.forgive("Failed to load resource: the server responded with a status of 503")


def test_commands_are_copied_where_there_is_a_clipboard_and_else_not_offered(site_pages: SitePages) -> None:
    page = site_pages.show("/guide/first-bot")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("button.copy").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("button.copy:has-text('Copied')")
    typed = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert typed == ["ladder up", "ladder new triton --game ocean-of-code --language python", "cd triton"]
    plain = site_pages.show("/guide/first-bot", script=False)
    unsafe = site_pages.window().new_page()
    unsafe.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    unsafe.goto("/guide/first-bot")
    for other in (plain, unsafe):
        assert (other.locator("main pre").count() > 0, other.locator("button.copy").count()) == (True, 0)
