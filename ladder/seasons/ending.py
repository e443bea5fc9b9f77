"""Ending a season: its series, and keeping its boards, each whole in one transaction.

How this works. Ending a season first locks the table of seasons and then reads, all of it at one moment: so of two
attempts at once one ends it, and boards, results and ratings of a final board fit together however many matches are
being recorded. A match that is finished after that moment counts for the next season. A series is requests that rate;
the scheduler makes their battles, and when the last of them is finished or void it closes the season. Killed in
between, it finds the series over again.

Imports inside functions: SciPy takes a third of a second to import, and only the end of a season needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from engine.errors import Refused
from ladder.database.connection import Connection
from ladder.ids import SeasonId, VersionId
from ladder.leagues import leagues
from ladder.matchmaking import pairing, requests
from ladder.matchmaking.matchmaker import Met, Scheme
from ladder.ratings import standings
from ladder.ratings.standings import Standing
from ladder.seasons import plans, season
from ladder.seasons import seasons as stored
from ladder.seasons.plans import SeasonPlan
from ladder.seasons.seasons import Season
from ladder.seasons.unplayed import unplayed


def begin_series(connection: Connection, game: str, battles: int, top: int, number: int | None = None) -> Season:
    """Ask for `battles` battles for each of the first `top` of every board; the season is closed after the last one.

    It must be the transaction's first use. `number`: only if it is that season. Raises Refused where a series is on
    already or the season has no match.
    """
    on = held(connection, game, number)
    if on.state == "series":
        raise Refused(f"season {on.number} of {game} has its series already: it is closed when that is played")
    season_id = stored.begin_end(connection, on, battles, top)
    schemes, met = pairing.schemes(connection, {game}), partial(pairing.met, connection)
    for league in leagues.leagues(connection, game):
        first = standings.board(connection, league.id)[:top]
        chance = Random(f"{season_id} {league.id}")  # noqa: S311 - the same series if it has to be begun again
        for field, count in fields(first, battles, schemes[league.id], chance, met):
            requests.insert(connection, league.id, field, count, asked_by="", season_id=season_id)
    return stored.begun(connection, game)[-1]


def fields(
    top: Sequence[Standing], battles: int, scheme: Scheme, chance: Random, met: Met
) -> Iterable[tuple[tuple[VersionId, ...], int]]:
    """Return how many battles which versions are to play in a league's series: two, or as many as a match has."""
    if 2 in scheme.players:
        return season.series(top, battles, scheme, chance, met).items()
    return season.series_of_many(top, battles, scheme, chance).items()


def close(connection: Connection, game: str, number: int | None = None) -> Season:
    """Close the season that is on at once, and what is left of its series is not played.

    It must be the transaction's first use. `number`: only if it is that season. Raises Refused where it has no match.
    """
    on = held(connection, game, number)
    if on.id is None:
        keep_boards(connection, game, stored.begin_end(connection, on))
    else:
        close_held(connection, on.id)
    return stored.begun(connection, game)[-1]


def close_after_series(connection: Connection, season_id: SeasonId) -> None:
    """Close a season whose series is over, unless somebody has done so. It must be the transaction's first use."""
    stored.hold(connection)
    close_held(connection, season_id)


def held(connection: Connection, game: str, number: int | None) -> Season:
    """Return the season that is on, locked so that no other session can end it. Raises Refused."""
    stored.hold(connection)
    begun = stored.begun(connection, game)
    on = season.running(game, begun)
    season.check_number(on, number)
    last = stored.played_last(connection, game)
    if last is None or (on.opened_at is not None and last <= on.opened_at):
        raise Refused(f"season {on.number} of {game} has no finished match yet, so there is nothing to close")
    return on


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """A step of a plan was done: the season's last series has begun, or it is closed."""

    plan: SeasonPlan
    season: Season


def carry_out(connection: Connection, game: str) -> CarriedOut | None:
    """Go one step further with a plan whose time has come: begin the last series, or close the season.

    While something of the season is still to be played nothing happens, nor while its series is on, after which it is
    closed anyway: then it returns None. A plan for a season that is closed, or that has no match to close it with, is
    over. It must be the transaction's first use.
    """
    stored.hold(connection)
    plan, on = plans.find(connection, game), running_season(connection, game)
    if plan is None or on.state == "series":
        return None
    if on.number != plan.number:
        plans.drop(connection, game)
    elif unplayed(connection, game).is_settled:
        try:
            return CarriedOut(plan, end_as_planned(connection, plan))
        except Refused:  # there is no match to close it with
            plans.drop(connection, game)
    return None


def end_as_planned(connection: Connection, plan: SeasonPlan) -> Season:
    """Begin the last series of a season or, where none is planned, close it. Raises Refused where it has no match."""
    if plan.series_battles:
        return begin_series(connection, plan.game, plan.series_battles, plan.series_top, plan.number)
    closed = close(connection, plan.game, plan.number)
    plans.drop(connection, plan.game)
    return closed


def running_season(connection: Connection, game: str) -> Season:
    """Return a game's season that is on."""
    return season.running(game, stored.begun(connection, game))


def close_held(connection: Connection, season_id: SeasonId) -> None:
    """Close a season in its series, unless that is done."""
    game = stored.mark_closed(connection, season_id)
    if game is not None:
        keep_boards(connection, game, season_id)


def keep_boards(connection: Connection, game: str, season_id: SeasonId) -> None:
    """Write the final boards of all leagues of a game."""
    from ladder.ratings.settled_board import settled_board

    for league in leagues.leagues(connection, game):
        board = standings.board(connection, league.id)
        if board:
            final = season.final_board(league, board, settled_board(connection, league))
            stored.keep_board(connection, season_id, final)
