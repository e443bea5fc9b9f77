"""The tests' browser notices what no page may do, and says how to get it where it is missing."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.pages import Pages, chromium_program
from tests.patience import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page


def written(path: Path, body: str) -> Path:
    path.write_text(f"<!doctype html><meta charset=utf-8><title>A page</title>{body}", "utf-8")
    return path


def test_requests_errors_and_messages_of_a_page_fail_its_test(pages: Pages, tmp_path: Path) -> None:
    """A picture inside the page, a dark screen and the part of the address after # are in order."""
    (tmp_path / "other.js").write_text("1")
    image = "<img alt='' src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>"
    page = pages.open(written(tmp_path / "good.html", image), fragment="t=2", width=390, dark=True)
    assert page.evaluate("[innerWidth, location.hash, matchMedia('(prefers-color-scheme: dark)').matches]") == [
        390,
        "#t=2",
        True,
    ]
    assert page.evaluate("navigator.onLine") is False
    assert pages.problems == []

    for body, problem in {
        "<script src=other.js></script>": "asks for file:///",
        "<script>fetch('https://example.org/').catch(() => 0)</script>": "asks for https://example.org/",
        "<script>console.error('oh')</script>": "writes to the console (error): oh",
        "<script>setTimeout(() => { throw new Error('no') })</script>": "does not catch an error: no",
        "<script>Promise.reject(new Error('late'))</script>": "does not catch an error: late",
    }.items():
        page = pages.open(written(tmp_path / "bad.html", body))
        wait_until(partial(problems_soon, pages, page), problem)
        assert [found[: len(problem)] for found in pages.problems] == [problem]
        page.close()
        pages.problems.clear()


def problems_soon(pages: Pages, page: Page) -> list[str]:
    if not pages.problems:
        page.wait_for_timeout(20)
    return pages.problems


def test_a_missing_browser_fails_a_test_with_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pytest.fail.Exception, match=r"^chromium is missing: 'sh deploy/setup\.sh all-tests' "):
        chromium_program()
