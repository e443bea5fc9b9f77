"""The viewer's style sheet: for a page of its own, and for its place in a page of a site.

How this works. There is one sheet, written for the page of a match as a file. In a site's page its rules stand inside
of `.viewer`, as style sheets can be nested: so they style nothing else there, and what the sheet says of the whole page
(`:root`, `body`) it says of that place.
"""

from __future__ import annotations

import re
from functools import cache

from ladder.viewer.script import ASSETS

WHOLE_PAGE = re.compile(r"^( *)(?::root|body)(?= \{)", re.MULTILINE)


@cache
def style_of_page() -> str:
    """Return the style sheet of a page that shows nothing but matches."""
    return (ASSETS / "page.css").read_text("utf-8")


@cache
def style_in_site() -> str:
    """Return the style sheet of what stands in an element of the class `viewer`."""
    rules = WHOLE_PAGE.sub(r"\1&", style_of_page())
    return f".viewer {{\n{rules}}}\n"
