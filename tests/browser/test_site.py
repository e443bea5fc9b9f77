"""Every page of the site in Chromium: light and dark, wide and narrow, by keyboard alone, and without script."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from ladder.database.connection import Pool
from ladder.web import watcher
from tests.browser.pages import ELSEWHERE, SitePages
from tests.web.a_ladder import BusyLadder
from tests.web.serving import Served, page_routes

if TYPE_CHECKING:
    from playwright.sync_api import Page

OCEAN, ICE = "/games/ocean-of-code", "/games/ice-and-fire"
SHIFTED = "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(shifts))))"
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
UNREACHABLE = """() => Array.from(document.querySelectorAll("a[href], button, input, select, textarea, summary"))
    .filter((one) => one.tabIndex < 0 && !one.disabled && one.type !== "hidden").map((one) => one.outerHTML)"""
SCROLLS_UNREACHABLY = """() => Array.from(document.querySelectorAll("main *"))
    .filter((one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth
        && one.tabIndex < 0 && !one.querySelector("a[href], button, input")).map((one) => one.outerHTML.slice(0, 80))"""
NOTE_FOCUS = """() => {
    window.unseen = [];
    document.addEventListener("focusin", ({ target }) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(target);
        const box = target.getBoundingClientRect();
        const isSeen = box.width > 0 && box.right > 0 && outlineStyle !== "none" && outlineWidth !== "0px";
        if (!isSeen) window.unseen.push(target.outerHTML.slice(0, 80));
    });
}"""
"""Notes each element that gets the focus and does not show it."""
VIEWER = ".stage:not(.alone)"
TURNS_ALIKE = f"{VIEWER} tbody tr:nth-child(n + 5)"
"""A match has hundreds of turns, each as those above it, and axe takes seconds for them."""
KEEP_NEW_KINDS = """() => {
    const styling = ["aria-disabled", "class", "role", "style", "type"];
    const before = new Set(JSON.parse(sessionStorage.getItem("kinds") ?? "[]"));
    const kinds = new Map([[document, [...document.styleSheets].map((sheet) => sheet.href ?? sheet.cssRules.length)]]);
    const kept = new Set([document.documentElement, document.body]), here = {};
    for (const one of document.querySelectorAll("*")) {
        const own = [...one.attributes].map(({ name, value }) => (styling.includes(name) ? `${name}=${value}` : name));
        const saysSomething = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
        const itself = `${one.tagName} ${own.sort()} ${saysSomething} ${one.checkVisibility()}`;
        const kind = `${kinds.get(one.parentNode)} > ${itself}`;
        kinds.set(one, kind);
        here[kind] = (here[kind] ?? 0) + 1;
        if (!before.has(kind) && here[kind] <= 2) for (let up = one; up; up = up.parentNode) kept.add(up);
    }
    sessionStorage.setItem("kinds", JSON.stringify([...before, ...Object.keys(here)]));
    for (const one of document.body.querySelectorAll("*")) if (!kept.has(one)) one.remove();
}"""
"""Keeps two elements of each kind that no page before had, in all that they stand in: colours go by kinds.

A kind is what style sheets go by: an element's name and attributes, and so of all that it stands in.
"""
ONLY_CONTRAST: dict[str, object] = {"runOnly": ["color-contrast"]}
ALL_BUT_CONTRAST: dict[str, object] = {"rules": {"color-contrast": {"enabled": False}}}
NOTE_FIRST_THEME = """new MutationObserver((_, observer) => {
    if (document.body) observer.disconnect(), window.first = document.documentElement.dataset.theme;
}).observe(document, { childList: true, subtree: true });"""
"""Notes the theme that holds when a page's body begins."""
AXE = "(options) => axe.run(options).then(({ violations }) => violations)"
IMPACTS = {"moderate", "serious", "critical"}
TABS = 12
"""This many stops of the keyboard are looked at on each page."""


