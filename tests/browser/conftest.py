"""A browser for the tests of a file, and the pages that a test opens in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.pages import Pages, running_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser. It ends with the file's tests, as no event loop can run in a process beside it."""
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def pages(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Pages]:
    """Opens pages with the network off. The test fails for requests, errors on the console and uncaught errors."""
    pages = Pages(browser, request.node.name.removeprefix("test_").partition("[")[0])
    yield pages
    pages.close()
