"""The pages, one module for each kind.

home       where the ladder begins
games      a game with its leagues, and the rules of a league
boards     a league's board
seasons    the boards of a closed season
bots       a bot: its versions, its rating, its opponents
players    a player: all versions of all bots
versions   a version: its seats, times, faults and metrics
versus     two bots or versions against each other
gauntlets  the list of gauntlets, and each by itself
operations  the operations room
guide      the guide, and the documents beside it
match      one match, with its viewer
compare    two matches on one seed beside each other
match_search  the search for matches
viewer     the viewer's script and style sheet
api_guide  the same data as JSON, explained
"""

from __future__ import annotations

from fastapi import APIRouter

from ladder.web.pages import (
    api_guide,
    boards,
    bots,
    compare,
    games,
    gauntlets,
    guide,
    home,
    match,
    match_search,
    operations,
    players,
    seasons,
    versions,
    versus,
    viewer,
)


def routers() -> list[APIRouter]:
    return [
        home.router,
        games.router,
        boards.router,
        bots.router,
        players.router,
        versions.router,
        versus.router,
        seasons.router,
        gauntlets.router,
        operations.router,
        guide.router,
        match_search.router,
        match.router,
        compare.router,
        viewer.router,
        api_guide.router,
    ]
