"""A bot: its versions, its rating over time, its opponents, and why it ranks where it does."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from ladder.database.connection import without_nul
from ladder.names import Named
from ladder.views.career.opponents import MOST_MATCHES, LatestOpponents
from ladder.views.pages.one_bot import EXPLAINED_BY, one_bot
from ladder.web.bot_plots import plot_of_rating
from ladder.web.shown import page
from ladder.web.site import SiteHere

router = APIRouter()
MOST_OPPONENTS = 40
MOST_COLUMNS = 8
"""Of the table of opponents: one for each of the latest versions."""
MOST_PAST = 100


@router.get("/games/{game}/bots/{bot}")
def show_bot(
    site: SiteHere,
    game: str,
    bot: str,
    retired: Annotated[bool, Query(description="Show the versions, too, that no longer play.")] = False,
) -> Response:
    """Show a bot."""
    with site.reading() as connection:
        found = one_bot(connection, without_nul(bot), without_nul(game))
    return page(
        "bot.html",
        found=found,
        bot=found.bot,
        title=site.title_of(found.bot.game),
        named=Named(found.bot.name),
        shows_past=retired,
        most_past=MOST_PAST,
        plot=plot_of_rating(found.history),
        columns=columns_of(found.opponents),
        most_matches=MOST_MATCHES,
        most_opponents=MOST_OPPONENTS,
        explained_by=EXPLAINED_BY,
        topics=[f"bot:{found.bot.id}"],
    )


def columns_of(opponents: LatestOpponents) -> list[int]:
    """Return the numbers of the versions that have a column each, the latest first: none of a single one."""
    return opponents.numbers[: -MOST_COLUMNS - 1 : -1] if len(opponents.numbers) > 1 else []
