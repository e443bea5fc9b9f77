"""Seasons: which there are, how far the last series of each is, and the boards of those that are closed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import ClassVar

from engine.text import counted
from ladder.database.connection import Connection, one
from ladder.leagues import leagues
from ladder.promotions.lifecycle import boards
from ladder.seasons import seasons as stored
from ladder.seasons.season import check_number, closed, running
from ladder.seasons.seasons import GivenUp, Season, SeasonRank, Series
from ladder.views.progress import own_to_make


@dataclass(frozen=True, slots=True)
class SeriesSoFar:
    """A season's last series: `each` battles for each of the first `top` of every board, and how far it is."""

    MERGED: ClassVar = ("series",)

    each: int
    top: int
    series: Series


@dataclass(frozen=True, slots=True)
class SeasonSoFar:
    """A season; `series`: None where it has none. See `ladder.seasons.seasons.Season`."""

    game: str
    number: int
    state: str
    opened_at: datetime | None
    closed_at: datetime | None
    series: SeriesSoFar | None = None


def so_far(connection: Connection, season: Season) -> SeasonSoFar:
    """Return a season with how far its series is."""
    series = None
    if season.id is not None and season.series_battles:
        series = SeriesSoFar(season.series_battles, season.series_top, stored.series(connection, season.id))
    return SeasonSoFar(season.game, season.number, season.state, season.opened_at, season.closed_at, series)


def listed(connection: Connection, game: str | None = None) -> list[SeasonSoFar]:
    """Return the seasons of a game, or of all, the one that is on as each game's last. Raises UnknownName."""
    names = leagues.games_or_all(connection, game)
    return [so_far(connection, season) for name in names for season in with_the_one_on(connection, name)]


def with_the_one_on(connection: Connection, game: str) -> list[Season]:
    """Return a game's seasons, the one that is on as the last."""
    begun = stored.begun(connection, game)
    on = running(game, begun)
    return begun if on in begun else [*begun, on]


def the_one_on(connection: Connection, game: str, number: int | None = None) -> SeasonSoFar:
    """Return a game's season that is on. Raises Refused where that is not the one of that number."""
    on = running(game, stored.begun(connection, game))
    check_number(on, number)
    return so_far(connection, on)


def read_season(connection: Connection, game: str, number: int) -> SeasonSoFar:
    """Return a season whose end has begun, by its number."""
    return so_far(connection, next(one for one in stored.begun(connection, game) if one.number == number))


@dataclass(frozen=True, slots=True)
class Unplayed:
    """What a game's season still lacks. `matches`: that wait or are played; `battles`: that are not made into any yet.

    Left out are those that are only made because machines are idle: there is no end of them.
    """

    matches: int
    battles: int

    @property
    def is_settled(self) -> bool:
        """Say whether nothing is missing."""
        return self.matches + self.battles == 0

    @property
    def sentence(self) -> str:
        """Say what is missing; only where something is."""
        matches, battles = counted(self.matches, "match", "matches"), counted(self.battles, "battle")
        waits = "waits" if self.matches == 1 else "wait"
        parts = [f"{matches} {waits} to be played"] * (self.matches > 0) + [f"{battles} lack"] * (self.battles > 0)
        if self.battles == 1:
            parts[-1] += "s"
        return " and ".join(parts)


def unplayed(connection: Connection, game: str) -> Unplayed:
    """Return what a game's season still lacks. The connection must see one snapshot, or what is made is overlooked."""
    matches = one(
        connection,
        """
        SELECT count(*) FROM matches JOIN leagues ON leagues.id = matches.league_id
        WHERE leagues.game = %(game)s AND state IN ('queued', 'running') AND rates
          AND (made_for IS NOT NULL OR request_id IS NOT NULL)
        """,
        {"game": game},
    )
    asked = one(
        connection,
        """
        SELECT coalesce(sum(requests.battles - made), 0)
        FROM requests JOIN seasons ON seasons.id = requests.season_id
        WHERE seasons.game = %(game)s AND seasons.closed_at IS NULL AND lapsed IS NULL
        """,
        {"game": game},
    )
    lacking = sum(own_to_make(board) for board in boards(connection, game) if len(board.standings) > 1)
    return Unplayed(int(matches[0]), int(asked[0]) + ceil(lacking / 2))


def ending_sentence(season: SeasonSoFar) -> str:
    """Say what the end of a season, which has begun, means."""
    series = None if season.series is None else season.series.series
    if season.state == "closed":
        cut = (
            ""
            if series is None or not series.lapsed
            else f"; {counted(series.lapsed, 'battle')} of its series given up"
        )
        if series is not None and series.waiting:
            matches = counted(series.waiting, "match", "matches")
            cut += f"; {matches} of it to be played yet, for season {season.number + 1}"
        return (
            f"season {season.number} of {season.game} is closed, season {season.number + 1} has begun{cut}; "
            f"`ladder season show {season.game} {season.number}` shows its boards"
        )
    battles = 0 if series is None else series.battles
    return (
        f"season {season.number} of {season.game} plays its series, {counted(battles, 'battle')}; "
        "when they are played it is closed"
    )


@dataclass(frozen=True, slots=True)
class FinalRow:
    """A line of a closed season's board. `given_up`: what was given up of the version's series; in CSV as one text."""

    MERGED: ClassVar = ("row",)

    game: str
    season: int
    version: str
    row: SeasonRank
    is_unplayed: bool
    given_up: Sequence[GivenUp] | str


def final_rows(season: Season, ranks: Iterable[SeasonRank], given_up: Sequence[GivenUp] = ()) -> list[FinalRow]:
    """Return the lines of a closed season's boards, each with what was given up of the version's series."""
    return [
        FinalRow(
            season.game,
            season.number,
            row.version,
            row,
            row.is_unplayed,
            [one for one in given_up if row.version_id in {one.first_id, one.second_id}],
        )
        for row in ranks
    ]


@dataclass(frozen=True, slots=True)
class FinalBoards:
    """The boards of a closed season, the highest league first, and what was given up of its series in their leagues."""

    rows: list[FinalRow]
    given_up: list[GivenUp]


def final_boards(connection: Connection, game: str, number: int, league: str | None = None) -> FinalBoards:
    """Return the boards of a closed season, of all its leagues or of one.

    Raises Refused for a season that is not closed, UnknownName for a season or league.
    """
    wanted = None if league is None else leagues.find_league(connection, game, league).id
    season = closed(game, number, stored.begun(connection, game))
    ranks = stored.kept_boards(connection, season.id or 0)
    given_up = stored.given_up(connection, season.id or 0)
    return FinalBoards(
        final_rows(season, [row for row in ranks if wanted in {None, row.league_id}], given_up),
        [one for one in given_up if wanted in {None, one.league_id}],
    )
