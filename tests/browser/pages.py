"""Pages in Debian's Chromium: files with the network off, and a served ladder for somebody who has its key.

`deploy/setup.sh all-tests` installs it. Imports inside functions: Playwright and the application take a second each,
which only the tests that use them should spend.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

    from tests.web.serving import Served


CHROMIUM = ("chromium-headless-shell", "chromium")
"""The programs that will do. The first draws the same, in half of the CPU time."""
ARTEFACTS = Path(__file__).parents[2] / ".test-artefacts"
"""Where the pictures are that the tests took."""
IN_THE_PAGE = ("data:", "blob:", "about:")
"""How addresses begin that lead to no file and no network."""


def chromium_program() -> str:
    """Return where Chromium is. A test that needs it fails where it is missing."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        pytest.fail("chromium is missing: 'sh deploy/setup.sh all-tests' installs it", pytrace=False)
    return found


@contextmanager
def running_chromium(program: str | Path | None = None, *arguments: str) -> Iterator[Browser]:
    """Run a browser. `program`: one that runs it elsewhere; `arguments`: more of them."""
    from playwright.sync_api import sync_playwright

    path = chromium_program() if program is None else program
    with sync_playwright() as playwright:
        # Its own sandbox refuses to run as root.
        sandbox = os.geteuid() != 0
        browser = playwright.chromium.launch(executable_path=path, chromium_sandbox=sandbox, args=list(arguments))
        yield browser
        browser.close()


@dataclass
class Pages:
    """The pages that a test opens. `problems`: what no page may do, such as a request or an error on the console."""

    browser: Browser
    test: str
    problems: list[str] = field(default_factory=list)

    def open(
        self,
        file: Path,
        *,
        fragment: str = "",
        width: int = 1200,
        height: int = 800,
        dark: bool = False,
        reduced_motion: bool = False,
        script: bool = True,
    ) -> Page:
        """Open a file as from a disk, in a window of that many CSS pixels. `fragment`: what follows `#`."""
        context = self.browser.new_context(
            offline=True,
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if reduced_motion else "no-preference",
            java_script_enabled=script,
        )
        page = context.new_page()
        own = file.resolve().as_uri()
        self._watch(page, lambda url: url.partition("#")[0] == own)
        page.goto(own + (f"#{fragment}" if fragment else ""))
        return page

    def _watch(self, page: Page, is_own: Callable[[str], bool]) -> None:
        """Note what the page may not do. `is_own`: says whether it may ask for an address."""

        def note_request(request: Request) -> None:
            if not is_own(request.url) and not request.url.startswith(IN_THE_PAGE):
                self.problems.append(f"asks for {request.url[:200]}")

        def note_message(message: ConsoleMessage) -> None:
            if message.type in {"error", "warning"}:
                self.problems.append(f"writes to the console ({message.type}): {message.text}")

        page.on("request", note_request)
        page.on("console", note_message)
        page.on("pageerror", lambda error: self.problems.append(f"does not catch an error: {error.message}"))
        page.on("crash", lambda _: self.problems.append("crashes"))

    def keep_picture(self, page: Page, name: str = "", *, full_page: bool = False) -> Path:
        """Keep a picture of a page as an artefact of the run. `full_page`: also what is below the window's end."""
        ARTEFACTS.mkdir(exist_ok=True)
        path = ARTEFACTS / f"{self.test}{'-' if name else ''}{re.sub('[^A-Za-z0-9-]+', '-', name)}.png"
        page.screenshot(path=path, full_page=full_page)
        return path

    def close(self) -> None:
        for context in self.browser.contexts:
            context.close()
        assert self.problems == []


def opened(pages: Pages, path: Path, fragment: str = "", **screen: Any) -> Page:
    page = pages.open(path, fragment=fragment, **screen)
    page.wait_for_selector("table.all tbody tr", state="attached")
    return page


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
