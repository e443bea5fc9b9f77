"""Boards as tables, and the cells that all tables of rated versions share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from rich.text import Text

from cli.terminal.table import NAME, Column, Columns, FittingTable, figure
from engine.text import ordinal
from ladder.leagues.leagues import League
from ladder.ratings.counts import FAULT_COUNTS, Record, battles_text, most_places, places_words
from ladder.statistics.elo import elo_text

if TYPE_CHECKING:
    from ladder.ratings.standings import SettledLine, SettledRank, Standing
    from ladder.seasons.seasons import SeasonRank
    from ladder.views.boards import BoardRow
    from ladder.views.ratings import BoardLine

    HasRating = Standing | BoardLine | SeasonRank
    HasSettledRank = SettledRank | SettledLine | SeasonRank

R = TypeVar("R")
FAULT_HEADS: Mapping[str, str] = {head.replace("-", "-\n"): name for head, name in FAULT_COUNTS.items()}
LIVE_RANK, LIVE_SCORE, MEAN_PLACE = "live\nrank", "live\nscore", "mean\nplace"
"""Heads of columns that can be written in two lines."""
PLACES = "places"
PLAYER_LEAVES, FAULTS_LEAVE, RATING_LEAVES, RECORD_LEAVES = 0, 30, 50, 60
"""What boards give up in narrow terminals, in this order, the last of the faults first; what they rank by never."""
UNKNOWN = "without Elo: nothing is known of it yet, so it stands by its score, below the others"


def interval_column(settled: Callable[[R], HasSettledRank | None], leaves: int | None = None) -> Column[R]:
    def cell(row: R) -> str | None:
        fit = settled(row)
        return None if fit is None or fit.rank_low is None else f"{fit.rank_low}-{fit.rank_high}"

    return Column("95 %", cell, leaves=leaves)


def strength_columns(settled: Callable[[R], HasSettledRank | None], error_leaves: int) -> list[Column[R]]:
    def strength(row: R) -> str | None:
        fit = settled(row)
        return None if fit is None or fit.strength is None else elo_text(fit.strength)

    def error(row: R) -> str | None:
        return None if (fit := settled(row)) is None else figure(fit.error, ".0f")

    return [Column("Elo", strength), Column("±", error, leaves=error_leaves)]


def rating_columns(rated: Callable[[R], HasRating], score_leaves: int | None = None) -> list[Column[R]]:
    return [
        Column("score", lambda row: f"{rated(row).score:z.2f}", leaves=score_leaves),
        Column("mu", lambda row: f"{rated(row).mu:z.2f}", leaves=RATING_LEAVES + 2),
        Column("sigma", lambda row: f"{rated(row).sigma:.2f}", leaves=RATING_LEAVES + 1),
    ]


def record_columns(
    rows: Iterable[R], record: Callable[[R], Record], battle_matches: int, waiting: Callable[[R], int] = lambda _: 0
) -> list[Column[R]]:
    """Return columns of records. `battle_matches`: of each battle; `waiting`: matches of a row left to play."""
    records = list(map(record, rows))
    places = most_places(records)

    def battles(row: R) -> str:
        return played_text(record(row).matches, waiting(row), battle_matches)

    def fault_count(name: str) -> Callable[[R], object]:
        count = attrgetter(name)
        return lambda row: count(record(row))

    return [
        Column("battles", battles, leaves=RECORD_LEAVES + 3),
        *(place_columns(records, record) if places else ()),
        Column("w/d/l", lambda row: record(row).won_drawn_lost, leaves=RATING_LEAVES if places else RECORD_LEAVES),
        *(
            Column(head, fault_count(name), leaves=FAULTS_LEAVE - 10 * number)
            for number, (head, name) in enumerate(FAULT_HEADS.items())
        ),
    ]


def place_columns(records: Sequence[Record], record: Callable[[R], Record]) -> list[Column[R]]:
    are_of_some = any(sum(own_record.places) < own_record.matches for own_record in records)
    which = ", in matches of more than two" if are_of_some else ""
    meaning = f"how often {'/'.join(map(ordinal, range(1, most_places(records) + 1)))}{which}"

    return [
        Column(PLACES, lambda row: places_words(record(row).places), leaves=RECORD_LEAVES + 1, meaning=meaning),
        Column(MEAN_PLACE, lambda row: figure(record(row).mean_place, ".2f"), leaves=RECORD_LEAVES + 2),
    ]


def played_text(matches: int, waiting: int, battle_matches: int) -> str:
    return battles_text(matches, battle_matches) + (f" +{battles_text(waiting, battle_matches)}" if waiting else "")


def board_table(league: League, rows: Sequence[BoardRow], own: str = "", remark: str = "") -> FittingTable[BoardRow]:
    """Draw a league's board, or a part of it. `own`: the player whose rows stand out; `remark`: a line below it."""

    def version(line: BoardRow) -> Text:
        row = line.standing
        mark = "boss" if row.is_boss else "rival" if row.is_rival else ""
        return version_text(line.version, mark, own=row.player == own)

    def settled(line: BoardRow) -> SettledRank | None:
        return line.standing.settled_rank

    columns: Columns[BoardRow] = [
        Column("rank", lambda line: line.rank),
        *([interval_column(settled)] if league.is_settled else ()),
        Column("version", version, NAME),
        Column("player", lambda line: line.standing.player, NAME, leaves=PLAYER_LEAVES),
        *(strength_columns(settled, FAULTS_LEAVE - 1) if league.is_settled else ()),
        *rating_columns(lambda line: line.standing, RATING_LEAVES if league.is_settled else None),
        *record_columns(rows, lambda row: row.standing.record, league.battle_matches, lambda row: row.standing.waiting),
    ]
    unknown = UNKNOWN if league.is_settled and not all(map(settled, rows)) else ""
    waiting = next((line.standing.waiting for line in rows if line.standing.waiting), 0)
    many = battles_text(waiting, league.battle_matches)
    plus = f"+{many}: {many} {'battle' if many == '1' else 'battles'} still to play" if waiting else ""
    legend = "\n".join(filter(None, [plus, unknown, remark, league.caution]))
    return FittingTable(columns, rows, f"{league.title} ({league.game})", legend)


def version_text(name: str, mark: str = "", *, own: bool = False) -> Text:
    """Show a version on a board. `mark`: that it is the boss, or a rival; `own`: whether it is this person's."""
    style = "dim" if mark.startswith("boss") else "bold cyan" if own else "bold"
    return Text(f"{name} ({mark})" if mark else name, style=style)
