"""How seasons and their final boards look in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.text import Text

from cli.render import LEAVING, LIVE_RANK, TIMEOUTS, counted, moment_text, version_text
from cli.terminal.table import FittingTable
from ladder.seasons.seasons import GivenUp, Season, SeasonRank, Series

MOST_GIVEN_UP = 10
"""At most this many lines list battles that were given up."""
UNPLAYED = "unplayed"
"""Marks a version without a finished match in its league."""


def seasons_table(seasons: Iterable[Season], series: Mapping[int, Series]) -> FittingTable:
    """Draw the list of seasons. `series`: how far each is, by the season's id."""
    return FittingTable(
        ("game", "season", "state", "opened", "closed", "series"),
        [season_cells(season, None if season.id is None else series.get(season.id)) for season in seasons],
        names=("series",),
        leaving=("opened", "closed"),
        words=("game", "state", "opened", "closed"),
    )


def season_cells(season: Season, series: Series | None) -> tuple[str, ...]:
    """Return the cells of a line of the list of seasons."""
    return (
        season.game,
        str(season.number),
        season.state,
        moment_text(season.opened_at) if season.opened_at else "at first",
        moment_text(season.closed_at) if season.closed_at else "",
        "" if series is None else series_text(season, series),
    )


def season_row(season: Season, series: Mapping[int, Series]) -> dict[str, Any]:
    """Return a season as a plain row, for JSON."""
    own = series.get(season.id) if season.id is not None else None
    return {
        "game": season.game,
        "number": season.number,
        "state": season.state,
        "opened_at": season.opened_at,
        "closed_at": season.closed_at,
        "series": own and {"each": season.series_battles, "top": season.series_top, **asdict(own)},
    }


def series_text(season: Season, series: Series) -> str:
    """Say how far a season's series is."""
    settings = f"{counted(season.series_battles, 'battle')} for each of the first {season.series_top}"
    lapsed = f", {series.lapsed} given up" if series.lapsed else ""
    if season.closed_at:
        return f"{settings}: {series.made} made{lapsed}"
    waiting = f"{counted(series.waiting, 'match', 'matches')} to be played"
    return f"{settings}: {series.made} of {series.battles} made{lapsed}, {waiting}"


def given_up_lines(given_up: Sequence[GivenUp]) -> list[str]:
    """Say which battles of a series were given up and why, one line for each two versions."""
    lines = [f"given up: {given_up_line(one)}" for one in given_up[:MOST_GIVEN_UP]]
    left = len(given_up) - len(lines)
    return [*lines, f"... and battles of {counted(left, 'more pair')}: see --json"] if left else lines


def given_up_line(one: GivenUp) -> str:
    """Say which battles of two versions were given up, and why."""
    which = f"{one.battles} of {counted(one.of, 'battle')}" if one.of > 1 else "the battle"
    return f"{which} of {one.first} against {one.second} in {one.league}, because {one.reason}"


def final_tables(season: Season, ranks: Sequence[SeasonRank]) -> list[FittingTable]:
    """Draw the boards of a closed season, which come league by league."""
    return [final_table(season, list(rows)) for _, rows in groupby(ranks, key=lambda row: row.league_id)]


def final_table(season: Season, rows: Sequence[SeasonRank]) -> FittingTable:
    """Draw one of them; with a column for the group if there are several."""
    grouped = max((row.group_number or 0 for row in rows), default=0) > 1
    heads = (
        *(("group",) if grouped else ()),
        *("rank", "95 %", "version", "player", "Elo", "±", "matches", "w/d/l", TIMEOUTS, "faults", LIVE_RANK),
        *("score", "mu", "sigma"),
    )
    return FittingTable(
        heads,
        [((written(row.group_number),) if grouped else ()) + final_cells(row) for row in rows],
        names=("version", "player"),
        leaving=(*LEAVING[:2], "score", LIVE_RANK, "±", "95 %", *LEAVING[2:]),
        title=f"{rows[0].league_title} ({season.game}), season {season.number}",
    )


def final_cells(row: SeasonRank) -> tuple[str | Text, ...]:
    """Return the cells of a line of a final board, but for the group."""
    return (
        written(row.rank),
        "" if row.rank is None else f"{row.rank_low}-{row.rank_high}",
        final_version_text(row),
        row.player,
        written(row.strength, "+.0f"),
        written(row.error, ".0f"),
        str(row.matches),
        f"{row.wins}/{row.draws}/{row.losses}",
        str(row.timeouts),
        str(row.faults),
        str(row.live_rank),
        f"{row.score:.2f}",
        f"{row.mu:.2f}",
        f"{row.sigma:.2f}",
    )


def final_version_text(row: SeasonRank) -> Text:
    """Show a version on a final board, marked as the boss and as unplayed where it is."""
    if row.is_unplayed:
        return version_text(row.version, f"boss, {UNPLAYED}" if row.is_boss else UNPLAYED)
    return version_text(row.version, "boss" if row.is_boss else "")


def written(number: float | None, form: str = "d") -> str:
    """Write a number that may not be known."""
    return "" if number is None else format(number, form)


def final_rows(season: Season, ranks: Iterable[SeasonRank], given_up: Sequence[GivenUp] = ()) -> list[dict[str, Any]]:
    """Return the boards of a closed season as plain rows, for JSON; each with what was given up of its series."""
    return [
        {
            "game": season.game,
            "season": season.number,
            "version": row.version,
            **asdict(row),
            "is_unplayed": row.is_unplayed,
            "given_up": [asdict(one) for one in given_up if row.version_id in {one.first_id, one.second_id}],
        }
        for row in ranks
    ]


def in_one_line(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for CSV: what was given up as one text."""
    return row | {"given_up": "; ".join(given_up_line(GivenUp(**one)) for one in row["given_up"])}
