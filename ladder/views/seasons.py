"""Seasons: which there are, how far the last series of each is, and the boards of those that are closed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain, groupby
from typing import ClassVar

from engine.errors import UnknownName
from engine.immutable import immutable
from engine.text import counted, zoned_words
from engine.text import listed as in_a_row
from ladder.database.connection import Connection
from ladder.leagues import leagues
from ladder.quotas import quotas
from ladder.ratings.counts import most_places
from ladder.row_limits import require_limit
from ladder.seasons import ending
from ladder.seasons import seasons as stored
from ladder.seasons.ending import SeasonPlan, SeasonRest, check_number, closed, running, unplayed
from ladder.seasons.seasons import GivenUp, Season, SeasonRank, Series
from ladder.views.boards import frozen_since


@immutable
class FinalBoard:
    """A part of a final board. `league`, `title`: as called now, and then; `battle_matches`: of a battle there."""

    HIDDEN: ClassVar = ("battle_matches",)

    league: str
    title: str
    lines: list[SeasonRank]
    more: int
    battle_matches: int = 2

    @property
    def has_groups(self) -> bool:
        return max((line.group_number or 0 for line in self.lines), default=0) > 1

    @property
    def most_places(self) -> int:
        return most_places(line.record for line in self.lines)


@immutable
class FinalSeason:
    """A closed season with its boards, the highest league first, and what was given up of its series."""

    season: SeasonSoFar
    boards: list[FinalBoard]
    given_up: list[GivenUp]

    @property
    def rows(self) -> list[FinalRow]:
        boards = (final_rows(self.season, board.lines, self.given_up, board.battle_matches) for board in self.boards)
        return [*chain(*boards)]


def final_season(
    connection: Connection, game: str, number: int, league: str | None = None, after: int = 0, limit: int | None = None
) -> FinalSeason:
    """Read a closed season's boards, of each `limit` lines after its first `after`. Raises Refused, UnknownName."""
    require_limit(limit)
    leagues.check_game(connection, game)
    wanted = None if league is None else leagues.find_league(connection, game, league).id
    season = closed(game, number, stored.begun(connection, game))
    lines = stored.kept_boards(connection, season.row_id, wanted, after, limit)
    lengths = stored.kept_lines(connection, season.row_id)
    boards = {league_id: list(rows) for league_id, rows in groupby(lines, key=lambda line: line.league_id)}
    in_battle = {place.id: place.battle_matches for place in leagues.leagues(connection, game)}
    given_up = [gap for gap in stored.given_up(connection, season.row_id) if wanted in {None, gap.league_id}]
    parts = [
        FinalBoard(rows[0].league, rows[0].league_title, rows, lengths[id_] - after - len(rows), in_battle[id_])
        for id_, rows in boards.items()
    ]
    return FinalSeason(so_far(connection, season), parts, given_up)


@immutable
class SeriesSoFar:
    """A season's last series: `each` battles for each of the first `top` of every board, and how far it is."""

    MERGED: ClassVar = ("series",)

    each: int
    top: int
    series: Series


@immutable
class SeasonSoFar:
    """A season; `series`: None where it has none. See `ladder.seasons.seasons.Season`."""

    game: str
    number: int
    state: str
    opened_at: datetime | None
    closed_at: datetime | None
    series: SeriesSoFar | None = None


def so_far(connection: Connection, season: Season) -> SeasonSoFar:
    series = None
    if season.id is not None and season.series_battles:
        series = SeriesSoFar(season.series_battles, season.series_top, stored.series(connection, season.id))
    return SeasonSoFar(season.game, season.number, season.state, season.opened_at, season.closed_at, series)


def listed(connection: Connection, game: str | None = None) -> list[SeasonSoFar]:
    """Return the seasons of a game, or of all, the one that is on as each game's last. Raises UnknownName."""
    names = leagues.games_or_all(connection, game)
    return [so_far(connection, season) for name in names for season in with_the_one_on(connection, name)]


def with_the_one_on(connection: Connection, game: str) -> list[Season]:
    begun = stored.begun(connection, game)
    on = running(game, begun)
    return begun if on in begun else [*begun, on]


def the_one_on(connection: Connection, game: str, number: int | None = None) -> SeasonSoFar:
    """Return a game's season that is on. Raises Refused where that is not the one of that number."""
    on = running(game, stored.begun(connection, game))
    check_number(on, number)
    return so_far(connection, on)


