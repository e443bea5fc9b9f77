"""Two bots, or two versions, against each other."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from engine.errors import UsageFault
from ladder.bots import bots
from ladder.database.connection import without_nul
from ladder.leagues.leagues import check_game
from ladder.names import Named, read_name
from ladder.plots.gauges import outcomes
from ladder.views.career.head_to_head import MOST_LOOKED_AT, head_to_head
from ladder.views.career.opponents import added
from ladder.web.shown import page
from ladder.web.site import SiteHere

router = APIRouter()
LONGEST_NAME = 100


@router.get("/games/{game}/versus")
def show_versus(site: SiteHere, game: str, a: str = "", b: str = "") -> Response:
    """Show two against each other, or ask for their names."""
    game = without_nul(game)
    with site.reading() as connection:
        check_game(connection, game)
        if not a.strip() or not b.strip():
            return page("versus.html", game=game, title=site.title_of(game), a=a, b=b, found=None, topics=[])
        one, other = read_side(a), read_side(b)
        found = head_to_head(connection, one, other, game)
        ids = {bots.find_bot(connection, named.bot, game).id for named in (one, other)}
    return page(
        "versus.html",
        game=game,
        title=site.title_of(game),
        a=found.a,
        b=found.b,
        found=found,
        named=read_name(found.a),
        total=added(found.by_seat),
        plot=outcomes(found.pairs_by_points),
        most_looked_at=MOST_LOOKED_AT,
        topics=[f"bot:{bot_id}" for bot_id in sorted(ids)],
    )


def read_side(name: str) -> Named:
    name = without_nul(name.strip())
    if len(name) > LONGEST_NAME:
        raise UsageFault(f"a name has at most {LONGEST_NAME} characters; this one has {len(name)}")
    return read_name(name)
