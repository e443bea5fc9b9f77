"""A bot: its versions, how its rating moved, how it did against whom, and why it stands where it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.bots.former_names import former_names
from ladder.bots.versions import Version
from ladder.choices import VersionState
from ladder.database.connection import Connection
from ladder.database.text import without_nul
from ladder.gauntlets import gauntlets
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.matches.latest import latest_matches
from ladder.names import Named
from ladder.ratings import standings
from ladder.ratings.standings import LeagueStay
from ladder.views.bots import Explained, explained
from ladder.views.career.opponents import MOST_MATCHES, LatestOpponents, latest_opponents
from ladder.views.career.rating_history import rating_history
from ladder.views.matches import with_seats
from ladder.web.bot_plots import plot_of_rating
from ladder.web.shown import page
from ladder.web.site import SiteHere

router = APIRouter()
LATEST_MATCHES = 10
LATEST_GAUNTLETS = 10
EXPLAINED_BY = 500
"""Matches by which the page explains a rating; `ladder bot why` looks at all."""
MOST_OPPONENTS = 40
MOST_COLUMNS = 8
"""Of the table of opponents: one for each of the latest versions."""
MOST_PAST = 100


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version in the list of its bot. `stay`: its present or last time in a league, None if it was in none.

    `is_past`: it is on no board and will come onto none by itself.
    """

    version: Version
    stay: LeagueStay | None
    is_past: bool


def lines_of(own: Sequence[Version], stays: Sequence[LeagueStay]) -> list[VersionLine]:
    """Return versions as lines of a list, newest first. `stays`: of all of them, the latest first."""
    by_version: dict[int, LeagueStay] = {}
    for stay in stays:
        if stay.on_board or stay.version_id not in by_version:
            by_version[stay.version_id] = stay
    return [
        VersionLine(
            version, stay, not (version is own[0] or (stay is not None and stay.on_board) or is_coming(version))
        )
        for version in own
        for stay in [by_version.get(version.id)]
    ]


def is_coming(version: Version) -> bool:
    """Say whether a version is being built."""
    return version.state == VersionState.BUILDING


def explained_or_none(connection: Connection, bot: Bot, lines: Sequence[VersionLine]) -> Explained | None:
    """Explain the place of the version that plays for a bot, or that played for it last; None where none ever did."""
    stays = [line for line in lines if line.stay is not None]
    playing = [line for line in stays if line.stay is not None and line.stay.on_board and not line.stay.is_rival]
    chosen = next(iter([*playing, *stays]), None)
    if chosen is None or chosen.stay is None or not chosen.stay.record.matches:
        return None
    return explained(connection, Named(bot.name, chosen.version.number), bot.game, None, EXPLAINED_BY)


def league_of(connection: Connection, bot: Bot) -> League:
    """Return the league where a bot is."""
    return next(league for league in leagues.leagues(connection, bot.game) if league.id == bot.league_id)


def columns_of(opponents: LatestOpponents) -> list[int]:
    """Return the numbers of the versions that have a column each, the latest first: none of a single one."""
    return opponents.numbers[: -MOST_COLUMNS - 1 : -1] if len(opponents.numbers) > 1 else []


@router.get("/games/{game}/bots/{bot}")
def show_bot(
    site: SiteHere,
    game: str,
    bot: str,
    retired: Annotated[bool, Query(description="Show the versions, too, that play no more.")] = False,
) -> Response:
    """Show a bot."""
    with site.reading() as connection:
        found = bots.find_bot(connection, without_nul(bot), without_nul(game))
        named = Named(found.name)
        own = versions.versions_of(connection, found.id)
        lines = lines_of(own, standings.stays_of(connection, found.id))
        opponents = latest_opponents(connection, named, found.game)
        latest = latest_matches(connection, LATEST_MATCHES, found.id)
        history = rating_history(connection, named, found.game)
        shown: dict[str, Any] = {
            "former_names": former_names(connection, found.id),
            "league": league_of(connection, found),
            "why": explained_or_none(connection, found, lines),
            "matches": with_seats(connection, latest, named),
            "gauntlets": gauntlets.latest(connection, LATEST_GAUNTLETS, found.id),
        }
    past = [line for line in lines if line.is_past]
    return page(
        "bot.html",
        bot=found,
        named=named,
        present=[line for line in lines if not line.is_past],
        past=past[:MOST_PAST],
        past_count=len(past),
        shows_past=retired,
        history=history,
        plot=plot_of_rating(history),
        opponents=opponents,
        columns=columns_of(opponents),
        most_matches=MOST_MATCHES,
        most_opponents=MOST_OPPONENTS,
        explained_by=EXPLAINED_BY,
        topics=[f"bot:{found.id}"],
        **shown,
    )
