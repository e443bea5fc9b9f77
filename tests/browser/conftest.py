"""A browser for the tests of this folder, and the pages that a test opens in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.pages import CHROMIUM, Pages, SitePages, running_chromium, site_pages_of
from tests.processes import require_program
from tests.throwaway import end_fixture
from tests.web.conftest import (
    busy_ladder,
    busy_ladder_pool,
    busy_site,
    site,
    small_ladder,
    small_ladder_pool,
    with_busy_ladder,
    with_small_ladder,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.web.serving import Served

FOLDER = Path(__file__).parent

__all__ = [
    "browser",
    "busy_ladder",
    "busy_ladder_pool",
    "busy_site",
    "pages",
    "site",
    "site_pages",
    "small_ladder",
    "small_ladder_pool",
    "with_busy_ladder",
    "with_small_ladder",
]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """End the browser with the folder's tests: no event loop can run in a process beside it."""
    done = yield
    if item.path.parent == FOLDER and (nextitem is None or nextitem.path.parent != FOLDER):
        end_fixture("browser", item)
    return done


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    require_program(*CHROMIUM)
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def pages(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Pages]:
    pages = Pages(browser, request.node.name.removeprefix("test_").partition("[")[0])
    yield pages
    pages.close()


@pytest.fixture
def site_pages(request: pytest.FixtureRequest, browser: Browser, site: Served) -> Iterator[SitePages]:
    with site_pages_of(browser, site, request.node.name.removeprefix("test_").partition("[")[0]) as pages:
        yield pages
