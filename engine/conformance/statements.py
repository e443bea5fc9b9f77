"""The statements of a game: the rules of every level, in each language in which it has any."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import product

from engine.errors import GameFault
from engine.game import ENGLISH, Game

SHORTEST_CHARS = 200
CODE = re.compile(r"`([^`]+)`")
NUMBER = re.compile(r"-?\d+")
THOUSANDS = re.compile(r"(?<=\d)[,\u00a0\u202f](?=\d{3}(?!\d))")


def complaints(game: Game) -> Iterator[str]:
    """Complain where rules cannot be read, are too short to be any, or say something else than the English ones."""
    for language, level in product(game.statement_languages, game.rules_levels):
        try:
            text, english = game.statement(level, language), game.statement(level)
        except GameFault as fault:
            yield str(fault)
            continue
        where = f"the statement of level {level} in {language}"
        if len(text) < SHORTEST_CHARS:
            yield f"{where} has {len(text)} characters; rules take at least {SHORTEST_CHARS}"
        elif language != ENGLISH:
            yield from (f"{where} {difference}" for difference in differences(text, english))


def differences(text: str, english: str) -> Iterator[str]:
    """Say what a translation has that the English rules have not, and the other way round.

    Compared is what every language writes alike: what stands in code, and how often each number comes in the rest.
    """
    for what, find in (("code", code_in), ("numbers", numbers_in)):
        own, expected = find(text), find(english)
        if lacking := expected - own:
            yield f"lacks {what} of the English one: {', '.join(sorted(lacking))}"
        if further := own - expected:
            yield f"has {what} that the English one has not: {', '.join(sorted(further))}"


def code_in(text: str) -> Counter[str]:
    """Return what a Markdown text has in code, and how often."""
    return Counter(" ".join(code.split()) for code in CODE.findall(text))


def numbers_in(text: str) -> Counter[str]:
    """Return the numbers that a Markdown text has outside of code, and how often."""
    return Counter(NUMBER.findall(THOUSANDS.sub("", CODE.sub(" ", text))))