def examples(busy: BusyLadder) -> dict[str, list[str]]:
    """Where each page is, by its route. The last matches have hostile words, and ended by a fault."""
    ocean = busy.small.matches["ocean-of-code"]
    return {
        "/": ["/"],
        "/games/{}": [OCEAN],
        "/games/{}/contest": [f"{OCEAN}/contest", f"{ICE}/contest"],
        "/games/{}/leagues/{}": [f"{OCEAN}/leagues/wood-2", f"{OCEAN}/leagues/legend"],
        "/games/{}/bots/{}": [f"{OCEAN}/bots/kraken", f"{OCEAN}/bots/boss-gold"],
        "/games/{}/bots/{}/losses": [f"{OCEAN}/bots/wahoo/losses"],
        "/games/{}/bots/{}/v/{}": [f"{OCEAN}/bots/kraken/v/2", f"{ICE}/bots/settler/v/1"],
        "/games/{}/bots/{}/v/{}/source": [
            f"{OCEAN}/bots/kraken/v/2/source",
            f"{OCEAN}/bots/kraken/v/2/source?against=v1",
        ],
        "/games/{}/versus": [f"{OCEAN}/versus?a=kraken@v2&b=wahoo"],
        "/games/{}/matches": [f"{OCEAN}/matches?where=turns+>+10"],
        "/games/{}/projector": [f"{OCEAN}/projector"],
        "/games/{}/similar": [f"{OCEAN}/similar"],
        "/games/{}/resolver": [f"{ICE}/resolver"],
        "/games/{}/rules/{}": [f"{OCEAN}/rules/wood-2"],
        "/games/{}/seasons/{}": [f"{ICE}/seasons/1"],
        "/matches/{}": [f"/matches/{match_id}" for match_id in (ocean[-1], busy.void[0])],
        "/compare": [f"/compare?a={ocean[-2]}&b={ocean[-1]}"],
        "/gauntlets": ["/gauntlets"],
        "/gauntlets/{}": [f"/gauntlets/{gauntlet_id}" for gauntlet_id in (*busy.gauntlets.values(), busy.tune)],
        "/players/{}": ["/players/kim"],
        "/operations": ["/operations"],
        "/clarifications": ["/clarifications"],
        "/guide": ["/guide"],
        "/guide/{}": ["/guide/first-bot"],
        "/api": ["/api"],
        "/search": ["/search?q=a"],
    }


@pytest.fixture(scope="module")
def site(busy_site: Served, busy_ladder_pool: Pool) -> Served:
    from ladder.access import Actor, Role
    from ladder.actions import clarifications, games, seasons

    kim = Actor("kim", Role.OPERATOR)
    for text in ("The series begins at 18:00.", "A <b>long</b> word: " + "x" * 500):
        clarifications.announce(kim, busy_ladder_pool, text, "ice-and-fire")
    asked = clarifications.ask_question(kim, busy_ladder_pool, "May a bot write to stderr?")
    clarifications.ask_question(kim, busy_ladder_pool, "And sleep?\nFor long?")
    clarifications.answer(kim, busy_ladder_pool, asked.id, "Yes, 64 kB of it.")
    games.freeze_boards(kim, busy_ladder_pool, "ice-and-fire", datetime.now(UTC))
    until = datetime.now(UTC) + timedelta(days=20, minutes=30)
    terms = seasons.ContestTerms(title="Winter cup", rules="Be kind.\nAsk in the forum.")
    seasons.open_contest(kim, busy_ladder_pool, "ice-and-fire", until, terms=terms)
    seasons.close(kim, busy_ladder_pool, "ice-and-fire")
    seasons.open_contest(kim, busy_ladder_pool, "ocean-of-code", until, frozen_from=until, terms=terms)
    return busy_site


