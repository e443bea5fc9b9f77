"""Showing what strangers wrote: their bots' stderr, lines and last words, as they are, with nothing that acts.

Imports inside functions: Rich takes as long to import as the rest of a short command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.text import harmless

if TYPE_CHECKING:
    from rich.text import Text


def quoted(words: Text | str) -> Text:
    """Return words as a text that is printed as it is: without markup, its control characters made visible.

    Styles stay. Every text for people that may hold what a bot or a compiler said goes through here.
    """
    from rich.text import Text

    if isinstance(words, str):
        return Text(harmless(words))
    shown = words.copy()
    shown.plain = harmless(words.plain)
    return shown
