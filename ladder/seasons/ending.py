"""Ending a season: which one is on, who plays its series, what its final board says; each step in one transaction.

A season ends when somebody closes it, at once or after a series: for each of the first of every board this many battles
more, against those of the others from whom the ranking is expected to learn most, by the principle of `informed`
(`ladder/matchmaking/information.py`). Its final board ranks by a fit of all matches that the versions on it have ever
played (`ladder/statistics/davidson.py`), so neither the last few games decide nor their order; the live board stands
beside it. It is kept for good: what is played, renamed or taken back later does not change it. Ratings go on into the
next season, because a rating is its ledger's last line and the ledger is one for all seasons.

How this works. Ending a season first locks the table of seasons and then reads, all of it at one moment: so of two
attempts at once one ends it, and boards, results and ratings of a final board fit together however many matches are
being recorded. A match that is finished after that moment counts for the next season. A series is requests that rate;
the scheduler makes their battles, and when the last of them is finished or void it closes the season. Killed in
between, it finds the series over again.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from math import ceil
from random import Random
from typing import LiteralString

from engine.errors import Refused, UnknownName, UsageFault
from engine.immutable import immutable
from engine.text import counted, zoned_words
from ladder import matchmaking, ratings
from ladder.database.connection import Connection, Rows, one
from ladder.database.schema import names_of_fields
from ladder.ids import SeasonId, VersionId
from ladder.leagues import leagues
from ladder.leagues.leagues import League, Sides
from ladder.matchmaking import demand, requests
from ladder.matchmaking.matchmaker import RARE_SHARE, Met, Scheme, met_none
from ladder.names import in_short
from ladder.promotions.lifecycle import LeagueBoard, boards
from ladder.promotions.rules import lacking_matches
from ladder.ratings import standings
from ladder.ratings.standings import SettledLine, Standing
from ladder.row_limits import require_moment
from ladder.seasons import seasons as stored
from ladder.seasons.seasons import Season, SeasonRank


@immutable
class SeasonRest:
    """What a season still lacks: matches that wait, and battles not made yet, but for those that idle machines make."""

    matches: int
    battles: int

    @property
    def is_settled(self) -> bool:
        return self.matches + self.battles == 0

    @property
    def sentence(self) -> str:
        parts: list[str] = []
        if self.matches:
            waits = "waits" if self.matches == 1 else "wait"
            parts.append(f"{counted(self.matches, 'match', 'matches')} {waits} to be played")
        if self.battles:
            parts.append(f"{counted(self.battles, 'battle')} {'lacks' if self.battles == 1 else 'lack'}")
        return " and ".join(parts)


def unplayed(connection: Connection, game: str) -> SeasonRest:
    """Return what a game's season still lacks. The connection must see one snapshot, or what is made is overlooked."""
    waiting = """
        SELECT count(*) FROM matches JOIN leagues ON leagues.id = matches.league_id
        WHERE leagues.game = %(game)s AND is_waiting(state) AND rates
          AND (made_for IS NOT NULL OR request_id IS NOT NULL)"""
    requested = """
        SELECT coalesce(sum(requests.battles - made), 0)
        FROM requests JOIN seasons ON seasons.id = requests.season_id
        WHERE seasons.game = %(game)s AND seasons.closed_at IS NULL AND lapsed IS NULL"""
    lacking: dict[int, int] = defaultdict(int)
    for board in boards(connection, game):
        lacking[board.place.league.battle_matches] += own_to_make(board)
    battles = sum(ceil(matches / in_battle) for in_battle, matches in lacking.items())
    matches, left = (int(one(connection, query, {"game": game})[0]) for query in (waiting, requested))
    return SeasonRest(matches, left + battles)


def own_to_make(board: LeagueBoard) -> int:
    """Besides those that wait, and without those that are spared. None where too few can meet."""
    if not board.place.league.can_play([standing.player for standing in board.standings]):
        return 0
    spared = board.spared
    return sum(
        max(lacking_matches(board.place.league, standing) - standing.waiting, 0)
        for standing in board.standings
        if standing.version_id not in spared
    )


def still_to_make(board: LeagueBoard) -> int:
    """Return how many matches a board's versions lack, with one more battle for each version that plays on."""
    if board.place.league.is_unplayed:
        return 0
    more = sum(order.plays_on for order in board.open_orders) + len(board.open_neighbours)
    return own_to_make(board) + board.place.league.battle_matches * more


@immutable
class SeasonPlan:
    """How a game's season is to end. From `submit_until` on no version is submitted, and what lacks is played.

    Then `series_battles` more for each of the first `series_top` of each board, if any. Before `submit_from` none is
    submitted either. `one_bot`: of a player, at most; `title`, `rules`: an operator's words on the contest.
    """

    game: str
    number: int
    submit_until: datetime
    series_battles: int
    series_top: int
    planned_by: str
    submit_from: datetime | None = None
    one_bot: bool = False
    title: str = ""
    rules: str = ""


