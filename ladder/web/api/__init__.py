"""The routes of `/api/v1`, one module for each kind.

answers      what all routes are asked, and what they answer with
description  the description of all routes
status       what runs and what waits; whether the database answers
games        the games, one with its leagues' settings, a league's board, seasons and their final boards
bots         bots, why one ranks where it does, its opponents; those of a player
matches      matches, looked for or streamed, one in detail, one turn by turn
gauntlets    gauntlets, and one as JUnit XML
events       what changes, as it changes
me           who asks
views        views as they are, for the program itself on another machine
feeds        what is new of a bot or a league
atom         ... as Atom
"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.routing import APIRoute

from ladder.web.addresses import API
from ladder.web.api import (
    bots,
    description,
    events,
    feeds,
    games,
    gauntlets,
    matches,
    me,
    status,
    views,
)


def routers() -> list[APIRouter]:
    """Return all routes, each with its whole path."""
    below = APIRouter(prefix=API, generate_unique_id_function=name_of)
    looked_at = (status, me, games, bots, matches, gauntlets, feeds)
    for kind in (*looked_at, events, views, description):
        below.include_router(kind.router)
    return [below, status.health]


def name_of(route: APIRoute) -> str:
    """Return what a route is called in the description: as its function is."""
    return route.name.replace("_", "-")
