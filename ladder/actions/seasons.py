"""What operators do with seasons: close one, or plan that."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime

from engine.errors import Refused, UsageFault
from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.database.connection import Connection, Pool, transaction
from ladder.row_limits import LARGEST_TOP, MOST_BATTLES
from ladder.seasons import ending
from ladder.seasons.ending import SeasonPlan, unplayed
from ladder.views.seasons import PlannedSeason, SeasonSoFar, ending_sentence, plan_sentence, planned, so_far


@dataclass(frozen=True, slots=True)
class LastSeries:
    """Battles that are played before a season is closed: this many for each of the first `top` of every board."""

    battles: int
    top: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What a contest is besides its end, see `ladder.seasons.ending.SeasonPlan`; None: as it was before."""

    submit_from: datetime | None = None
    one_bot: bool | None = None
    title: str | None = None
    rules: str | None = None


AS_BEFORE = Terms()


def close(
    actor: Actor,
    pool: Pool,
    game: str,
    number: int | None = None,
    series: LastSeries | None = None,
    *,
    only_settled: bool = False,
) -> SeasonSoFar:
    """Close a season, if it is that `number` and `only_settled` holds, after a series. Raises NotAllowed, Refused."""
    require(actor, Deed.CLOSE_SEASON)
    require_series(series)
    if only_settled:
        with transaction(pool) as connection:
            left = unplayed(connection, game)
        if not left.is_settled:
            raise Refused(
                f"the season of {game} is not played to its end: {left.sentence}; --now closes it all the same, "
                "--when-settled waits"
            )
    with transaction(pool) as connection:
        if series is None:
            season = ending.close(connection, game, number)
        else:
            season = ending.begin_series(connection, game, series.battles, series.top, number)
        found = so_far(connection, season)
        audit.write_deed(connection, actor, "season close", ending_sentence(found))
    return found


def plan(actor: Actor, pool: Pool, game: str, submit_until: datetime, series: LastSeries | None) -> PlannedSeason:
    """Plan the end of the season that is on in place of any other plan. Raises NotAllowed, UsageFault, Refused."""
    require(actor, Deed.CLOSE_SEASON)
    with transaction(pool) as connection:
        found = put_plan(connection, actor, game, submit_until, series)
        audit.write_deed(connection, actor, "season plan", plan_sentence(found))
    return found


def put_plan(
    connection: Connection,
    actor: Actor,
    game: str,
    submit_until: datetime,
    series: LastSeries | None,
    terms: Terms = AS_BEFORE,
) -> PlannedSeason:
    """Plan the end of the season that is on; what the plan before said of the contest stays, but for new terms."""
    require_series(series)
    ending.require_to_come(connection, game, submit_until)
    on = ending.running_season(connection, game)
    if on.state == "series":
        raise Refused(f"season {on.number} of {game} plays its series already, and is closed after it")
    battles, top = (0, 0) if series is None else (series.battles, series.top)
    plan, before = SeasonPlan(game, on.number, submit_until, battles, top, actor.player), ending.find(connection, game)
    if before is not None and before.number == on.number:
        kept = {name: getattr(before, name) for name in asdict(terms)}
        plan = replace(plan, **kept)
    ending.put(connection, replace(plan, **{name: new for name, new in asdict(terms).items() if new is not None}))
    return planned(connection, game)


def require_series(series: LastSeries | None) -> None:
    if series is not None and not (1 <= series.battles <= MOST_BATTLES and 2 <= series.top <= LARGEST_TOP):
        raise UsageFault(
            f"a last series has 1 to {MOST_BATTLES:,} battles for each of the first 2 to {LARGEST_TOP}, "
            f"not {series.battles} for each of {series.top}"
        )


def drop_plan(actor: Actor, pool: Pool, game: str) -> PlannedSeason:
    """Take the plan for a game's season back: versions can be submitted again. Raises NotAllowed, Refused."""
    require(actor, Deed.CLOSE_SEASON)
    with transaction(pool) as connection:
        if not ending.drop(connection, game):
            raise Refused(f"nothing is planned for the season of {game}")
        found = planned(connection, game)
        audit.write_deed(connection, actor, "season plan", f"the plan for {game} was taken back")
    return found
