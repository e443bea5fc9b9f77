"""Tables that fit their terminal: numbers are always whole.

How this works. Where a table has room it is drawn with rules between its columns. Where it has not, the rules go first;
then columns go that say least, one after the other, and a line under the table names them. Columns of names are folded
into several lines; those of words only where even without the columns that can go there is no room; the others never.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cached_property
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


Columns: TypeAlias = Sequence[Column[R]]
"""All that a kind of row is shown by."""


@dataclass(frozen=True)
class FittingTable:
    """A table that is drawn for the width that it gets.

    `names`, `words`: heads of columns that are folded, or stand at the left; `leaving`: of those left out, in
    order; `ends`: rows after which a line is drawn. `boxed`: None: rules where there is room; `meanings`: of
    unusual heads; `legend`: what else is explained.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str | Text]]
    names: Collection[str]
    leaving: Sequence[str] = ()
    title: str = ""
    words: Collection[str] = ()
    ends: Collection[int] = ()
    boxed: bool | None = None
    meanings: Mapping[str, str] = field(default_factory=dict[str, str])
    legend: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        visible = self.columns_in(options.max_width)
        if self.title:
            yield Text(self.title, style="bold", no_wrap=not console.is_terminal, overflow="ignore")
        yield self.drawn(visible, options.max_width)
        if missing := [in_one_line(head) for head in self.heads if head not in visible]:
            yield Text(f"no room for {', '.join(missing)}: use a wider terminal or --json", style="dim")
        if explained := [head for head in visible if head in self.meanings]:
            yield Text("; ".join(f"{in_one_line(head)}: {self.meanings[head]}" for head in explained), style="dim")
        if self.legend:
            yield Text(self.legend, style="dim")

    def columns_in(self, width: int) -> list[str]:
        visible = list(self.heads)
        for head in self.leaving:
            if self.least_width(visible, width) <= width:
                break
            visible.remove(head)
        return visible

    def has_room_for_rules(self, width: int) -> bool:
        columns = (max(len(in_one_line(head)), self.widths[head]) for head in self.columns_in(width))
        return 1 + sum(RULE + column for column in columns) <= width

    def least_width(self, visible: Collection[str], width: int) -> int:
        return len(visible) - 1 + sum(self.least_width_of(head, width) for head in visible)

    def least_width_of(self, head: str, terminal: int) -> int:
        width = max(self.widths[head], *map(len, head.split("\n")))
        word = min(self.longest_words[head], WHOLE_NAME) if terminal >= USUAL_WIDTH else 0
        return min(width, max(NARROWEST_NAME, word)) if head in self.names else width

    @cached_property
    def widths(self) -> Mapping[str, int]:
        return {head: max((cell.cell_len for cell in cells), default=0) for head, cells in self.cells.items()}

    @cached_property
    def longest_words(self) -> Mapping[str, int]:
        """How wide the widest word of each column is: cells are folded at blanks as long as that is enough."""
        words = {head: [word for cell in cells for word in cell.split()] for head, cells in self.cells.items()}
        return {head: max((word.cell_len for word in column), default=0) for head, column in words.items()}

    @cached_property
    def cells(self) -> Mapping[str, list[Text]]:
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.heads)
        return {head: [as_text(cell) for cell in column] for head, column in zip(self.heads, columns, strict=True)}

    def widths_in(self, visible: Sequence[str], folded: Collection[str], width: int) -> dict[str, int]:
        """Share the width among the columns that are folded: each gets what it needs, and then what it would like.

        Nothing where there is not enough for all.
        """
        spare = width - self.least_width(visible, width)
        shared = {}
        for head in (head for head in visible if head in folded):
            least = self.least_width_of(head, width)
            more = max(0, min(self.widths[head] - least, spare))
            shared[head] = least + more
            spare -= more
        return shared if spare >= 0 else {}

    def drawn(self, visible: Sequence[str], width: int) -> Table:
        roomy = self.has_room_for_rules(width)
        folded = {*self.names} if self.least_width(visible, width) <= width else {*self.names, *self.words}
        boxed = roomy if self.boxed is None else self.boxed
        table = Table() if boxed else Table(box=SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
        fixed = {} if roomy else self.widths_in(visible, folded, width)
        for head in visible:
            table.add_column(
                Text(in_one_line(head) if roomy else head),
                justify="left" if head in self.names or head in self.words else "right",
                overflow="fold",
                no_wrap=head not in folded,
                width=fixed.get(head),
            )
        for number, row in enumerate(self.rows):
            cells = (as_text(cell) for head, cell in zip(self.heads, row, strict=True) if head in visible)
            table.add_row(*cells, end_section=number in self.ends)
        return table


def table_of(
    columns: Columns[R], rows: Iterable[R], title: str = "", legend: str = "", ends: Collection[int] = ()
) -> FittingTable:
    """Return the table of rows. `title`, `legend`, `ends`: see `FittingTable`."""

    def text(cell: object) -> str | Text:
        return cell if isinstance(cell, Text) else "" if cell is None else str(cell)

    leaving = sorted((column.leaves, column.head) for column in columns if column.leaves is not None)
    return FittingTable(
        [column.head for column in columns],
        [[text(column.cell(row)) for column in columns] for row in rows],
        names=[column.head for column in columns if column.kind is NAME],
        leaving=[head for _, head in leaving],
        title=title,
        words=[column.head for column in columns if column.kind is WORDS],
        ends=ends,
        meanings={column.head: column.meaning for column in columns if column.meaning},
        legend=legend,
    )


def figure(value: float | None, form: str) -> str | None:
    """Write a number as `format` does, and nothing for None."""
    return None if value is None else format(value, form)


def alike(things: Iterable[RenderableType], width: int, *, has_rules: bool = True) -> list[RenderableType]:
    """Return what is printed together with all its tables looking alike: with rules where all have room for them."""
    parts = list(things)
    boxed = has_rules and all(table.has_room_for_rules(width) for table in parts if isinstance(table, FittingTable))
    return [replace(part, boxed=boxed) if isinstance(part, FittingTable) else part for part in parts]


def in_one_line(head: str) -> str:
    return head.replace("-\n", "-").replace("\n", " ")


def as_text(cell: str | Text) -> Text:
    """Return a cell as it is drawn: what stands in square brackets is not a style."""
    return Text(cell) if isinstance(cell, str) else cell
