"""Leagues as tables, one for each game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from cli.terminal.table import FittingTable
from cli.terminal.words import moment_text
from ladder.views.leagues import LeagueRow, limits_text, promotion_text


def leagues_tables(leagues: Iterable[LeagueRow]) -> list[FittingTable]:
    return [leagues_table(game, list(own)) for game, own in groupby(leagues, key=lambda league: league.game)]


def leagues_table(game: str, leagues: Sequence[LeagueRow]) -> FittingTable:
    return FittingTable(
        ("league", "rules", "boss", "promotion", "opens", "battles", "memory", "time", "overruns", "clock"),
        [league_cells(league) for league in leagues],
        names=(),
        leaving=("memory", "clock", "overruns", "time", "opens", "rules", "promotion", "battles"),
        title=game,
        words=("league", "boss", "promotion", "opens", "time", "overruns", "clock"),
    )


def league_cells(league: LeagueRow) -> tuple[str, ...]:
    values = league.values
    return (
        league.league,
        str(values["rules_level"]),
        str(values["boss"] or "none"),
        promotion_text(values),
        moment_text(values["opens_at"]),
        str(values["battles"]),
        f"{values['memory_mb']} MB",
        limits_text(league),
        str(values["time_policy"]),
        str(values["clock"]),
    )