@pytest.fixture
def paths(busy_ladder: BusyLadder, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(watcher, "PERIOD_S", 0.05)
    known = examples(busy_ladder)
    return [path for route in page_routes() for path in known[route]]


def opened(page: Page, path: str) -> None:
    page.goto(path)
    if page.locator(VIEWER).count():
        page.locator("table.all tbody tr").first.wait_for(state="attached")
    if page.locator(".stage.alone").count():
        page.locator(".stage.alone canvas").wait_for()
    if page.locator("main").get_attribute("data-topics"):
        page.wait_for_function("() => performance.getEntriesByName(location.href, 'resource').length > 0")


def test_every_route_has_an_example(busy_ladder: BusyLadder) -> None:
    assert set(page_routes()) == set(examples(busy_ladder))


def test_every_page_is_drawn_at_once_and_without_faults_in_any_light(site_pages: SitePages, paths: list[str]) -> None:
    page = site_pages.window().new_page()
    wrong = []
    for path in paths:
        page.emulate_media(color_scheme="light")
        wrong += [*faults_as_it_is_drawn(site_pages, page, path), *faults_by_axe(page, path)]
    assert wrong == []


def test_on_a_dark_phone_pages_stay_and_are_reached_by_keyboard(site_pages: SitePages, paths: list[str]) -> None:
    page = site_pages.window(width=390, dark=True).new_page()
    wrong = []
    for path in paths:
        wrong += [*faults_as_it_is_drawn(site_pages, page, path), *faults_by_keyboard(page, path)]
    assert wrong == []


def faults_as_it_is_drawn(site_pages: SitePages, page: Page, path: str) -> list[object]:
    """Open a page. Nothing moves after it was drawn, no refresh takes out what stays, none is wider than the window.

    Pictures show what is wrong.
    """
    opened(page, path)
    wrong: list[object] = [(path, "moves", shift) for shift in page.evaluate(SHIFTED)]
    wrong += [(path, "is taken out", html) for html in page.evaluate("replaced")]
    wrong += [(path, "is too wide", excess) for excess in [page.evaluate(TOO_WIDE)] if excess > 0]
    wrong += [(path, problem) for problem in site_pages.problems]
    site_pages.problems.clear()
    if wrong:
        site_pages.keep_picture(page, path.strip("/") or "home", full_page=True)
    return wrong


def faults_by_axe(page: Page, path: str) -> list[object]:
    """axe finds nothing that matters, by all of its rules in a light page and by contrast when it has become dark."""
    page.locator(TURNS_ALIKE).evaluate_all("(rows) => rows.forEach((row) => row.remove())")
    found = faults(page, ALL_BUT_CONTRAST)
    page.evaluate(KEEP_NEW_KINDS)
    found += faults(page, ONLY_CONTRAST)
    page.emulate_media(color_scheme="dark")
    return [(path, *fault) for fault in [*found, *faults(page, ONLY_CONTRAST)]]


def faults(page: Page, rules: Mapping[str, object] = MappingProxyType({})) -> list[tuple[str, list[str]]]:
    """What axe finds in a page that is more than minor: which rule, and where. `rules`: those that it goes by."""
    from axe_playwright_python.sync_playwright import Axe

    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    violations = page.evaluate(AXE, {"resultTypes": ["violations"], **rules})
    return [
        (one["id"], [node["html"][:150] for node in one["nodes"][:3]]) for one in violations if one["impact"] in IMPACTS
    ]


def faults_by_keyboard(page: Page, path: str) -> list[object]:
    page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.className")
    page.keyboard.press("Enter")
    target = page.evaluate("document.activeElement.id")
    wrong: list[object] = [] if (first, target) == ("skip", "main") else [(path, "does not skip", first, target)]
    page.evaluate(NOTE_FOCUS)
    for _ in range(TABS):
        page.keyboard.down("Tab")
    page.keyboard.up("Tab")
    wrong += [(path, "shows no focus", html) for html in page.evaluate("unseen")]
    wrong += [(path, "cannot be reached", html) for html in page.evaluate(UNREACHABLE)]
    wrong += [(path, "cannot be scrolled", html) for html in page.evaluate(SCROLLS_UNREACHABLY)]
    return wrong


def test_without_script_every_page_says_what_it_is_for(site_pages: SitePages, paths: list[str]) -> None:
    page = site_pages.window(script=False).new_page()
    wrong = []
    for path in paths:
        page.goto(path)
        headings = page.locator("h1").all_inner_texts()
        says_something = len(headings) == 1 and headings[0].strip() and len(page.locator("main").inner_text()) > 80
        if not says_something or not page.title().endswith("Ladder"):
            wrong.append((path, page.title(), headings))
    assert wrong == []


def test_times_are_written_in_the_readers_zone_with_utc_in_the_title(site_pages: SitePages) -> None:
    page = site_pages.show(f"{OCEAN}/matches")
    utc = page.locator("main time").first.get_attribute("title")
    written = page.locator("main time").first.inner_text()
    assert utc is not None
    at = datetime.strptime(utc, "%Y-%m-%d %H:%M UTC").replace(tzinfo=UTC)
    assert written == at.astimezone(ZoneInfo(ELSEWHERE)).strftime("%Y-%m-%d %H:%M")
    assert site_pages.show(f"{OCEAN}/matches", script=False).locator("main time").first.inner_text() == utc


def test_the_theme_chosen_holds_from_the_first_paint(site_pages: SitePages, busy_ladder: BusyLadder) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    context = site_pages.window()
    page, beside = context.new_page(), context.new_page()
    beside.goto(f"/matches/{busy_ladder.small.matches['ocean-of-code'][0]}")
    beside.wait_for_selector("table.all tbody tr", state="attached")
    page.goto("/")
    light = page.evaluate(ground)
    page.get_by_label("Light or dark").select_option("Dark")
    dark = page.evaluate(ground)
    assert light != dark
    beside.wait_for_function(f"(dark) => {ground} === dark", arg=dark)
    page.add_init_script(NOTE_FIRST_THEME)
    page.goto("/guide")
    assert (page.evaluate("first"), page.evaluate(ground)) == ("dark", dark)
    assert page.get_by_label("Light or dark").input_value() == "dark"
    page.get_by_label("Light or dark").select_option("System")
    assert page.evaluate(ground) == light
    assert page.get_by_role("link", name="A Code of Ice and Fire").get_attribute("href") == ICE
