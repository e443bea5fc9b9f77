"""Boards as tables, and the cells that all tables of rated versions share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from cli.terminal.table import FittingTable
from engine.text import counted, ordinal
from ladder.leagues.leagues import League
from ladder.ratings.counts import FAULT_COUNTS, Record, fault_counts, most_places, places_words

if TYPE_CHECKING:
    from ladder.views.boards import BoardRow


FAULT_HEADS = tuple(head.replace("-", "-\n") for head in FAULT_COUNTS)
MEAN_PLACE = "mean\nplace"
"""Heads of columns that can be written in two lines."""
PLACES = "places"


@dataclass(frozen=True, slots=True)
class RecordColumns:
    """The columns of a board's records. `places`: how many places there are; 0 where every match has two players.

    `are_of_some`: whether places count some of the matches alone, as others had two players.
    """

    places: int
    are_of_some: bool

    @classmethod
    def of(cls, records: Iterable[Record]) -> RecordColumns:
        all_records = list(records)
        return cls(most_places(all_records), any(sum(record.places) < record.matches for record in all_records))

    @property
    def heads(self) -> tuple[str, ...]:
        return ("matches", *((PLACES, MEAN_PLACE) if self.places else ()), "w/d/l", *FAULT_HEADS)

    @property
    def leaving(self) -> tuple[str, ...]:
        """Return the heads that a board gives up last in narrow terminals, with those of ratings, in that order."""
        if self.places:
            return ("w/d/l", "sigma", "mu", PLACES, MEAN_PLACE, "matches")
        return ("sigma", "mu", "w/d/l", "matches")

    @property
    def meanings(self) -> Mapping[str, str]:
        if not self.places:
            return {}
        which = ", in matches of more than two" if self.are_of_some else ""
        return {PLACES: f"how often {'/'.join(map(ordinal, range(1, self.places + 1)))}{which}"}

    def cells(self, record: Record, waiting: int = 0) -> tuple[str, ...]:
        """Return the cells of a record. `waiting`: matches still to be played."""
        matches, *others = record_cells(record, waiting)
        mean = "" if record.mean_place is None else f"{record.mean_place:.2f}"
        return (matches, *((places_words(record.places), mean) if self.places else ()), *others)


def record_cells(record: Record, waiting: int = 0) -> tuple[str, ...]:
    """Return the cells of a record: matches, w/d/l, and its faults. `waiting`: matches still to be played."""
    matches = f"{record.matches} +{waiting}" if waiting else str(record.matches)
    return (matches, record.won_drawn_lost, *map(str, fault_counts(record)))


LIVE_RANK, LIVE_SCORE = "live\nrank", "live\nscore"
"""Heads of columns that can be written in two lines."""
LEAVING_FIRST = ("player", *reversed(FAULT_HEADS))
"""What boards give up first in narrow terminals, in that order; they never give up what they rank by."""


def board_table(league: League, rows: Sequence[BoardRow], own: str = "", remark: str = "") -> FittingTable:
    """Draw a league's board, or a part of it. `own`: the player whose rows stand out; `remark`: a line below it."""
    columns = RecordColumns.of(row.standing.record for row in rows)
    return FittingTable(
        ("rank", "version", "player", "score", "mu", "sigma", *columns.heads),
        [board_cells(row, columns, own) for row in rows],
        names=("version", "player"),
        leaving=(*LEAVING_FIRST, *columns.leaving),
        title=f"{league.title} ({league.game})",
        meanings=columns.meanings,
        legend="\n".join(filter(None, [waiting_text(rows), remark, league.caution])),
    )


def board_cells(line: BoardRow, columns: RecordColumns, own: str = "") -> tuple[str | Text, ...]:
    """Return the cells of a line of a board. `own`: see `board_table`."""
    row = line.standing
    return (
        str(line.rank),
        version_text(line.version, "boss" if row.is_boss else "rival" if row.is_rival else "", own=row.player == own),
        row.player,
        f"{row.score:z.2f}",
        f"{row.mu:z.2f}",
        f"{row.sigma:.2f}",
        *columns.cells(row.record, row.waiting),
    )


def waiting_text(rows: Sequence[BoardRow]) -> str:
    """Say what the `+13` beside a number of matches means; "" where there is none."""
    waiting = next((line.standing.waiting for line in rows if line.standing.waiting), 0)
    return f"+{waiting}: {counted(waiting, 'match', 'matches')} still to play" if waiting else ""


def version_text(name: str, mark: str = "", *, own: bool = False) -> Text:
    """Show a version on a board. `mark`: that it is the boss, or a rival of its bot's newer version.

    `own`: whether it is this person's.
    """
    style = "dim" if mark.startswith("boss") else "bold cyan" if own else "bold"
    return Text(f"{name} ({mark})" if mark else name, style=style)
