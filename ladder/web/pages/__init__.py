"""The pages, one module for each kind.

home       where the ladder begins
games      a game with its leagues, and the rules of a league
boards     a league's board
seasons    the boards of a closed season
gauntlets  the list of gauntlets, and each by itself
guide      the guide, and the documents beside it
"""

from __future__ import annotations

from fastapi import APIRouter

from ladder.web.pages import (
    boards,
    games,
    gauntlets,
    guide,
    home,
    seasons,
)


def routers() -> list[APIRouter]:
    """Return the routes of all pages."""
    return [
        home.router,
        games.router,
        boards.router,
        seasons.router,
        gauntlets.router,
        guide.router,
    ]
