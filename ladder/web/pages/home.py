"""Where the ladder begins: games, leaders, what runs."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from ladder.views.pages.front import front
from ladder.web.shown import page
from ladder.web.site import SiteHere

router = APIRouter()


@router.get("/")
def home(site: SiteHere) -> Response:
    """Show the whole ladder at a glance."""
    with site.reading() as connection:
        found = front(connection)
    return page("home.html", front=found, title_of=site.title_of, topics=["home", "gauntlets"])
