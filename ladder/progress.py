"""How far the ladder is: what still waits, and whether there is nothing left to do."""

from __future__ import annotations

from dataclasses import dataclass

from ladder.database import Connection, one
from ladder.storage import leagues, matches, standings
from ladder.storage.leagues import League
from ladder.storage.matches import Counts
from ladder.storage.standings import Standing


@dataclass(frozen=True, slots=True)
class Progress:
    """`lacking`: matches still to be made until every version on a board has had its battles."""

    building: int
    matches: Counts
    lacking: int

    @property
    def is_quiet(self) -> bool:
        """Say whether nothing waits and nothing more is going to be made."""
        return self.building == 0 and self.matches.waiting == 0 and self.lacking == 0

    @property
    def expected(self) -> int:
        """Return how many matches there will be, as far as can be seen now; promotions add more."""
        return self.matches.finished + self.matches.waiting + self.lacking


def progress(connection: Connection) -> Progress:
    """Look at the whole ladder."""
    building = int(one(connection, "SELECT count(*) FROM versions WHERE state = 'building'", {})[0])
    counts = matches.count_matches(connection)
    lacking = sum(
        lacking_matches(league, standings.board(connection, league.id)) for league in leagues.leagues(connection)
    )
    return Progress(building, counts, lacking)


def lacking_matches(league: League, board: list[Standing]) -> int:
    """Return how many matches a league's versions lack, counted per version; a lone version lacks nothing."""
    if len(board) < 2:
        return 0
    return sum(max(2 * league.battles - standing.matches - standing.waiting, 0) for standing in board)
