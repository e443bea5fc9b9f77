"""How ratings look in a terminal: boards on a part of the matches, and why a version stands where it does."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.text import Text

from cli.board_table import LIVE_SCORE, version_text
from cli.record_columns import TIMEOUTS, RecordColumns
from cli.terminal.table import FittingTable
from ladder.ratings.explain import Explanation, Meeting, Opponent
from ladder.ratings.standings import LeagueStay
from ladder.views.ratings import FilteredBoard

RESULTS = {"win": "beat", "draw": "drew with", "loss": "lost to"}
INDENT = 22
MOST_NUMBERS = 8
"""This many matches are listed by number."""


def part_board_table(board: FilteredBoard) -> FittingTable:
    """Draw a board on a part of a league's matches."""
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
        leaving=("faults", LIVE_SCORE, TIMEOUTS, *columns.leaving),
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
    """Wrap a line at blanks so that it goes on behind the place of the labels."""
    return textwrap.fill(line, width, subsequent_indent=" " * INDENT, break_long_words=False, break_on_hyphens=False)


def labelled(label: str, lines: Sequence[str]) -> list[str]:
    """Put a label before the first of some lines and indent the others."""
    shown = [line or "none" for line in lines] or ["no match"]
    return [f"{label if index == 0 else '':{INDENT}}{line}" for index, line in enumerate(shown)]


def meeting_text(meeting: Meeting) -> str:
    """Describe one match."""
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
    """Say how a version does against another."""
    return f"{opponent.name} ({opponent.points:g} of {opponent.matches} points, {opponent.expected:.1f} expected)"


def failures_text(story: Explanation) -> str:
    """Say which matches were lost by time-out or by a fault."""
    timeouts, faults = (numbers_text(matches) for matches in (story.timeouts, story.faults))
    return f"{timeouts} by time-out, {faults} by other faults"


def numbers_text(meetings: Sequence[Meeting]) -> str:
    """Count matches and name the latest of them."""
    if not meetings:
        return "none"
    numbers = ", ".join(str(meeting.match_id) for meeting in meetings[-MOST_NUMBERS:])
    return f"{len(meetings)} ({'latest ' if len(meetings) > MOST_NUMBERS else ''}match {numbers})"
