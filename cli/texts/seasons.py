"""How seasons and their final boards look in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from rich.text import Text

from cli.terminal.table import FittingTable
from cli.terminal.words import moment_text
from cli.texts.boards import LEAVING_FIRST, LIVE_RANK, RecordColumns, version_text
from engine.text import counted
from ladder.seasons.seasons import GivenUp, SeasonRank
from ladder.statistics.elo import elo_text
from ladder.views.seasons import FinalRow, SeasonSoFar, given_up_line, series_text

MOST_GIVEN_UP = 10
"""At most this many lines list battles that were given up."""
UNPLAYED = "unplayed"
"""Marks a version without a finished match in its league."""


def seasons_table(seasons: Iterable[SeasonSoFar]) -> FittingTable:
    return FittingTable(
        ("game", "season", "state", "opened", "closed", "series"),
        [season_cells(season) for season in seasons],
        names=("series",),
        leaving=("opened", "closed"),
        words=("game", "state", "opened", "closed"),
    )


def season_cells(season: SeasonSoFar) -> tuple[str, ...]:
    return (
        season.game,
        str(season.number),
        season.state,
        moment_text(season.opened_at) if season.opened_at else "since the start",
        moment_text(season.closed_at) if season.closed_at else "",
        series_text(season),
    )


def given_up_lines(given_up: Sequence[GivenUp]) -> list[str]:
    lines = [f"given up: {given_up_line(one)}" for one in given_up[:MOST_GIVEN_UP]]
    left = len(given_up) - len(lines)
    return [*lines, f"... and battles of {counted(left, 'more pair')}: see --json"] if left else lines


def final_tables(rows: Sequence[FinalRow]) -> list[FittingTable]:
    return [final_table(list(own)) for _, own in groupby(rows, key=lambda line: line.row.league_id)]


def final_table(lines: Sequence[FinalRow]) -> FittingTable:
    grouped = max((line.row.group_number or 0 for line in lines), default=0) > 1
    columns = RecordColumns.of(line.row.record for line in lines)
    heads = (
        *(("group",) if grouped else ()),
        *("rank", "95 %", "version", "player", "Elo", "±", *columns.heads, LIVE_RANK, "score", "mu", "sigma"),
    )
    first = lines[0]
    return FittingTable(
        heads,
        [((written(line.row.group_number),) if grouped else ()) + final_cells(line.row, columns) for line in lines],
        names=("version", "player"),
        leaving=(*LEAVING_FIRST[:2], "score", LIVE_RANK, "±", "95 %", *LEAVING_FIRST[2:], *columns.leaving),
        title=f"{first.row.league_title} ({first.game}), season {first.season}",
        meanings=columns.meanings,
    )


def final_cells(row: SeasonRank, columns: RecordColumns) -> tuple[str | Text, ...]:
    return (
        written(row.rank),
        "" if row.rank is None else f"{row.rank_low}-{row.rank_high}",
        final_version_text(row),
        row.player,
        "" if row.strength is None else elo_text(row.strength),
        written(row.error, ".0f"),
        *columns.cells(row.record),
        str(row.live_rank),
        f"{row.score:z.2f}",
        f"{row.mu:z.2f}",
        f"{row.sigma:.2f}",
    )


def final_version_text(row: SeasonRank) -> Text:
    if row.is_unplayed:
        return version_text(row.version, f"boss, {UNPLAYED}" if row.is_boss else UNPLAYED)
    return version_text(row.version, "boss" if row.is_boss else "")


def written(number: float | None, form: str = "d") -> str:
    return "" if number is None else format(number, form)


def in_one_line(line: FinalRow) -> FinalRow:
    """Return a line for CSV: what was given up as one text."""
    if isinstance(line.given_up, str):
        return line
    return replace(line, given_up="; ".join(map(given_up_line, line.given_up)))
