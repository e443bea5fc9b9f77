"""Sentences that read oddly to newcomers are gone from the program, and what replaced them is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = {
    path: re.sub(r'"\s*\n\s*f?"', "", path.read_text("utf-8"))
    for folder in ("cli", "workers", "ladder", "engine")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".md"} and path.is_file()
}
"""All that the program can say; strings over several lines are joined."""

ODD = (
    "nobody's loss",
    "nobody's else",
    "waits to be built",
    "of the point expected",
    "--watch ends with its exit status if it is not",
    "Let nothing stand",
    "so as many matches at once",
    "it stays off the board",
    "begun again:",
    "Tell in ten lines",
    "loses by a rule or gives no answer",
    "Who loses by a rule",
    "named no target of two integers",
    '"at first"',
    "nobody reads the output",
    "What a file leaves out stays",
    "it is put aside'",
    "should be a valid integer",
    '"disabled" (',
)
PLAIN = (
    "submitted {version.name}; it is being built",
    "(was expected to win ",
    "--watch exits with the gauntlet's status when it fails",
    "automatic gauntlets for {done.for_} are off; running ones continue",
    '"Turn it off."',
    "so matches will be slow or played again",
    ": too few to tell",
    "it is not on the board; to override: `ladder bot activate ",
    "replayed after a crash: ",
    "dropped because bots changed league",
    "A player who breaks a rule or does not answer scores -1",
    "needs two integers, x and y",
    "since the start",
    "141 output closed (for example by `| head`)",
    "Settings not in the file are unchanged",
    " is a file: add --local, or submit it",
    " number; `ladder {LISTS[of]}` lists them",
)


@pytest.mark.parametrize("words", ODD)
def test_an_odd_sentence_is_gone(words: str) -> None:
    joined = re.sub(r"\s+", " ", words)
    assert [str(path) for path, text in SOURCES.items() if joined in re.sub(r"\s+", " ", text)] == []


@pytest.mark.parametrize("words", PLAIN)
def test_a_plain_sentence_is_said(words: str) -> None:
    assert any(words in re.sub(r"\s+", " ", text) for text in SOURCES.values())
