"""Boards that are written as files, in the browser with the network off."""

from __future__ import annotations

from pathlib import Path

from ladder.database.connection import Pool, transaction
from ladder.views.pages.live_boards import live_boards
from ladder.web.pages.boards import boards_file
from tests.browser.pages import Pages
from tests.catalogue import GAMES


def test_a_board_as_a_file_has_the_style_of_the_pages(pages: Pages, small_ladder_pool: Pool, tmp_path: Path) -> None:
    """Its policy lets that style sheet in and nothing else; on a narrow screen the table alone scrolls sideways."""
    with transaction(small_ladder_pool) as connection:
        found = live_boards(connection, "ocean-of-code")
    file = tmp_path / "board.html"
    file.write_text(boards_file(found, GAMES), "utf-8")
    for width, dark, ground in ((1280, False, "rgb(255, 255, 255)"), (390, True, "rgb(18, 22, 27)")):
        page = pages.open(file, width=width, dark=dark)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("table.board tbody tr").count() == len(found[0].rows)
        assert page.locator("svg.rating").first.bounding_box() is not None
        pages.keep_picture(page, f"{width}", full_page=True)
    assert pages.problems == []
