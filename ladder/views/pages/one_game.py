"""A game as its page shows it: leagues with their settings, seasons, latest matches."""

from __future__ import annotations

from dataclasses import dataclass

from ladder.database.connection import Connection
from ladder.leagues import leagues
from ladder.quotas import quotas
from ladder.quotas.quotas import GameLock
from ladder.seasons import plans
from ladder.seasons.plans import SeasonPlan
from ladder.views import leagues as league_views
from ladder.views import matches, seasons
from ladder.views.leagues import LeagueRow
from ladder.views.matches import ListedMatch
from ladder.views.pages.front import LeagueAtAGlance, at_a_glance
from ladder.views.seasons import SeasonSoFar

MOST_SEASONS = 20
MOST_MATCHES = 10


@dataclass(frozen=True, slots=True)
class OneGame:
    """A game. `leagues`: the highest first, each with its settings; `seasons`: the latest first, at most MOST_SEASONS.

    `earlier`: the numbers of those before them. `plan`: how the season that is on is to end, None where nothing is
    planned; `lock`: why it takes no versions now, None where it is not locked.
    """

    game: str
    leagues: list[tuple[LeagueAtAGlance, LeagueRow]]
    seasons: list[SeasonSoFar]
    earlier: list[int]
    plan: SeasonPlan | None
    matches: list[ListedMatch]
    lock: GameLock | None = None


def one_game(connection: Connection, game: str) -> OneGame:
    """Read a game. Raises UnknownName."""
    leagues.check_game(connection, game)
    rows = {row.league: row for row in league_views.listed(connection, game)}
    found = at_a_glance(connection, leagues.leagues(connection, game)[::-1])
    on = seasons.with_the_one_on(connection, game)
    plan = plans.find(connection, game)
    return OneGame(
        game,
        [(one, rows[one.league.name]) for one in found],
        [seasons.so_far(connection, season) for season in reversed(on[-MOST_SEASONS:])],
        [season.number for season in reversed(on[:-MOST_SEASONS])],
        plan if plan is not None and plan.number == on[-1].number else None,
        matches.latest(connection, MOST_MATCHES, game=game).matches,
        quotas.find(connection, game),
    )
