"""Pages of a served ladder in Debian's Chromium, opened by somebody who has the key.

Imports inside functions: the application takes a second, which only the tests that serve it should spend.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.browser.pages import Pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

    from tests.web.serving import Served

NOTE_CHANGES = """
    window.shifts = [];
    new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries()) {
            const moved = sources.map(({ node }) => node?.outerHTML ?? node?.textContent ?? "?");
            window.shifts.push([value, ...moved.map((text) => text.slice(0, 80))]);
        }
    }).observe({ type: "layout-shift", buffered: true });
    window.replaced = [];
    addEventListener("DOMContentLoaded", () => {
        const main = document.querySelector("main:not([data-topics=''])");
        if (main) new MutationObserver((list) => {
            for (const node of list.flatMap(({ removedNodes }) => [...removedNodes])) {
                if (node.outerHTML && node.className !== "loading") window.replaced.push(node.outerHTML.slice(0, 80));
            }
        }).observe(main, { childList: true, subtree: true });
    });
"""
"""Notes what moves in a page after it was drawn first, and which elements go, but for what says that one is loading."""
ELSEWHERE = "America/New_York"
"""Where the reader's clock shows other hours than UTC."""


class SitePages(Pages):
    """The pages of a site that a test opens."""

    def __init__(self, browser: Browser, site: Served, test: str) -> None:
        super().__init__(browser, test)
        self.site = site

    def window(
        self, *, width: int = 1280, height: int = 800, dark: bool = False, script: bool = True
    ) -> BrowserContext:
        """Open a window for some pages, of that many CSS pixels."""
        from tests.web.serving import KEY

        context = self.browser.new_context(
            base_url=self.site.address,
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            java_script_enabled=script,
            timezone_id=ELSEWHERE,
        )
        context.add_cookies([{"name": KEY.cookie_name, "value": KEY.cookie, "url": self.site.address}])
        if script:
            context.add_init_script(NOTE_CHANGES)
        context.on("page", lambda page: self._watch(page, lambda url: url.startswith(f"{self.site.address}/")))
        return context

    def show(self, path: str, *, width: int = 1280, height: int = 800, dark: bool = False, script: bool = True) -> Page:
        page = self.window(width=width, height=height, dark=dark, script=script).new_page()
        page.goto(path)
        return page

    def forgive(self, words: str) -> None:
        self.problems[:] = [problem for problem in self.problems if words not in problem]


@contextmanager
def site_pages_of(browser: Browser, site: Served, test: str) -> Iterator[SitePages]:
    pages = SitePages(browser, site, test)
    yield pages
    pages.close()
