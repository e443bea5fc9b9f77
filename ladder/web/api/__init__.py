"""The routes of `/api/v1`, one module for each kind.

answers      what all routes are asked, and what they answer with
description  the description of all routes
games        what runs and waits, who asks; games, boards, bots and gauntlets in lists
matches      matches, looked for or streamed, one turn by turn
views        views as the contract has them: those with an address, and all for the program itself on another machine
feeds        what changes, as it changes; what is new of a bot or a league
"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.routing import APIRoute

from ladder.web.addresses import API
from ladder.web.api import description, feeds, games, matches, views


def routers() -> list[APIRouter]:
    below = APIRouter(prefix=API, generate_unique_id_function=name_of)
    for routes in (games.router, matches.router, views.public_router, feeds.router, views.router, description.router):
        below.include_router(routes)
    return [below, games.health]


def name_of(route: APIRoute) -> str:
    return route.name.replace("_", "-")
