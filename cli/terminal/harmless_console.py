"""A console of Rich's that emits no control character but its own: those that make its colours."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from engine.text import harmless


class HarmlessConsole(Console):
    """Shows every text as `engine.text.harmless` does, wherever it stands: in sentences, cells, titles of tables."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the pieces that are printed. What steers the terminal is none of their text, but added behind this."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=harmless(segment.text))
