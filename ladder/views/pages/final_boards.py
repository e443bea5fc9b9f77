"""A closed season as pages show it: the final boards of its leagues, each in parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from ladder.database.connection import Connection
from ladder.ids import LeagueId
from ladder.leagues import leagues
from ladder.ratings.counts import most_places
from ladder.row_limits import require_limit
from ladder.seasons import seasons as stored
from ladder.seasons.season import closed
from ladder.seasons.seasons import GivenUp, SeasonRank
from ladder.views.seasons import SeasonSoFar, so_far


@dataclass(frozen=True, slots=True)
class FinalBoard:
    """A part of a league's final board. `league`, `title`: as it is called now, and as it was then.

    `more`: how many lines come after these. `battle_matches`: how many matches a battle has there, on average.
    """

    HIDDEN: ClassVar = ("battle_matches",)

    league: str
    title: str
    lines: list[SeasonRank]
    more: int
    battle_matches: int = 2

    @property
    def has_groups(self) -> bool:
        """Say whether there are versions that no chain of matches joins, as far as these lines show it."""
        return max((line.group_number or 0 for line in self.lines), default=0) > 1

    @property
    def most_places(self) -> int:
        """Return how many places its versions could take; 0 where every match had two players."""
        return most_places(line.record for line in self.lines)


@dataclass(frozen=True, slots=True)
class FinalSeason:
    """A closed season with its boards, the highest league first, and what was given up of its series."""

    season: SeasonSoFar
    boards: list[FinalBoard]
    given_up: list[GivenUp]


def final_season(
    connection: Connection,
    game: str,
    number: int,
    league: str | None = None,
    after: int = 0,
    limit: int | None = None,
) -> FinalSeason:
    """Read a closed season, all of its boards or one; of each at most `limit` lines, those after its first `after`.

    Raises Refused for a season that is not closed, UnknownName for a season, game or league.
    """
    require_limit(limit)
    leagues.check_game(connection, game)
    wanted = None if league is None else leagues.find_league(connection, game, league).id
    season = closed(game, number, stored.begun(connection, game))
    lines = stored.kept_boards(connection, season.row_id, wanted, after, limit)
    lengths = stored.kept_lines(connection, season.row_id)
    boards = [list(own) for _, own in groupby(lines, key=lambda line: line.league_id)]
    in_battle = {found.id: found.battle_matches for found in leagues.leagues(connection, game)}
    given_up = stored.given_up(connection, season.row_id)
    return FinalSeason(
        so_far(connection, season),
        [final_board(own, lengths[own[0].league_id] - after - len(own), in_battle) for own in boards],
        [one for one in given_up if wanted in {None, one.league_id}],
    )


def final_board(lines: Sequence[SeasonRank], more: int, in_battle: Mapping[LeagueId, int]) -> FinalBoard:
    """Return a part of a board. `in_battle`: how many matches a battle of each league has."""
    first = lines[0]
    return FinalBoard(first.league, first.league_title, list(lines), more, in_battle[first.league_id])
