"""The pages, one module for each kind.

home       where the ladder begins
games      a game with its leagues, and the rules of a league
boards     a league's board
seasons    the boards of a closed season
bots       a bot: its versions, its rating, its opponents
versions   a version: its seats, times, faults and metrics
versus     two bots or versions against each other
gauntlets  the list of gauntlets, and each by itself
guide      the guide, and the documents beside it
"""

from __future__ import annotations

from fastapi import APIRouter

from ladder.web.pages import (
    boards,
    bots,
    games,
    gauntlets,
    guide,
    home,
    seasons,
    versions,
    versus,
)


def routers() -> list[APIRouter]:
    """Return the routes of all pages."""
    return [
        home.router,
        games.router,
        boards.router,
        bots.router,
        versions.router,
        versus.router,
        seasons.router,
        gauntlets.router,
        guide.router,
    ]
