"""Draws `docs/pictures/match.png`, the page of a match as the README shows it, at a turn of it.

ladder play ocean-of-code boss-gold boss-silver --seed 42 --html match.html
.venv/bin/python -m tests.browser.picture match.html 57
"""

import sys
from pathlib import Path

from tests.browser.pages import Pages, running_chromium

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "match.png"
WIDTH, HEIGHT = 1200, 1035
"""Of the window, in CSS pixels: down to the curves."""


def main() -> None:
    """Draw the page of a match at a turn, both named on the command line."""
    page_file, turn = sys.argv[1:]
    with running_chromium() as browser:
        pages = Pages(browser, "picture")
        page = pages.open(Path(page_file), fragment=f"t={turn}", width=WIDTH, height=HEIGHT, reduced_motion=True)
        page.locator("canvas").first.wait_for()
        page.screenshot(path=PICTURE, animations="disabled")


if __name__ == "__main__":
    main()
