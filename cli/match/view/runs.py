"""Text made of many small pieces. Neighbours in one style become one piece: a terminal draws few pieces faster."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from rich.text import Text


def text_of(pieces: Iterable[tuple[str, str]]) -> Text:
    """Return pieces, each with its style, as one text."""
    runs = groupby(pieces, key=itemgetter(1))
    return Text.assemble(*(("".join(piece for piece, _ in run), style) for style, run in runs))
