"""The picture of the demo is made from what a run prints, and is what the demo prints today."""

import re
from collections import Counter
from xml.etree.ElementTree import Element, fromstring

import pytest

from cli.demo import HEAD, NEXT, ROUNDS, event_text
from ladder.views.summary import ARRIVAL, BoardEvent
from tests.documents.picture import CHECKOUT, PICTURE, WIDTH, shown, svg

FIGURES = r"\d+ s +\d+ +\d+\.\d  "
EVENT = (
    r"\w+@v\d+ (?:(?:begins|takes over) in|back to|up to) [\w ]+(?:: (?:beat|passed) [\w-]+ \d+:\d+(?:, \d+ drawn)?)?"
)

RUN = """\
round 1: submitted minnow@v1
  time  matches  per s
   2 s        4    2.0  minnow@v1 begins in Wood 2

Legend (ocean-of-code)
┏━━━━━━┳━━━━━━━━━┓
┃ rank ┃ version ┃
┡━━━━━━╇━━━━━━━━━┩
│    1 │ a<b&c   │
└──────┴─────────┘
Gold (ocean-of-code)
┏━━━━━━┳━━━━━━━━━┓
┃ rank ┃ version ┃
└──────┴─────────┘

what happened
  matches: 2 asked for

match 3, Gold: a against b
look at it: ladder match view 3

what next
  bin/ladder up  start your own ladder
"""


def texts(picture: str) -> list[str]:
    return [text_of(element) for element in fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314 - ours


def text_of(element: Element) -> str:
    return element.text or ""


def test_the_picture_shows_the_highest_board_and_neither_the_others_nor_what_to_type_next() -> None:
    assert texts(svg(shown(RUN))) == [
        "$ make demo",
        "round 1: submitted minnow@v1",
        *("time", "matches", "per s"),
        *("2 s", "4", "2.0", "minnow@v1 begins in Wood 2"),
        "Legend (ocean-of-code)",
        *("rank", "version", "1", "a<b&c"),
        "...",
        "what happened",
        "matches: 2 asked for",
        "match 3, Gold: a against b",
        "look at it: ladder match view 3",
    ]


def test_a_run_that_ended_early_gives_no_picture() -> None:
    with pytest.raises(ValueError, match="not a whole run"):
        shown("round 1: submitted minnow@v1\n")


def recorded() -> list[str]:
    """Return the lines of the picture, with two blanks between the words of its columns."""
    lines: dict[str, list[str]] = {}
    for element in fromstring(PICTURE.read_text("utf-8")).iter("{http://www.w3.org/2000/svg}text"):  # noqa: S314 - ours
        lines.setdefault(element.attrib["y"], []).append(text_of(element))
    return ["  ".join(words) for words in lines.values()]


def test_the_picture_shows_a_run_of_the_demo_as_it_is_today() -> None:
    lines = recorded()[1:]
    rounds = [line for line in lines if line.startswith("round ")]
    assert rounds == [f"round {number}: submitted {', '.join(names)}" for number, names in enumerate(submitted(), 1)]
    assert lines[1] == "  ".join(re.split(" {2,}", HEAD.strip()))
    board = next(at for at, line in enumerate(lines) if line.endswith("(ocean-of-code)"))
    events = [line for line in lines[2:board] if not line.startswith("round ")]
    assert not [line for line in events if not re.fullmatch(FIGURES + EVENT, line)]
    for entry in (entry for entries in ROUNDS for entry in entries):
        assert [line for line in events if f"  {entry.bot}@v" in line]


def test_the_readme_has_the_commands_that_the_demo_ends_with() -> None:
    readme = (CHECKOUT / "README.md").read_text("utf-8")
    assert not [command for command in NEXT if f"    bin/ladder {command} " not in readme]


def submitted() -> list[list[str]]:
    before: Counter[str] = Counter()
    rounds: list[list[str]] = []
    for entries in ROUNDS:
        before.update(entry.bot for entry in entries)
        rounds.append([f"{entry.bot}@v{before[entry.bot]}" for entry in entries])
    return rounds


def test_the_form_of_events_is_what_the_program_writes() -> None:
    written = [
        event_text(BoardEvent("kraken@v1", ARRIVAL, "Wood 2", None, 0, 0, 0)),
        event_text(BoardEvent("kraken@v2", ARRIVAL, "Legend", None, 0, 0, 0)),
        event_text(BoardEvent("kraken@v1", "promotion", "Bronze", "boss-wood-1", 9, 0, 1)),
        event_text(BoardEvent("orca@v1", "promotion", "Wood 1", "boss-wood-2", 3, 5, 4)),
        event_text(BoardEvent("orca@v1", "demotion", "Wood 2", "boss-wood-1", 0, 0, 9)),
    ]
    assert written == [
        "kraken@v1 begins in Wood 2",
        "kraken@v2 takes over in Legend",
        "kraken@v1 up to Bronze: beat boss-wood-1 9:1",
        "orca@v1 up to Wood 1: passed boss-wood-2 3:4, 5 drawn",
        "orca@v1 back to Wood 2",
    ]
    assert not [words for words in written if not re.fullmatch(EVENT, words)]


def test_the_picture_shows_no_path_of_a_machine() -> None:
    words = texts(PICTURE.read_text("utf-8"))
    assert words[0] == "$ make demo"
    assert any(line.startswith("exactly once: ") for line in words)
    assert not [line for line in words if re.search(r"(^|[ =])/\w", line)]


def test_the_summary_in_the_picture_has_the_words_of_today() -> None:
    words = texts(PICTURE.read_text("utf-8"))
    happened = words[words.index("what happened") + 1 :][:5]
    labels = [label for line in happened for label in re.findall(r"(?:^|; )([a-z -]+): ", line)]
    ending = (CHECKOUT / "cli" / "demo.py").read_text("utf-8")
    missing = [label for label in labels if f"{label}: " not in ending]
    assert not missing, "the demo prints something else now; tests/documents/picture.py says how to renew the picture"
    assert "exactly once" in labels


def test_the_picture_is_no_wider_than_a_page() -> None:
    picture = fromstring(PICTURE.read_text("utf-8"))  # noqa: S314 - ours
    assert float(picture.attrib["viewBox"].split()[2]) <= 112 * WIDTH
