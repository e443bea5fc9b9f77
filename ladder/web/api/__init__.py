"""The routes of `/api/v1`, one module for each kind.

answers      what all routes are asked, and what they answer with
description  the description of all routes
games        what runs and waits; games, one with its leagues' settings, boards, seasons and their final boards
bots         bots, why one ranks where it does, its opponents; those of a player; who asks
matches      matches, looked for or streamed, one in detail, one turn by turn
gauntlets    gauntlets, and one as JUnit XML
views        views as they are, for the program itself on another machine
feeds        what changes, as it changes; what is new of a bot or a league
"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.routing import APIRoute

from ladder.web.addresses import API
from ladder.web.api import bots, description, feeds, games, gauntlets, matches, views


def routers() -> list[APIRouter]:
    below = APIRouter(prefix=API, generate_unique_id_function=name_of)
    for kind in (games, bots, matches, gauntlets, feeds, views, description):
        below.include_router(kind.router)
    return [below, games.health]


def name_of(route: APIRoute) -> str:
    return route.name.replace("_", "-")
