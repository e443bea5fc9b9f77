"""A console of Rich's that emits no control character but its own: those that make its colours."""

from collections.abc import Iterable

from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderableType
from rich.segment import Segment

from engine.text import harmless

LEAST_COLUMNS, LEAST_LINES = 20, 5
"""A terminal that says that it is smaller, as by COLUMNS=1, is taken for one of this size: else nothing is read..."""
USUAL_COLUMNS, USUAL_LINES = 80, 25
"""... and one that says 0 for one of this."""


class HarmlessConsole(Console):
    """Shows every text as `engine.text.harmless` does, wherever it stands: in sentences, cells, titles of tables."""

    @property
    def size(self) -> ConsoleDimensions:
        columns, lines = super().size
        return ConsoleDimensions(max(columns or USUAL_COLUMNS, LEAST_COLUMNS), max(lines or USUAL_LINES, LEAST_LINES))

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        self._width, self._height = new_size

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the pieces that are printed. What steers the terminal is none of their text, but added behind this."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=harmless(segment.text))
