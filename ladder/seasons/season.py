"""Seasons, as far as nothing has to be read or written: which one is on, who plays a series, what a final board says.

How this works. A season ends when somebody closes it, at once or after a series: for each of the first of every board
this many battles more, against those of the others from whom the ranking is expected to learn most, by the principle of
`informed` (`ladder/matchmaking/information.py`). Its final board ranks by a fit of all matches that the versions on it
have ever played (`ladder/statistics/davidson.py`), so neither the last few games decide nor their order; the live board
stands beside it. It is kept for good: what is played, renamed or taken back later does not change it. Ratings go on
into the next season, because a rating is its ledger's last line and the ledger is one for all seasons.

Imports inside functions: SciPy takes a third of a second to import, and only the end of a season needs it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from engine.errors import Refused, UnknownName
from ladder.ids import VersionId
from ladder.leagues.leagues import League, Sides
from ladder.matchmaking.matchmaker import RARE_SHARE, Met, Scheme, met_none
from ladder.names import in_short
from ladder.ratings.standings import Standing
from ladder.seasons.seasons import Season, SeasonRank

if TYPE_CHECKING:
    from ladder.ratings.standings import SettledLine


def running(game: str, begun: Sequence[Season]) -> Season:
    """Return the season that is on. `begun`: the game's seasons whose end has begun, the first one first."""
    if not begun:
        return Season(None, game, 1, None)
    last = begun[-1]
    return last if last.closed_at is None else Season(None, game, last.number + 1, last.closed_at)


def closed(game: str, number: int, begun: Sequence[Season]) -> Season:
    for season in begun:
        if season.number == number and season.closed_at is not None:
            return season
    on = running(game, begun)
    if number == on.number:
        raise Refused(f"season {number} of {game} is not closed yet; `ladder board` shows how it stands")
    known = dict.fromkeys(str(season.number) for season in [*begun, on])  # one in its series is both
    raise UnknownName.of(f"season of {game}", str(number), in_short(known))


def check_number(on: Season, number: int | None) -> None:
    """Refuse to end another season than the one that was meant. `on`: the one that is on."""
    if number is None or number == on.number:
        return
    state = "is closed already" if number < on.number else "has not begun"
    raise Refused(f"season {number} of {on.game} {state}; the one that is on is season {on.number}")


def series(
    top: Sequence[Standing], battles: int, scheme: Scheme, chance: Random, met: Met = met_none
) -> dict[tuple[VersionId, VersionId], int]:
    """Return how many battles which two of the versions are to play, so that each has `battles` or one more.

    Every next battle is for those that have had fewest: the two from whom the ranking is expected to learn most, or in
    a share of the battles those that have met least. `top`: best first, as each pair is given; `met`: before the
    series.
    """
    sides = Sides([row.player for row in top], own_bots_meet=scheme.own_bots_meet)
    if sides.count < 2:
        return {}
    from ladder.matchmaking.information import AllPairs, InformationGain, Model

    lessons = InformationGain(
        [row.mu for row in top],
        [row.sigma for row in top],
        [(row.record.matches + row.waiting) // 2 for row in top],
        [(row.waiting + 1) // 2 for row in top],
        Model(scheme.beta, scheme.draw_probability),
        sides.of,
    )
    times = [met(row.version_id) for row in top]
    pairs = AllPairs(lessons, [[own.get(other.version_id, 0) for other in top] for own in times])
    had = [0] * len(top)
    found: Counter[tuple[VersionId, VersionId]] = Counter()
    while min(had) < battles:
        choose = pairs.rarest_pair if chance.random() < RARE_SHARE else pairs.best_pair
        first, second = choose([times == min(had) for times in had], chance)
        pairs.expect(first, second)
        found[(top[first].version_id, top[second].version_id)] += 1
        had[first] += 1
        had[second] += 1
    return dict(found)


def series_of_many(
    top: Sequence[Standing], battles: int, scheme: Scheme, chance: Random
) -> dict[tuple[VersionId, ...], int]:
    """Of as many players as the smallest match has, for those that have had fewest, drawn by lot."""
    players = scheme.players[0]
    sides = Sides([row.player for row in top], own_bots_meet=scheme.own_bots_meet)
    if sides.count < players:
        return {}
    had = [0] * len(top)
    found: Counter[tuple[VersionId, ...]] = Counter()
    while min(had) < battles:
        in_turn = sorted(range(len(top)), key=lambda place: (had[place], chance.random()))
        first_of_sides = {sides.of[place]: place for place in reversed(in_turn)}
        places = sorted(first_of_sides.values(), key=in_turn.index)[:players]
        found[tuple(top[place].version_id for place in sorted(places))] += 1
        for place in places:
            had[place] += 1
    return dict(found)


def final_board(league: League, board: Sequence[Standing], settled: Sequence[SettledLine]) -> list[SeasonRank]:
    by_live_rank = {line.live_rank: line for line in settled}
    return [
        SeasonRank(
            league_id=league.id,
            league=league.name,
            league_title=league.title,
            group_number=None if fit is None else fit.group,
            rank=None if fit is None else fit.rank,
            rank_low=None if fit is None else fit.rank_low,
            rank_high=None if fit is None else fit.rank_high,
            strength=None if fit is None else fit.strength,
            error=None if fit is None else fit.error,
            live_rank=live_rank,
            version_id=row.version_id,
            bot=row.bot,
            number=row.number,
            player=row.player,
            is_boss=row.is_boss,
            score=row.score,
            mu=row.mu,
            sigma=row.sigma,
            record=row.record,
        )
        for live_rank, row in enumerate(board, 1)
        for fit in [by_live_rank.get(live_rank)]
    ]
