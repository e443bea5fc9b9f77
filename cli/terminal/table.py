"""Tables that fit their terminal: numbers are always whole.

How this works. Where a table has room it is drawn with rules between its columns. Where it has not, the rules go first;
then columns go that say least, one after the other, and a line under the table names them. Columns of names are folded
into several lines; those of words only where even without the columns that can go there is no room; the others never.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property
from operator import itemgetter
from types import MappingProxyType
from typing import Generic, TypeAlias, TypeVar

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from engine.immutable import immutable

NARROWEST_NAME, WHOLE_NAME, USUAL_WIDTH = 10, 16, 80
"""Rather than fold a column of names into less, a table gives up another column; in terminals of the usual width also
rather than break a name that is not longer, as `boss-wood-2@v1`; in narrower ones numbers come before whole names."""
RULE = 3
"""Columns of the terminal that a rule and the blanks beside it take."""
R = TypeVar("R")


class CellKind(Enum):
    """What stands in a column: numbers at the right, which are never folded; names; words, which are folded last."""

    NUMBER = auto()
    NAME = auto()
    WORDS = auto()


NAME, WORDS = CellKind.NAME, CellKind.WORDS


@immutable
class Column(Generic[R]):
    """A column of a table. `head`: may hold line breaks; `cell`: what stands there of a row, None for nothing.

    `leaves`: when it is left out for want of room, the lowest first; None: never; `meaning`: of an unusual head.
    """

    head: str
    cell: Callable[[R], object]
    kind: CellKind = CellKind.NUMBER
    leaves: int | None = None
    meaning: str = ""

    @property
    def title(self) -> str:
        """The head in one line."""
        return self.head.replace("-\n", "-").replace("\n", " ")


Columns: TypeAlias = Sequence[Column[R]]
"""All that a kind of row is shown by."""


@dataclass(frozen=True)
class FittingTable(Generic[R]):
    """A table that is drawn for the width that it gets.

    `legend`: what is explained below it; `ends`: rows after which a line is drawn; `boxed`: None: rules where there is
    room.
    """

    columns: Columns[R]
    rows: Sequence[R]
    title: str = ""
    legend: str = ""
    ends: Collection[int] = ()
    boxed: bool | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        visible = self.columns_in(options.max_width)
        if self.title:
            yield Text(self.title, style="bold", overflow=None if console.is_terminal else "ignore")
        yield self.drawn(visible, options.max_width)
        if missing := [column.title for column in self.columns if column not in visible]:
            yield Text(f"no room for {', '.join(missing)}: use a wider terminal or --json", style="dim")
        if explained := [f"{column.title}: {column.meaning}" for column in visible if column.meaning]:
            yield Text("; ".join(explained), style="dim")
        if self.legend:
            yield Text(self.legend, style="dim")

    def columns_in(self, width: int) -> Columns[R]:
        visible = list(self.columns)
        leaving = [column for column in self.columns if column.leaves is not None]
        for column in sorted(leaving, key=lambda column: (column.leaves or 0, column.head)):
            if self.least_width(visible, width) <= width:
                break
            visible.remove(column)
        return visible

    def has_room_for_rules(self, width: int) -> bool:
        columns = (max(len(column.title), self.widths[column]) for column in self.columns_in(width))
        return 1 + sum(RULE + column for column in columns) <= width

    def least_width(self, visible: Columns[R], width: int) -> int:
        return len(visible) - 1 + sum(self.least_width_of(column, width) for column in visible)

    def least_width_of(self, column: Column[R], terminal: int) -> int:
        width = max(self.widths[column], *map(len, column.head.split("\n")))
        word = min(self.longest_words[column], WHOLE_NAME) if terminal >= USUAL_WIDTH else 0
        return min(width, max(NARROWEST_NAME, word)) if column.kind is NAME else width

    @cached_property
    def widths(self) -> Mapping[Column[R], int]:
        return {column: max((cell.cell_len for cell in cells), default=0) for column, cells in self.cells.items()}

    @cached_property
    def longest_words(self) -> Mapping[Column[R], int]:
        """How wide the widest word of each column is: cells are folded at blanks as long as that is enough."""
        words = {column: [word for cell in cells for word in cell.split()] for column, cells in self.cells.items()}
        return {column: max((word.cell_len for word in of_column), default=0) for column, of_column in words.items()}

    @cached_property
    def cells(self) -> Mapping[Column[R], list[Text]]:
        return {column: [as_text(column.cell(row)) for row in self.rows] for column in self.columns}

    def widths_in(self, visible: Columns[R], folded: Collection[CellKind], width: int) -> dict[Column[R], int]:
        """Share the width among the columns that are folded: each gets what it needs, and then what it would like.

        Nothing where there is not enough for all.
        """
        spare = width - self.least_width(visible, width)
        shared = {}
        for column in (column for column in visible if column.kind in folded):
            least = self.least_width_of(column, width)
            more = max(0, min(self.widths[column] - least, spare))
            shared[column] = least + more
            spare -= more
        return shared if spare >= 0 else {}

    def drawn(self, visible: Columns[R], width: int) -> Table:
        roomy = self.has_room_for_rules(width)
        folded = {NAME} if self.least_width(visible, width) <= width else {NAME, WORDS}
        boxed = roomy if self.boxed is None else self.boxed
        table = Table() if boxed else Table(box=SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
        fixed = {} if roomy else self.widths_in(visible, folded, width)
        for column in visible:
            table.add_column(
                Text(column.title if roomy else column.head),
                justify="right" if column.kind is CellKind.NUMBER else "left",
                overflow="fold",
                no_wrap=column.kind not in folded,
                width=fixed.get(column),
            )
        for number in range(len(self.rows)):
            table.add_row(*(self.cells[column][number] for column in visible), end_section=number in self.ends)
        return table


def table_of_cells(
    heads: Sequence[str],
    rows: Sequence[Sequence[str | Text]],
    kinds: Mapping[str, CellKind],
    leaving: Sequence[str] = (),
    title: str = "",
    meanings: Mapping[str, str] = MappingProxyType({}),
) -> FittingTable[Sequence[str | Text]]:
    """Return a table of written cells. `kinds`, `meanings`: by head; `leaving`: heads of columns that go, in order."""
    leaves = {head: number for number, head in enumerate(leaving)}
    columns = [
        Column[Sequence[str | Text]](
            head, itemgetter(place), kinds.get(head, CellKind.NUMBER), leaves.get(head), meanings.get(head, "")
        )
        for place, head in enumerate(heads)
    ]
    return FittingTable(columns, rows, title)


def figure(value: float | None, form: str) -> str | None:
    """Write a number as `format` does, and nothing for None."""
    return None if value is None else format(value, form)


def alike(things: Iterable[RenderableType], width: int, *, has_rules: bool = True) -> list[RenderableType]:
    """Return what is printed together with all its tables looking alike: with rules where all have room for them."""
    parts = list(things)
    boxed = has_rules and all(table.has_room_for_rules(width) for table in parts if isinstance(table, FittingTable))
    return [replace(part, boxed=boxed) if isinstance(part, FittingTable) else part for part in parts]


def as_text(cell: object) -> Text:
    """Return a cell as it is drawn: what stands in square brackets is not a style."""
    return cell if isinstance(cell, Text) else Text("" if cell is None else str(cell))
