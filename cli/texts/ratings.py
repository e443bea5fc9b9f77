"""How ratings look in a terminal: boards on a part of the matches, and why a version stands where it does."""

import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from rich.console import RenderableType
from rich.text import Text

from cli.answer import Answer, listing
from cli.context import Context
from cli.terminal.steps import Stepping, stepping
from cli.terminal.table import NAME, Column, Columns, FittingTable
from cli.texts.boards import (
    FAULTS_LEAVE,
    LIVE_RANK,
    LIVE_SCORE,
    interval_column,
    played_text,
    rating_columns,
    record_columns,
    strength_columns,
    version_text,
)
from ladder.database.connection import Connection
from ladder.leagues.leagues import League
from ladder.matches.filters import parse
from ladder.ratings.explanation import ExplainedMatch, Explanation
from ladder.ratings.standings import LeagueStay, SettledLine
from ladder.views.ratings import BoardLine, FilteredBoard, SettledBoard, count_matches, filtered_boards


def boards_where(context: Context, game: str | None, league: str | None, where: str) -> Answer:
    boards = context.read(filtered_boards, game, league, parse(where), partial(counting, context, "rating"))

    def table(board: FilteredBoard) -> FittingTable[BoardLine]:
        rating: list[Column[BoardLine]] = rating_columns(lambda line: line)
        columns: Columns[BoardLine] = [
            Column("rank", lambda line: line.rank),
            Column("version", lambda line: version_text(line.version), NAME),
            *rating,
            *record_columns(board.rows, lambda line: line.record, board.league.battle_matches),
            Column(LIVE_SCORE, lambda line: f"{line.live_score:z.2f}", leaves=FAULTS_LEAVE - 1),
        ]
        title = f"{board.league.title} ({board.league.game}), on a part of its matches"
        return FittingTable(columns, board.rows, title)

    return answer_with(boards, table, "no finished match fits the filter that a version on a board now has played")


def counting(context: Context, what: str, connection: Connection, leagues: Sequence[League]) -> Stepping:
    """Show on a terminal how many of the leagues' matches are done; gives what is to be called after each."""
    return stepping(context.err, what, partial(count_matches, connection, leagues))


B = TypeVar("B", FilteredBoard, SettledBoard)


def answer_with(boards: Sequence[B], table: Callable[[B], RenderableType], nothing: str) -> Answer:
    """Answer with the rows of boards, and a table of each that has some. `nothing`: is said where none has."""
    rows = [row for board in boards for row in board.rows]
    return listing(rows, lambda: [table(board) for board in boards if board.rows], nothing)


def settled_table(board: SettledBoard) -> FittingTable[SettledLine]:
    group: Columns[SettledLine] = [Column("group", lambda line: line.group)] if group_count(board) > 1 else []

    strength: list[Column[SettledLine]] = strength_columns(lambda line: line, 3)
    columns: Columns[SettledLine] = [
        *group,
        Column("rank", lambda line: line.rank),
        interval_column(lambda line: line, 5),
        Column("version", lambda line: version_text(line.version), NAME),
        *strength,
        Column("battles", lambda line: played_text(line.matches, 0, board.league.battle_matches), leaves=4),
        Column(LIVE_RANK, lambda line: line.live_rank, leaves=2),
        Column(LIVE_SCORE, lambda line: f"{line.score:z.2f}", leaves=1),
    ]
    title = f"{board.league.title} ({board.league.game}), settled"
    return FittingTable(columns, [row.line for row in board.rows], title)


def group_count(board: SettledBoard) -> int:
    return max((row.line.group for row in board.rows), default=0)


OPPONENT = "{0.name} ({0.points:g} of {0.matches} points, {0.expected:.1f} expected)"
RESULTS = {"win": "beat", "draw": "drew with", "loss": "lost to"}
INDENT = 22
MOST_NUMBERS = 8
"""This many matches are listed by number."""


def explanation_text(version: str, stay: LeagueStay, story: Explanation, width: int | None) -> Text:
    """Explain in ten lines at most why a version stands where it does. `width`: of the terminal; None: no wrapping."""
    record = f"{stay.battles} battles, w/d/l {stay.record.won_drawn_lost}"
    head = f"{version} in {stay.league}: score {stay.score:z.2f}, mu {stay.mu:z.2f}, sigma {stay.sigma:.2f}; {record}"
    lines = [
        *label_lines("raised it most", list(map(meeting_text, story.raised))),
        *label_lines("lowered it most", list(map(meeting_text, story.lowered))),
        *label_lines("better than expected", [", ".join(map(OPPONENT.format, story.better))]),
        *label_lines("worse than expected", [", ".join(map(OPPONENT.format, story.worse))]),
        *label_lines("time-outs, faults", [failures_text(story)]),
    ]
    return Text("\n".join([head, *(line if width is None else wrap_line(line, width) for line in lines)]))


def wrap_line(line: str, width: int) -> str:
    return textwrap.fill(line, width, subsequent_indent=" " * INDENT, break_long_words=False, break_on_hyphens=False)


def label_lines(label: str, lines: Sequence[str]) -> list[str]:
    visible = [line or "none" for line in lines] or ["no match"]
    return [f"{label if index == 0 else '':{INDENT}}{line}" for index, line in enumerate(visible)]


def meeting_text(meeting: ExplainedMatch) -> str:
    opponent = meeting.opponent + ("" if meeting.verdict == "ok" else f" ({meeting.verdict})")
    result = f"{RESULTS[meeting.result]} {opponent}"
    expected = f"was expected to win {100 * meeting.expected:.0f} %"
    if meeting.place is not None:
        result = f"place {meeting.place} of {len(meeting.several) + 1}, with {opponent}"
        expected = f"{100 * meeting.expected:.0f} % of the points expected"
    return f"match {meeting.match_id}: {result} ({expected}), mu {meeting.change:+z.2f}"


def failures_text(story: Explanation) -> str:
    def numbers(matches: Sequence[ExplainedMatch]) -> str:
        latest = "latest " if len(matches) > MOST_NUMBERS else ""
        listed = ", ".join(str(match.match_id) for match in matches[-MOST_NUMBERS:])
        return f"{len(matches)} ({latest}match {listed})" if matches else "none"

    return f"{numbers(story.timeouts)} by time-out, {numbers(story.faults)} by other faults"
