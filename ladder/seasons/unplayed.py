"""What a season still lacks before it is played to its end."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import ceil

from engine.text import counted
from ladder.database.connection import Connection, one
from ladder.promotions.lifecycle import Board, boards
from ladder.promotions.rules import lacking_matches


@dataclass(frozen=True, slots=True)
class Unplayed:
    """What a game's season still lacks. `matches`: that wait or are played; `battles`: that are not made into any yet.

    Left out are those that are only made because machines are idle: there is no end of them.
    """

    matches: int
    battles: int

    @property
    def is_settled(self) -> bool:
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
    waiting = one(
        connection,
        """
        SELECT count(*) FROM matches JOIN leagues ON leagues.id = matches.league_id
        WHERE leagues.game = %(game)s AND is_waiting(state) AND rates
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
    lacking: dict[int, int] = defaultdict(int)
    for board in boards(connection, game):
        lacking[board.place.league.battle_matches] += own_to_make(board)
    battles = sum(ceil(matches / in_battle) for in_battle, matches in lacking.items())
    return Unplayed(int(waiting[0]), int(asked[0]) + battles)


def own_to_make(board: Board) -> int:
    """Return how many matches a board's versions lack to have had their own battles, besides those that wait.

    Those that are spared are not among them. None where too few versions are there that can meet.
    """
    if not board.can_play:
        return 0
    spared = board.spared
    return sum(
        max(lacking_matches(board.place.league, standing) - standing.waiting, 0)
        for standing in board.standings
        if standing.version_id not in spared
    )
