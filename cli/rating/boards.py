"""Showing computed boards, for whichever command computes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from cli.context import Context
    from cli.terminal.table import FittingTable


class ComputedBoard(Protocol):
    """A league's board that was computed."""

    @property
    def rows(self) -> Sequence[object]:
        """Its rows, from the first rank on."""
        ...


B = TypeVar("B", bound=ComputedBoard)


def show_rows(
    context: Context, boards: Sequence[B], table: Callable[[B], FittingTable], nothing: str, *, as_json: bool
) -> None:
    """Print the rows of boards as JSON, or a table of each that has some. `nothing`: is said where none has."""
    if as_json:
        context.show_json([row for board in boards for row in board.rows])
        return
    for board in boards:
        if board.rows:
            context.show(table(board))
    if not any(board.rows for board in boards):
        context.say(nothing)
