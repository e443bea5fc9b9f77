"""What operators do with games, leagues and seasons. All of it takes the scope `operate`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import AwareDatetime, Field
from starlette.responses import Response

from engine.errors import UsageFault
from ladder import actions
from ladder.actions.seasons import LastSeries
from ladder.ids import LARGEST_ID
from ladder.leagues.file import read_table
from ladder.row_limits import LARGEST_TOP, MOST_BATTLES
from ladder.seasons import seasons
from ladder.views.leagues import AppliedFile
from ladder.views.seasons import PlannedSeason, SeasonSoFar
from ladder.web.api.answers import GameName
from ladder.web.writing.bodies import STRICT, read_body
from ladder.web.writing.contract_routes import Nothing, doing, taking
from ladder.web.writing.gate import WriteHere, once, shown

router = APIRouter()
USUAL_TOP = 10


@dataclass(frozen=True, slots=True)
class Unlocked:
    """A game takes versions again."""

    game: str


@router.delete("/games/{game}/lock", **doing(Unlocked), **taking())
def unlock(write: WriteHere, game: GameName) -> Response:
    """Let a game take versions again, as `ladder game unlock` does. The scope `operate`."""
    read_body(Nothing, write.body or b"{}")
    return once(write, lambda actor, pool, _: shown(Unlocked(actions.games.unlock(actor, pool, game))))


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of leagues by their names, as in a league file. `dry_run`: do it, and take it back."""

    __pydantic_config__ = STRICT

    leagues: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    dry_run: bool = False


@router.put("/games/{game}/leagues", **doing(AppliedFile), **taking(Settings))
def apply(write: WriteHere, game: GameName) -> Response:
    """Change settings of a game's leagues, as `ladder league apply` does. The scope `operate`."""
    said = read_body(Settings, write.body)
    file = read_table({"game": game, "leagues": said.leagues}, write.site.games)
    return once(write, lambda actor, pool, _: shown(actions.games.apply(actor, pool, file, dry_run=said.dry_run)))


@dataclass(frozen=True, slots=True)
class End:
    """How the season ends: at once, after a last series, or by a plan with `submit_until`.

    `number`: only if it is that season. `series`: battles for each of the first `top` of every board. `only_settled`:
    only if nothing waits to be played.
    """

    __pydantic_config__ = STRICT

    number: Annotated[int, Field(ge=1, le=LARGEST_ID)] | None = None
    series: Annotated[int, Field(ge=1, le=MOST_BATTLES)] | None = None
    top: Annotated[int, Field(ge=2, le=LARGEST_TOP)] | None = None
    only_settled: bool = False
    submit_until: AwareDatetime | None = None


@router.post("/games/{game}/seasons", **doing(SeasonSoFar, PlannedSeason), **taking(End))
def end_season(write: WriteHere, game: GameName) -> Response:
    """Close the season that is on, or plan that, as `ladder season close` and `plan` do. The scope `operate`."""
    said = read_body(End, write.body)
    name = write.site.games.find(game).name
    if said.top is not None and said.series is None:
        raise UsageFault("top says who plays the series: say series too, with how many battles")
    series = None if said.series is None else LastSeries(said.series, said.top or USUAL_TOP)
    until: datetime | None = said.submit_until
    if until is None:
        return once(
            write,
            lambda actor, pool, _: shown(
                actions.seasons.close(actor, pool, name, said.number, series, only_settled=said.only_settled)
            ),
            begin=seasons.hold,
        )
    if said.number is not None or said.only_settled:
        raise UsageFault("number and only_settled are for closing at once: leave them out beside submit_until")
    return once(write, lambda actor, pool, _: shown(actions.seasons.plan(actor, pool, name, until, series)))
