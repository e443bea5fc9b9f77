"""Announcements and questions: what stands above every page, and the page that has all of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from engine.errors import ArenaError
from ladder.actions.clarifications import MOST_CHARS
from ladder.leagues import leagues
from ladder.seasons import clarifications
from ladder.web.accounts.identity import ASKING
from ladder.web.problems import status_beside
from ladder.web.shown import ANNOUNCED, page
from ladder.web.site import Site, SiteHere

MOST_LISTED = 100
"""Of announcements, and of questions."""
router = APIRouter()


async def tell(request: Request, site: SiteHere) -> None:
    """Let the page that is asked for show what was told lately, to those who may read this ladder.

    The pages of a game show nothing that is about another one.
    """
    asking = ASKING.get()
    if asking.actor is not None or not site.web.is_served or site.web.read == "everyone":
        sight = asking.sight
        player = None if sight.game or sight.bot else sight.player
        with suppress(ArenaError):  # the page says itself that the database does not answer
            ANNOUNCED.set(await run_in_threadpool(told, site, player, request.path_params.get("game")))


def told(site: Site, player: str | None, game: str | None) -> list[clarifications.Clarification]:
    with site.watching() as connection:
        return clarifications.latest(connection, player, game)


@router.get("/clarifications")
def all_clarifications(site: SiteHere) -> Response:
    return listed(site)


def listed(site: Site, typed: Mapping[str, str] | None = None, fault: ArenaError | None = None) -> Response:
    """Return the page. `fault`: what was wrong with a form, and `typed`, what it sent."""
    with site.reading() as connection:
        announcements = clarifications.announcements(connection)
        questions = clarifications.questions(connection)
        games = leagues.games_in(connection)
    return page(
        "clarifications.html",
        status=status_beside(fault),
        announcements=announcements[:MOST_LISTED],
        questions=sorted(questions, key=lambda one: one.state != "open")[:MOST_LISTED],
        more=max(len(announcements), len(questions)) > MOST_LISTED,
        games=games,
        most_chars=MOST_CHARS,
        days=clarifications.LATEST_DAYS,
        typed={"text": "", "game": "", "number": "", **(typed or {})},
        fault="" if fault is None else str(fault),
        topics=["clarifications"],
    )