PLANNED: tuple[LiteralString, ...] = names_of_fields(SeasonPlan)
SELECT_PLAN: LiteralString = f"SELECT {', '.join(PLANNED)} FROM season_plans "  # noqa: S608


def put(connection: Connection, plan: SeasonPlan) -> None:
    """Plan the end of a game's season in place of any other plan. Raises UsageFault for an end before the beginning."""
    if plan.submit_from is not None and plan.submit_until <= plan.submit_from:
        raise UsageFault(
            f"the contest of {plan.game} would end {zoned_words(plan.submit_until)}, before it begins "
            f"{zoned_words(plan.submit_from)}: name a later end, or an earlier beginning"
        )
    query = f"""
        INSERT INTO season_plans ({", ".join(PLANNED)}) VALUES ({", ".join(f"%({name})s" for name in PLANNED)})
        ON CONFLICT (game) DO UPDATE
        SET {", ".join(f"{name} = excluded.{name}" for name in PLANNED)}, planned_at = now()"""  # noqa: S608
    connection.execute(query, asdict(plan))


def drop(connection: Connection, game: str) -> bool:
    return connection.execute("DELETE FROM season_plans WHERE game = %s", [game]).rowcount == 1


def find(connection: Connection, game: str) -> SeasonPlan | None:
    return Rows(connection, SeasonPlan).first(SELECT_PLAN + "WHERE game = %s", [game])


def due(connection: Connection) -> list[SeasonPlan]:
    return Rows(connection, SeasonPlan).all(SELECT_PLAN + "WHERE submit_until <= now() ORDER BY game")


def require_open(connection: Connection, game: str) -> None:
    """Raise Refused where a game's contest has not begun, or its season is being played to its end."""
    query = """
        SELECT number, CASE WHEN submit_from > now() THEN submit_from END FROM season_plans
        WHERE game = %s AND (submit_until <= now() OR submit_from > now())"""
    row = connection.execute(query, [game]).fetchone()
    if row is None:
        return
    number, begins = row
    if begins is not None:
        raise Refused(f"the contest of {game} begins {zoned_words(begins)}: until then no version is submitted")
    played = f"season {number} is being played to its end; `ladder season show {game}` says how far it is"
    raise Refused(f"submissions for {game} are closed: {played}")


def require_to_come(connection: Connection, game: str, until: datetime) -> None:
    """Raise UsageFault for a time that is over, as a mistyped one would end submissions at once, or too far away."""
    require_moment(until)
    if one(connection, "SELECT %(until)s <= now()", {"until": until})[0]:
        raise UsageFault(
            f"{zoned_words(until)} is over, and submissions would be closed at once: name a time to "
            f"come, or close the season as soon as all is played with `ladder season close {game} --when-settled`"
        )


def begin_series(connection: Connection, game: str, battles: int, top: int, number: int | None = None) -> Season:
    """Ask for `battles` each of the first `top`, to close the season after. Opens its transaction. Raises Refused."""
    on = hold_season(connection, game, number)
    if on.state == "series":
        raise Refused(f"season {on.number} of {game} has its series already: it is closed when that is played")
    season_id = stored.begin_end(connection, on, battles, top)
    schemes = demand.schemes(connection, {game}, game)
    met = partial(demand.met, connection)
    for league in leagues.leagues(connection, game):
        first = standings.live_order(standings.board(connection, league.id))[:top]
        chance = Random(f"{season_id} {league.id}")  # noqa: S311 - the same series if it has to be begun again
        scheme = schemes[league.id]
        for version_ids, count in series(first, battles, scheme, chance, met).items():
            requests.insert(connection, league.id, version_ids, count, asked_by="", season_id=season_id)
    return stored.begun(connection, game)[-1]


def close(connection: Connection, game: str, number: int | None = None) -> Season:
    """The transaction's first use. `number`: only if it is that season. Raises Refused where it has no match."""
    on = hold_season(connection, game, number)
    if on.id is None:
        keep_boards(connection, game, stored.begin_end(connection, on))
    else:
        close_held(connection, on.id)
    return stored.begun(connection, game)[-1]


def close_after_series(connection: Connection, season_id: SeasonId) -> None:
    """Close a season whose series is over, unless somebody has done so. It must be the transaction's first use."""
    stored.hold(connection)
    close_held(connection, season_id)


def hold_season(connection: Connection, game: str, number: int | None) -> Season:
    """Return the season that is on, locked so that no other session can end it. Raises Refused."""
    stored.hold(connection)
    begun = stored.begun(connection, game)
    on = running(game, begun)
    check_number(on, number)
    last = stored.played_last(connection, game)
    if last is None or (on.opened_at is not None and last <= on.opened_at):
        raise Refused(f"season {on.number} of {game} has no finished match yet, so there is nothing to close")
    return on


