"""The picture of the demo is made from what a run prints, and fits a page."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, fromstring

import pytest

from tests.documents.picture import PICTURE, WIDTH, shown, svg

RUN = """\
sandbox: bubblewrap
Legend (ocean-of-code)
┏━━━━━━┳━━━━━━━━━┓
┃ rank ┃ version ┃
┡━━━━━━╇━━━━━━━━━┩
│    1 │ a<b&c   │
└──────┴─────────┘
Gold (ocean-of-code)
┏━━━━━━┳━━━━━━━━━┓
┃ rank ┃ version ┃
┡━━━━━━╇━━━━━━━━━┩
│    1 │ golden  │
└──────┴─────────┘

what happened
  matches: 2 asked for

what next
  /home/somebody/ladder up
"""


def texts(picture: str) -> list[str]:
    """Return the words of a picture, run by run."""
    return [text_of(element) for element in fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314 - ours


def text_of(element: Element) -> str:
    """Return what one run of words says."""
    return element.text or ""


def test_the_picture_shows_some_boards_whole_and_names_the_others() -> None:
    assert texts(svg(shown(RUN))) == [
        "$ make demo",
        "sandbox: bubblewrap",
        "Legend (ocean-of-code)",
        *("rank", "version", "1", "a<b&c"),
        "... Gold ...",
        "what happened",
        "matches: 2 asked for",
    ]


def test_a_run_that_ended_early_gives_no_picture() -> None:
    with pytest.raises(ValueError, match="no summary"):
        shown("sandbox: bubblewrap\n")


def test_the_picture_that_readers_see_shows_a_whole_run_and_no_path_of_a_machine() -> None:
    picture = PICTURE.read_text("utf-8")
    words = texts(picture)
    assert words[0] == "$ make demo"
    assert any(line.startswith("exactly once: ") for line in words)
    assert not [line for line in words if re.search(r"(^|[ =])/\w", line)]


def test_the_summary_in_the_picture_has_the_words_of_today() -> None:
    labels = [
        label for line in texts(PICTURE.read_text("utf-8")) for label in re.findall(r"(?:^|; )([a-z -]+): ", line)
    ]
    demo = (PICTURE.parents[2] / "cli" / "demo.py").read_text("utf-8")
    missing = [label for label in labels if f"{label}: " not in demo]
    assert not missing, "the demo prints something else now; tests/documents/picture.py says how to renew the picture"
    assert "exactly once" in labels


def test_the_picture_is_no_wider_than_a_page() -> None:
    picture = fromstring(PICTURE.read_text("utf-8"))  # noqa: S314 - ours
    assert float(picture.attrib["viewBox"].split()[2]) <= 112 * WIDTH
