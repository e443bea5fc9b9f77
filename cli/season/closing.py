"""What the commands of seasons ask, wait for and show.

Imports inside functions: only a page of a season needs what makes pages.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cli import texts
from cli.answer import Answer, Remark
from cli.context import Context
from cli.options.files import check_free, write_file
from engine.errors import Refused, UsageFault
from ladder import views
from ladder.seasons.ending import unplayed
from ladder.views.seasons import (
    SeasonSoFar,
    plan_sentence,
    planned,
    read_season,
    series_text,
    the_one_on,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ladder.views.seasons import FinalBoards

WATCH_EVERY_S = 0.5


def the_one_that_is_on(context: Context, game: str) -> Answer:
    found = context.read(planned, game)
    return Answer(found, plan_sentence(found))


def wait_until_settled(context: Context, game: str) -> None:
    with context.err.status("waiting for matches") as status:
        while True:
            left = context.watch(unplayed, game)
            if left.is_settled:
                return
            status.update(left.sentence)
            time.sleep(WATCH_EVERY_S)


def confirmed(context: Context, game: str, number: int | None, series: int | None, *, says_unplayed: bool) -> int:
    """Ask whether the season that is on is meant, and return its number. `says_unplayed`: what lacks is said first.

    Raises UsageFault where there is no terminal to answer on, Refused after a no.
    """
    if not sys.stdin.isatty():
        raise UsageFault("closing a season cannot be undone: add --yes to close it without being asked")
    on = context.watch(the_one_on, game, number)
    left = context.watch(unplayed, game)
    if says_unplayed and not left.is_settled:
        context.say(f"season {on.number} of {game} is not played to its end: {left.sentence}")
    after = "" if series is None else " after its series"
    broken_off = ", with its series broken off" if on.state == "series" and series is None else ""
    if not typer.confirm(f"close season {on.number} of {game}{after}{broken_off}?", err=True):
        raise Refused(f"season {on.number} of {game} stays as it is")
    return on.number


def follow(context: Context, season: SeasonSoFar) -> None:
    with context.err.status("waiting for the scheduler") as status:
        while season.state != "closed":
            season = context.watch(read_season, season.game, season.number)
            status.update(series_text(season))
            time.sleep(WATCH_EVERY_S)


def final_parts(found: FinalBoards) -> list[RenderableType]:
    return [*texts.seasons.final_tables(found.rows), *texts.seasons.given_up_lines(found.given_up)]


def write_season(context: Context, game: str, number: int, league: str | None, path: Path, *, over: bool) -> Answer:
    """Write the boards of a closed season, or one of them, as a page, and say so. Raises Refused, UsageFault."""
    from ladder.web.pages.seasons import season_file

    check_free(path, over=over)
    found = context.read(views.seasons.final_season, game, number, league)
    write_file(path, season_file(found, context.games).encode(), over=over)
    return Answer(None, Remark(f"{path} shows season {number} of {game}: open it in a browser"))