def carry_out(connection: Connection, game: str) -> tuple[SeasonPlan, Season] | None:
    """Go one step further with a plan whose time has come: begin the last series, or close the season.

    It must be the transaction's first use. None while something is still to be played, and while a series is on, after
    which the season is closed anyway. A plan for a season that is closed, or that has no match to close it with, is
    over.
    """
    stored.hold(connection)
    plan = find(connection, game)
    on = running_season(connection, game)
    if plan is None or on.state == "series":
        return None
    if on.number != plan.number:
        drop(connection, game)
    elif unplayed(connection, game).is_settled:
        try:
            if plan.series_battles:
                return plan, begin_series(connection, game, plan.series_battles, plan.series_top, plan.number)
            closed = close(connection, game, plan.number)
        except Refused:  # there is no match to close it with
            drop(connection, game)
            return None
        drop(connection, game)
        return plan, closed
    return None


def running_season(connection: Connection, game: str) -> Season:
    return running(game, stored.begun(connection, game))


def close_held(connection: Connection, season_id: SeasonId) -> None:
    game = stored.mark_closed(connection, season_id)
    if game is not None:
        keep_boards(connection, game, season_id)


def keep_boards(connection: Connection, game: str, season_id: SeasonId) -> None:
    for league in leagues.leagues(connection, game):
        board = standings.live_order(standings.board(connection, league.id))
        if board:
            final = final_board(league, board, ratings.settled_fit.settled_board(connection, league))
            stored.keep_board(connection, season_id, final)


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
    numbers = dict.fromkeys(str(season.number) for season in [*begun, on])  # one in its series is both
    raise UnknownName.of(f"season of {game}", str(number), in_short(numbers))


def check_number(on: Season, number: int | None) -> None:
    """Refuse to end another season than the one that was meant. `on`: the one that is on."""
    if number is None or number == on.number:
        return
    state = "is closed already" if number < on.number else "has not begun"
    raise Refused(f"season {number} of {on.game} {state}; the one that is on is season {on.number}")


def series(
    top: Sequence[Standing], battles: int, scheme: Scheme, chance: Random, met: Met = met_none
) -> dict[tuple[VersionId, ...], int]:
    """Return how many battles which of the versions are to play, so that each has `battles` or one more.

    Every next battle is for those that have had fewest: of two the pair from whom the ranking is expected to learn
    most, or in a share of the battles those that have met least; where a match has more players, as many as the
    smallest has, drawn by lot. `top`: best first, as those of each battle are given; `met`: before the series.
    """
    players = 2 if 2 in scheme.players else scheme.players[0]
    sides = Sides([row.player for row in top], own_bots_meet=scheme.own_bots_meet)
    if sides.count < players:
        return {}
    pairs = pairs_to_learn(top, scheme, sides, met) if players == 2 else None
    had = [0] * len(top)
    counts: Counter[tuple[VersionId, ...]] = Counter()
    while min(had) < battles:
        if pairs is None:
            places = drawn_by_lot(sides, players, had, chance)
        else:
            choose = pairs.rarest_pair if chance.random() < RARE_SHARE else pairs.best_pair
            places = list(choose([times == min(had) for times in had], chance))
            pairs.expect(*places)
        counts[tuple(top[place].version_id for place in places)] += 1
        for place in places:
            had[place] += 1
    return dict(counts)


def pairs_to_learn(
    top: Sequence[Standing], scheme: Scheme, sides: Sides, met: Met
) -> "matchmaking.information.AllPairs":
    lessons = matchmaking.information.InformationGain(
        [row.mu for row in top],
        [row.sigma for row in top],
        battles=[(row.record.matches + row.waiting) // 2 for row in top],
        waiting=[(row.waiting + 1) // 2 for row in top],
        model=matchmaking.information.Model(scheme.beta, scheme.draw_probability),
        sides=sides.of,
    )
    times = [met(row.version_id) for row in top]
    met_before = [[of_row.get(other.version_id, 0) for other in top] for of_row in times]
    return matchmaking.information.AllPairs(lessons, met_before)


def drawn_by_lot(sides: Sides, players: int, had: Sequence[int], chance: Random) -> list[int]:
    in_turn = sorted(range(len(had)), key=lambda place: (had[place], chance.random()))
    first_of_sides = {sides.of[place]: place for place in reversed(in_turn)}
    return sorted(sorted(first_of_sides.values(), key=in_turn.index)[:players])


def final_board(league: League, board: Sequence[Standing], settled: Sequence[SettledLine]) -> list[SeasonRank]:
    by_live_rank = {line.live_rank: line for line in settled}
    return [
        SeasonRank(
            league_id=league.id,
            league=league.name,
            league_title=league.title,
            group_number=None if fit is None else fit.group,
            **{name: getattr(fit, name, None) for name in ("rank", "rank_low", "rank_high", "strength", "error")},
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
