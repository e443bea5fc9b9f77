"""Leagues as tables, one for each game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from cli.terminal.table import FittingTable
from cli.terminal.words import moment_text
from ladder.choices import Promotion
from ladder.leagues.settings import Value

if TYPE_CHECKING:
    from ladder.views.leagues import LeagueRow


def leagues_tables(leagues: Iterable[LeagueRow]) -> list[FittingTable]:
    """Draw leagues, which come game by game, with the settings that matter most to bots; the file shows all."""
    return [leagues_table(game, list(own)) for game, own in groupby(leagues, key=lambda league: league.game)]


def leagues_table(game: str, leagues: Sequence[LeagueRow]) -> FittingTable:
    """Draw one game's leagues."""
    return FittingTable(
        ("league", "rules", "boss", "promotion", "opens", "battles", "memory", "time", "overruns", "clock"),
        [league_cells(league) for league in leagues],
        names=(),
        leaving=("memory", "clock", "overruns", "time", "opens", "rules", "promotion", "battles"),
        title=game,
        words=("league", "boss", "promotion", "opens", "time", "overruns", "clock"),
    )


def league_cells(league: LeagueRow) -> tuple[str, ...]:
    """Return the cells of a line of the list of leagues."""
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


def promotion_text(values: Mapping[str, Value]) -> str:
    """Say how a league promotes, and whether it sends back."""
    rules: dict[str, str] = {Promotion.RANK_ABOVE_BOSS: "rank", Promotion.BOSS_WINS: f"{values['boss_wins']} wins"}
    word = str(values["promotion"])
    rule = rules.get(word, word.replace("_", " "))
    return f"{rule}, demotes" if values["demotion"] else rule


def limits_text(league: LeagueRow) -> str:
    """Write a league's limits of time, that of the first answer before that of later ones."""
    return f"{league.limits.first_ms}, {league.limits.turn_ms} ms"