def read_season(connection: Connection, game: str, number: int) -> SeasonSoFar:
    """Return a season whose end has begun, by its number. Raises UnknownName."""
    season = next((row for row in stored.begun(connection, game) if row.number == number), None)
    if season is None:
        raise UnknownName(f"season {number} of {game} has not begun to end")
    return so_far(connection, season)


@immutable
class PlannedSeason:
    """The season that is on, how it is to end, and why its game takes no versions now; None: it does.

    `unplayed`: what it lacks; None for readers of frozen boards, who see no more than was played then.
    """

    MERGED: ClassVar = ("season",)

    season: SeasonSoFar
    unplayed: SeasonRest | None
    plan: SeasonPlan | None
    lock: quotas.GameLock | None = None


def planned(connection: Connection, game: str) -> PlannedSeason:
    season, plan = the_one_on(connection, game), ending.find(connection, game)
    own_plan = plan if plan is not None and plan.number == season.number else None
    freeze = frozen_since(connection, game)
    rest = unplayed(connection, game) if freeze is None or freeze.is_true else None
    return PlannedSeason(season, rest, own_plan, quotas.find(connection, game))


def plan_sentence(state: PlannedSeason) -> str:
    season, plan = state.season, state.plan
    head = f"season {season.number} of {season.game}"
    locked = "" if state.lock is None else f"; locked now: {state.lock.why}"
    if season.state == "series":
        return ending_sentence(season) + locked
    if plan is None:
        return f"{head} is on, and its end is not planned{locked}"
    until = zoned_words(plan.submit_until)
    battles, then = counted(plan.series_battles, "battle"), "then it is closed"
    if plan.series_battles:
        then = f"then a series of {battles} for each of the first {plan.series_top} is played, and it is closed"
    rest = ""
    if state.unplayed is not None:
        rest = f" ({'nothing lacks now' if state.unplayed.is_settled else f'now {state.unplayed.sentence}'})"
    since = "" if plan.submit_from is None else f"from {zoned_words(plan.submit_from)} "
    return f"{head}: versions are submitted {since}until {until}; when all is played{rest}, {then}{locked}"


def ending_sentence(season: SeasonSoFar) -> str:
    series = None if season.series is None else season.series.series
    if season.state == "closed":
        cut = ""
        if series is not None and series.lapsed:
            cut = f"; {counted(series.lapsed, 'battle')} of its series given up"
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


def series_text(season: SeasonSoFar) -> str:
    if season.series is None:
        return ""
    series = season.series.series
    settings = f"{counted(season.series.each, 'battle')} for each of the first {season.series.top}"
    lapsed = f", {series.lapsed} dropped because bots changed league or left" if series.lapsed else ""
    if season.closed_at:
        return f"{settings}: {counted(series.made, 'battle')} played{lapsed}"
    waiting = f"{counted(series.waiting, 'match', 'matches')} to be played"
    return f"{settings}: {series.made} of {series.battles} made{lapsed}, {waiting}"


def given_up_line(gap: GivenUp) -> str:
    which = f"{gap.battles} of {counted(gap.of, 'battle')}" if gap.of > 1 else "the battle"
    return f"{which} of {gap.first} against {in_a_row([gap.second, *gap.others])} in {gap.league}, because {gap.reason}"


@immutable
class FinalRow:
    """A line of a final board. `given_up`: of the version's series, in CSV one text; `battle_matches`: of a battle."""

    MERGED: ClassVar = ("row",)
    HIDDEN: ClassVar = ("battle_matches",)

    game: str
    season: int
    version: str
    row: SeasonRank
    is_unplayed: bool
    given_up: Sequence[GivenUp] | str
    battle_matches: int = 2


def final_rows(
    season: Season | SeasonSoFar, ranks: Iterable[SeasonRank], given_up: Sequence[GivenUp] = (), battle_matches: int = 2
) -> list[FinalRow]:
    return [
        FinalRow(season.game, season.number, row.version, row, row.is_unplayed, gaps, battle_matches)
        for row in ranks
        for gaps in [[gap for gap in given_up if row.version_id in gap.version_ids]]
    ]


@immutable
class FinalBoards:
    """The boards of a closed season, the highest league first, and what was given up of its series in their leagues."""

    rows: list[FinalRow]
    given_up: list[GivenUp]


def final_boards(connection: Connection, game: str, number: int, league: str | None = None) -> FinalBoards:
    """Return the boards of a closed season. Raises Refused for one that is not closed, UnknownName."""
    final = final_season(connection, game, number, league)
    return FinalBoards(final.rows, final.given_up)
