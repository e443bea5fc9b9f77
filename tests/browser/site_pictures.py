"""Draws the pictures of the pages in the documents from a ladder that runs, such as one that `ladder demo` has left.

.venv/bin/python -m tests.browser.site_pictures 'http://127.0.0.1:8210/?key=...' \\
    home=/ board=/games/ocean-of-code/leagues/bronze bot=/games/ocean-of-code/bots/kraken gauntlet=/gauntlets/1
"""

import sys
from pathlib import Path

from tests.browser.pages import running_chromium

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
WIDTH = 1200
BOTTOM = "(main) => Math.ceil(Math.max(...Array.from(main.children, (one) => one.getBoundingClientRect().bottom)))"
STAGE = ".stage.alone"
MOST_HIGH = 800
"""Of a picture, in CSS pixels; a longer page is cut."""


def main() -> None:
    """Draw pages, each named on the command line after its picture, of a ladder whose address comes first."""
    address, *wanted = sys.argv[1:]
    with running_chromium() as browser:
        page = browser.new_page(
            viewport={"width": WIDTH, "height": MOST_HIGH}, color_scheme="light", reduced_motion="reduce"
        )
        page.goto(address)
        for picture in wanted:
            name, _, path = picture.partition("=")
            page.goto(address.partition("/?")[0] + path)
            if page.locator(STAGE).count():
                page.locator(f"{STAGE} canvas").wait_for()
            high = min(MOST_HIGH, 20 + page.locator("main").evaluate(BOTTOM))
            page.screenshot(
                path=PICTURES / f"{name}.png",
                clip={"x": 0, "y": 0, "width": WIDTH, "height": high},
                animations="disabled",
            )


if __name__ == "__main__":
    main()
