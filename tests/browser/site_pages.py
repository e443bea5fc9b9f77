"""Pages of a served ladder in Debian's Chromium, opened by somebody who has the key.

Imports inside functions: the application takes a second, which only the tests that serve it should spend.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.pages import ARTEFACTS, IN_THE_PAGE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

    from tests.web.serving import Served

NOTE_SHIFTS = """
    window.shifts = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
            const moved = entry.sources.map((source) => source.node?.outerHTML ?? source.node?.textContent ?? "?");
            window.shifts.push([entry.value, ...moved.map((html) => html.slice(0, 80))]);
        }
    }).observe({ type: "layout-shift", buffered: true });
"""
"""Notes what moves in a page after it was drawn first."""
ELSEWHERE = "America/New_York"
"""Where the reader's clock shows other hours than UTC."""


@dataclass
class SitePages:
    """The pages of a site that a test opens. `problems`: what no page may do, such as asking another host."""

    browser: Browser
    site: Served
    test: str
    problems: list[str] = field(default_factory=list)

    def window(
        self, *, width: int = 1280, height: int = 800, dark: bool = False, script: bool = True, may_fail: bool = False
    ) -> BrowserContext:
        """Open a window for some pages, of that many CSS pixels. `may_fail`: answers that refuse are no problem."""
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
            context.add_init_script(NOTE_SHIFTS)
        context.on("page", lambda page: self._watch(page, may_fail=may_fail))
        return context

    def open(self, path: str, *, width: int = 1280, height: int = 800, dark: bool = False, script: bool = True) -> Page:
        """Open a page in a window of its own."""
        page = self.window(width=width, height=height, dark=dark, script=script).new_page()
        page.goto(path)
        return page

    def _watch(self, page: Page, *, may_fail: bool) -> None:
        """Note what the page may not do."""

        def note_request(request: Request) -> None:
            if not request.url.startswith((self.site.address + "/", *IN_THE_PAGE)):
                self.problems.append(f"{page.url} asks for {request.url[:200]}")

        def note_message(message: ConsoleMessage) -> None:
            is_refusal = may_fail and message.text.startswith("Failed to load resource")
            if message.type in {"error", "warning"} and not is_refusal:
                self.problems.append(f"{page.url} writes to the console ({message.type}): {message.text}")

        page.on("request", note_request)
        page.on("console", note_message)
        page.on("pageerror", lambda error: self.problems.append(f"{page.url} does not catch: {error.message}"))
        page.on("crash", lambda _: self.problems.append(f"{page.url} crashes"))

    def keep_picture(self, page: Page, name: str = "", *, full_page: bool = False) -> Path:
        """Keep a picture of a page as an artefact of the run. `full_page`: also what is below the window's end."""
        ARTEFACTS.mkdir(exist_ok=True)
        path = ARTEFACTS / f"{self.test}{'-' if name else ''}{re.sub('[^A-Za-z0-9-]+', '-', name)}.png"
        page.screenshot(path=path, full_page=full_page)
        return path

    def close(self) -> None:
        """Close all pages; fail for what they did that no page may do."""
        for context in self.browser.contexts:
            context.close()
        assert self.problems == []


@contextmanager
def site_pages_of(browser: Browser, site: Served, test: str) -> Iterator[SitePages]:
    """Open pages of a site within the block, which fails at its end for what they did that no page may do."""
    pages = SitePages(browser, site, test)
    yield pages
    pages.close()
