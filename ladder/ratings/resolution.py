"""What became of frozen boards: who stood where then, and where now, as one reads it who may see both.

A version that a newer one of its bot has replaced since became that one; of several the newest counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.errors import Refused
from engine.text import zoned_words
from ladder.database.connection import Connection
from ladder.ids import LeagueId
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.ratings import frozen, standings
from ladder.ratings.frozen import BoardFreeze
from ladder.ratings.standings import Standing
from ladder.visibility import boards_as_frozen

MOST_PLACES = 200
"""Of a board this many first ones are read."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place on a board. `rank`: from 1."""

    league: League
    rank: int
    standing: Standing


@dataclass(frozen=True, slots=True)
class Resolved:
    """A place on the frozen board, and what became of it: None where it is on no board any more."""

    before: Place
    after: Place | None

    @property
    def rise(self) -> int:
        """Return how many places it went up; 0 where it is in another league now, or in none."""
        is_there = self.after is not None and self.after.league.id == self.before.league.id
        return self.before.rank - self.after.rank if is_there and self.after is not None else 0


@dataclass(frozen=True, slots=True)
class ResolvedBoard:
    """A league's frozen board and its true one, each best first. `after`: with the place that it had, if any."""

    league: League
    before: list[Resolved]
    after: list[tuple[Place, Place | None]]


def resolution(connection: Connection, game: str) -> tuple[BoardFreeze, list[ResolvedBoard]]:
    """Return the boards with players, lowest league first, for one who sees true ones. Raises UnknownName, Refused."""
    leagues.check_game(connection, game)
    there = leagues.leagues(connection, game)
    freeze = frozen.find(connection, game)
    if freeze is None:
        raise Refused(f"the boards of {game} are not frozen, so there is nothing to reveal")
    if not freeze.has_begun:
        raise Refused(f"the boards of {game} are frozen from {zoned_words(freeze.frozen_from)} on, and not before")
    now = places(connection, there)
    with boards_as_frozen(connection):
        then = places(connection, there)
    by_version = {one.standing.version_id: one for board in now.values() for one in board}
    by_bot: dict[str, Place] = {}
    for one in sorted(by_version.values(), key=lambda one: one.standing.number):
        by_bot[one.standing.bot] = one
    before = {
        league_id: [
            Resolved(one, by_version.get(one.standing.version_id) or by_bot.get(one.standing.bot)) for one in board
        ]
        for league_id, board in then.items()
    }
    came_from = {
        one.after.standing.version_id: one.before for board in before.values() for one in board if one.after is not None
    }
    boards = [
        ResolvedBoard(
            league, before[league.id], [(one, came_from.get(one.standing.version_id)) for one in now[league.id]]
        )
        for league in there
    ]
    return freeze, [
        board for board in boards if has_players(then[board.league.id]) or has_players(now[board.league.id])
    ]


def places(connection: Connection, there: Sequence[League]) -> Mapping[LeagueId, list[Place]]:
    boards = standings.boards(connection, [league.id for league in there], limit=MOST_PLACES)
    return {
        league.id: [Place(league, rank, standing) for rank, standing in enumerate(boards[league.id], 1)]
        for league in there
    }


def has_players(board: Sequence[Place]) -> bool:
    return any(not one.standing.is_boss for one in board)
