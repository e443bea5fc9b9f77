"""How ratings look in a terminal: boards on a part of the matches, and why a version stands where it does."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from rich.text import Text

from cli.answer import Answer, listing
from cli.context import Context
from cli.terminal.steps import stepping
from cli.terminal.table import FittingTable
from cli.texts.boards import FAULT_HEADS, LIVE_RANK, LIVE_SCORE, RecordColumns, version_text
from ladder.matches.filters import parse
from ladder.ratings.explain import Explanation, Meeting, Opponent
from ladder.ratings.standings import LeagueStay
from ladder.statistics.elo import elo_text
from ladder.views.ratings import FilteredBoard, count_matches, filtered_boards

if TYPE_CHECKING:
    from ladder.database.connection import Connection
    from ladder.leagues.leagues import League
    from ladder.ratings.standings import SettledLine
    from ladder.views.ratings import SettledBoard


def boards_where(context: Context, game: str | None, league: str | None, where: str) -> Answer:
    boards = context.read(filtered_boards, game, league, parse(where), partial(counting, context, "rating"))
    nothing = "no finished match fits the filter that a version on a board now has played"
    return answer_with(boards, part_board_table, nothing)


@contextmanager
def counting(
    context: Context, what: str, connection: Connection, leagues: Sequence[League]
) -> Iterator[Callable[[], None]]:
    """Show on a terminal how many of the leagues' matches are done; gives what is to be called after each."""
    with stepping(context.err, what, partial(count_matches, connection, leagues)) as on_match:
        yield on_match


class ComputedBoard(Protocol):
    """A league's board that was computed."""

    @property
    def rows(self) -> Sequence[object]: ...


B = TypeVar("B", bound=ComputedBoard)


def answer_with(boards: Sequence[B], table: Callable[[B], FittingTable], nothing: str) -> Answer:
    """Answer with the rows of boards, and a table of each that has some. `nothing`: is said where none has."""
    rows = [row for board in boards for row in board.rows]
    return listing(rows, lambda _: [table(board) for board in boards if board.rows], nothing)


HEADS = ("rank", "95 %", "version", "Elo", "±", "matches", LIVE_RANK, LIVE_SCORE)


def settled_table(board: SettledBoard) -> FittingTable:
    grouped = group_count(board) > 1
    lines = [row.line for row in board.rows]
    return FittingTable(
        (*(("group",) if grouped else ()), *HEADS),
        [((str(line.group),) if grouped else ()) + settled_cells(line) for line in lines],
        names=("version",),
        leaving=(LIVE_SCORE, LIVE_RANK, "±", "matches", "95 %"),
        title=f"{board.league.title} ({board.league.game}), settled",
    )


def settled_cells(line: SettledLine) -> tuple[str | Text, ...]:
    return (
        str(line.rank),
        f"{line.rank_low}-{line.rank_high}",
        version_text(line.version),
        elo_text(line.strength),
        f"{line.error:.0f}",
        str(line.matches),
        str(line.live_rank),
        f"{line.score:z.2f}",
    )


def group_count(board: SettledBoard) -> int:
    return max((row.line.group for row in board.rows), default=0)


RESULTS = {"win": "beat", "draw": "drew with", "loss": "lost to"}
INDENT = 22
MOST_NUMBERS = 8
"""This many matches are listed by number."""


def part_board_table(board: FilteredBoard) -> FittingTable:
    columns = RecordColumns.of(row.line.record for row in board.rows)
    rows: list[tuple[str | Text, ...]] = [
        (
            str(line.rank),
            version_text(line.version),
            f"{line.score:z.2f}",
            f"{line.mu:z.2f}",
            f"{line.sigma:.2f}",
            *columns.cells(line.record),
            f"{line.live_score:z.2f}",
        )
        for line in (row.line for row in board.rows)
    ]
    return FittingTable(
        ("rank", "version", "score", "mu", "sigma", *columns.heads, LIVE_SCORE),
        rows,
        names=("version",),
        leaving=(FAULT_HEADS[-1], LIVE_SCORE, *reversed(FAULT_HEADS[:-1]), *columns.leaving),
        title=f"{board.league.title} ({board.league.game}), on a part of its matches",
        meanings=columns.meanings,
    )


def explanation_text(version: str, stay: LeagueStay, story: Explanation, width: int | None) -> Text:
    """Explain in ten lines at most why a version stands where it does.

    `width`: of the terminal, where longer lines go on below their beginning; None where none is wrapped.
    """
    record = f"{stay.record.matches} matches, {stay.record.won_drawn_lost}"
    head = f"{version} in {stay.league}: score {stay.score:z.2f}, mu {stay.mu:z.2f}, sigma {stay.sigma:.2f}; {record}"
    lines = [
        *labelled("raised it most", [meeting_text(meeting) for meeting in story.raised]),
        *labelled("lowered it most", [meeting_text(meeting) for meeting in story.lowered]),
        *labelled("better than expected", [", ".join(map(opponent_text, story.better))]),
        *labelled("worse than expected", [", ".join(map(opponent_text, story.worse))]),
        *labelled("time-outs, faults", [failures_text(story)]),
    ]
    return Text("\n".join([head, *(lines if width is None else [wrapped(line, width) for line in lines])]))


def wrapped(line: str, width: int) -> str:
    return textwrap.fill(line, width, subsequent_indent=" " * INDENT, break_long_words=False, break_on_hyphens=False)


def labelled(label: str, lines: Sequence[str]) -> list[str]:
    shown = [line or "none" for line in lines] or ["no match"]
    return [f"{label if index == 0 else '':{INDENT}}{line}" for index, line in enumerate(shown)]


def meeting_text(meeting: Meeting) -> str:
    verdict = "" if meeting.verdict == "ok" else f" ({meeting.verdict})"
    if meeting.place is not None:
        return (
            f"match {meeting.match_id}: place {meeting.place} of {len(meeting.several) + 1}, with "
            f"{meeting.opponent}{verdict} "
            f"({100 * meeting.expected:.0f} % of the points expected), mu {meeting.change:+z.2f}"
        )
    return (
        f"match {meeting.match_id}: {RESULTS[meeting.result]} {meeting.opponent}{verdict} "
        f"(was expected to win {100 * meeting.expected:.0f} %), mu {meeting.change:+z.2f}"
    )


def opponent_text(opponent: Opponent) -> str:
    return f"{opponent.name} ({opponent.points:g} of {opponent.matches} points, {opponent.expected:.1f} expected)"


def failures_text(story: Explanation) -> str:
    timeouts, faults = (numbers_text(matches) for matches in (story.timeouts, story.faults))
    return f"{timeouts} by time-out, {faults} by other faults"


def numbers_text(meetings: Sequence[Meeting]) -> str:
    if not meetings:
        return "none"
    numbers = ", ".join(str(meeting.match_id) for meeting in meetings[-MOST_NUMBERS:])
    return f"{len(meetings)} ({'latest ' if len(meetings) > MOST_NUMBERS else ''}match {numbers})"
