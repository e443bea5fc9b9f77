"""How far things are: the whole ladder, and one version on its way to its rank."""

from __future__ import annotations

from dataclasses import dataclass

from ladder.database import Connection, one
from ladder.scheduling import earned_promotion, with_next
from ladder.storage import leagues, matches, standings, versions
from ladder.storage.leagues import League
from ladder.storage.matches import Counts
from ladder.storage.standings import Standing
from ladder.storage.versions import Version


@dataclass(frozen=True, slots=True)
class Progress:
    """`lacking`: matches still to be made until every version on a board has had its battles.

    `rising`: versions that have earned a promotion and wait for the scheduler to see it.
    """

    building: int
    matches: Counts
    lacking: int
    rising: int

    @property
    def is_quiet(self) -> bool:
        """Say whether nothing waits and nothing more is going to be made."""
        return self.building + self.matches.waiting + self.lacking + self.rising == 0

    @property
    def expected(self) -> int:
        """Return how many matches there will be, as far as can be seen now; promotions add more."""
        return self.matches.finished + self.matches.waiting + self.lacking


def progress(connection: Connection) -> Progress:
    """Look at the whole ladder. The connection must see one snapshot, or matches made meanwhile are overlooked."""
    building = int(one(connection, "SELECT count(*) FROM versions WHERE state = 'building'", {})[0])
    counts = matches.count_matches(connection)
    boards = [
        (league, above, standings.board(connection, league.id))
        for league, above in with_next(leagues.leagues(connection))
    ]
    return Progress(
        building=building,
        matches=counts,
        lacking=sum(lacking_matches(league, board) for league, _, board in boards if len(board) > 1),
        rising=sum(len(earned_promotion(league, board)) for league, above, board in boards if above is not None),
    )


def lacking_matches(league: League, board: list[Standing]) -> int:
    """Return how many matches those versions lack to have had their battles."""
    return sum(max(2 * league.battles - standing.matches - standing.waiting, 0) for standing in board)


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where a version is. `board` is empty and `league` None while it is not on a board."""

    version: Version
    league: League | None
    board: list[Standing]
    is_top_league: bool

    @property
    def rank(self) -> int | None:
        """Return the version's rank on its board, counted from 1, or None."""
        ranks = [rank for rank, row in enumerate(self.board, 1) if row.version_id == self.version.id]
        return ranks[0] if ranks else None

    @property
    def is_settled(self) -> bool:
        """Say whether nothing more is going to happen to the version by itself."""
        if self.version.state == "building":
            return False
        if self.league is None:
            return True
        if lacking_matches(self.league, [row for row in self.board if row.version_id == self.version.id]):
            return len(self.board) < 2
        still_playing = any(row.waiting for row in self.board if row.version_id == self.version.id)
        return not still_playing and not self._rises

    @property
    def _rises(self) -> bool:
        if self.league is None or self.is_top_league:
            return False
        return any(row.version_id == self.version.id for row in earned_promotion(self.league, self.board))


def whereabouts(connection: Connection, version_id: int) -> Whereabouts:
    """Look for one version. The connection must see one snapshot."""
    version = versions.find_version(connection, version_id)
    all_leagues = leagues.leagues(connection, version.game)
    for league in all_leagues:
        board = standings.board(connection, league.id)
        if any(row.version_id == version_id for row in board):
            return Whereabouts(version, league, board, league == all_leagues[-1])
    return Whereabouts(version, None, [], is_top_league=False)
