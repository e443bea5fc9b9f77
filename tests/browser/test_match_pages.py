"""Matches on the site: the viewer in its page, two matches beside each other, and what is there without script."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ladder.database.connection import Pool, transaction
from ladder.leagues import leagues
from tests.browser.pages import SitePages
from tests.ladder.arena import insert_battle
from tests.web.a_ladder import SmallLadder, record_as, records_of

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

COLOURS = """
    [...new Uint32Array(document.querySelector("canvas").getContext("2d").getImageData(0, 0, 200, 200).data.buffer)]
"""


def opened(pages: SitePages, path: str, *, width: int = 1280, dark: bool = False) -> Page:
    page = pages.show(path, width=width, height=844, dark=dark)
    page.wait_for_selector("table.all tbody tr", state="attached")
    return page


def sees(page: Page, turn: int) -> None:
    from playwright.sync_api import expect

    expect(page.locator(".at")).to_have_text(re.compile(f"^{turn} / "))


def test_the_latest_match_plays_by_itself_on_the_front_page_until_it_is_paused(site_pages: SitePages) -> None:
    page = site_pages.window().new_page()
    page.emulate_media(reduced_motion="no-preference")
    page.goto("/")
    page.wait_for_function("() => globalThis.viewer?.player.position > 1")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Play").wait_for()
    assert page.evaluate("viewer.player.isPlaying") is False
    assert page.evaluate("location.hash") == "", "the page's address is not the match's"
    page.emulate_media(reduced_motion="reduce")
    page.goto("/guide")
    page.goto("/")
    page.wait_for_function("() => globalThis.viewer && viewer.player.turn === viewer.player.last")


@pytest.mark.smoke
@pytest.mark.parametrize("game", ["ocean-of-code", "ice-and-fire"])
def test_a_match_is_drawn_in_its_page(game: str, site_pages: SitePages, small_ladder: SmallLadder) -> None:
    path = f"/matches/{small_ladder.matches[game][0]}"
    page = opened(site_pages, f"{path}#t=42&view=1")
    sees(page, 42)
    assert page.evaluate("shifts") == []
    assert page.evaluate("viewer.columns[0].picture.scene.shown") == (1 if game == "ocean-of-code" else -1)
    assert page.evaluate("viewer.columns[0].picture.drawn().length") > 0
    assert len(set(page.evaluate(COLOURS))) > 5
    page.keyboard.press("Shift+ArrowRight")
    sees(page, 52)
    page.keyboard.press("?")
    assert "copy a link to this turn" in page.get_by_role("dialog", name="All keys").inner_text()
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    page.keyboard.press("Home")
    sees(page, 0)
    site_pages.keep_picture(page, game)
    narrow = opened(site_pages, f"{path}#t=30", width=390, dark=True)
    assert narrow.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert narrow.evaluate("shifts") == []
    site_pages.keep_picture(narrow, f"{game}-narrow")


def test_what_bots_wrote_is_text_in_the_page(site_pages: SitePages, small_ladder: SmallLadder) -> None:
    page = opened(site_pages, f"/matches/{small_ladder.matches['ocean-of-code'][-1]}#t=95")
    panel = page.locator(".seat.now").inner_text()
    assert "</script><script>alert(1)</script>" in panel
    assert "␛[31mred" in panel
    words = page.locator("main").inner_text()
    assert words.count("</script><script>alert(1)</script>") >= 2
    assert not set(words) & set("\x1b\u202e")
    assert page.locator("main script").count() == 0


def test_two_matches_are_turned_together(site_pages: SitePages, small_ladder: SmallLadder) -> None:
    first, second = small_ladder.matches["ocean-of-code"][-2:]
    page = opened(site_pages, f"/compare?a={first}&b={second}#t=20")
    assert page.locator(".which").all_inner_texts() == [f"match {first}", f"match {second}"]
    assert page.evaluate("shifts") == []
    page.keyboard.press("ArrowRight")
    sees(page, 21)
    assert page.evaluate("new Set(viewer.columns.map((one) => JSON.stringify(one.picture.scene.state))).size") == 1
    site_pages.keep_picture(page)


def test_without_script_there_are_result_curves_and_turns(site_pages: SitePages, small_ladder: SmallLadder) -> None:
    match_id = small_ladder.matches["ice-and-fire"][0]
    page = site_pages.show(f"/matches/{match_id}", width=390, script=False)
    assert "settler@v1" in page.locator("h1").inner_text()
    assert page.locator(".turns tbody tr").count() == 200
    width, high = page.locator("img.curves").evaluate("(image) => [image.clientWidth, image.clientHeight]")
    assert width > 300
    assert high > 100
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    site_pages.keep_picture(page)


def test_a_search_is_filled_in_and_shared(site_pages: SitePages) -> None:
    page = site_pages.show("/games/ocean-of-code/matches")
    page.get_by_label("bot or version").focus()
    page.keyboard.type("kraken")
    page.get_by_label("and this filter").focus()
    page.keyboard.type("result = lost")
    page.keyboard.press("Enter")
    page.wait_for_url("**where=result**")
    assert page.locator("table.matches tbody tr").count() == 4
    page.get_by_role("link", name="bot = kraken and (result = lost)").click()
    page.wait_for_url("**where=bot**")
    assert page.locator("table.matches tbody tr").count() == 4
    site_pages.keep_picture(page)


def test_a_match_that_was_waited_for_gets_its_viewer_by_itself(
    site_pages: SitePages, small_ladder: SmallLadder, small_ladder_pool: Pool
) -> None:
    game, versions = "ocean-of-code", small_ladder.versions
    with transaction(small_ladder_pool) as connection:
        league = leagues.leagues(connection, game)[0]
        (found, *_) = records_of(game, league.rules_level, 1)
        both = versions["kraken@v2"], versions["wahoo@v1"]
        match_id, _ = insert_battle(connection, league.id, both, seed=found.seed)
    page = site_pages.show(f"/matches/{match_id}")
    assert "it is queued" in page.locator(".problem").inner_text()
    record_as(small_ladder_pool, match_id, found, is_hostile=False)
    page.wait_for_selector("canvas")
    sees(page, 0)


def test_a_match_ended_by_a_fault_has_buttons_to_its_turn(site_pages: SitePages, small_ladder: SmallLadder) -> None:
    page = opened(site_pages, f"/matches/{small_ladder.matches['ocean-of-code'][-1]}")
    button = page.get_by_role("navigation", name="Turns that matter").get_by_role(
        "button", name=re.compile(r"turn \d+: (time-out|crashed|illegal)$")
    )
    turn = int(re.findall(r"\d+", button.inner_text())[0])
    assert page.locator(".facts dd.bad a").get_attribute("href") == f"#t={turn}"
    button.click()
    sees(page, turn)
    page.keyboard.press("Home")
    sees(page, 0)
    page.locator(".facts dd.bad a").click()
    sees(page, turn)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_match_page_says_that_the_viewer_loads(site_pages: SitePages, small_ladder: SmallLadder, width: int) -> None:
    path = f"/matches/{small_ladder.matches['ocean-of-code'][0]}"
    page = site_pages.window(width=width).new_page()
    waiting: list[Route] = []

    def keep(route: Route) -> None:
        waiting.append(route)

    page.route(re.compile(r"/data$"), keep)
    page.goto(path, wait_until="domcontentloaded")
    page.locator(".loading").wait_for()
    assert "is being loaded" in page.locator(".stage").inner_text()
    site_pages.keep_picture(page, f"loading-{width}")
    for route in waiting:
        route.continue_()
    page.wait_for_selector("table.all tbody tr", state="attached")
    assert page.locator(".loading").count() == 0
    assert page.evaluate("shifts") == []
    assert not site_pages.show(path, width=width, script=False).locator(".loading").is_visible()


def test_a_list_of_matches_shows_result_and_score_on_a_phone(site_pages: SitePages) -> None:
    page = site_pages.window(width=390).new_page()
    for path in ("/games/ocean-of-code/matches", "/games/ocean-of-code/bots/kraken"):
        page.goto(path)
        site_pages.keep_picture(page, path.strip("/"))
        heads = page.locator("table.matches").first.locator("thead th").all()
        ends = {head.inner_text(): (box["x"] + box["width"] if (box := head.bounding_box()) else 0.0) for head in heads}
        wanted = {"score", "result"} & set(ends)
        assert "score" in wanted, path
        assert [head for head in wanted if ends[head] > 390] == [], path
