"""The pages, one module for each kind.

home       where the ladder begins
games      a game with its leagues, and the rules of a league
boards     a league's board
seasons    a game's contest, and the boards of a closed season
bots       a bot: its versions, its rating, its opponents
players    a player: all versions of all bots
versions   a version: its seats, times, faults and metrics
versus     two bots or versions against each other, pair by pair
gauntlets  the list of gauntlets, and each by itself
clarifications  announcements; questions and their answers
operations  the operations room
guide      the guide and the documents beside it, from Markdown to what pages show
match      one match, with its viewer, also by a link; two matches on one seed beside each other
search     finding what is typed into the top bar; the search for matches
api_guide  the same data as JSON, explained
"""

from __future__ import annotations

from fastapi import APIRouter

from ladder.web import stage
from ladder.web.pages import (
    api_guide,
    boards,
    bots,
    clarifications,
    games,
    gauntlets,
    guide,
    home,
    match,
    operations,
    players,
    search,
    seasons,
    versions,
    versus,
)

PAGES = (
    home, games, boards, seasons, bots, players, versions, versus, gauntlets, clarifications, operations,
    guide, match, stage, api_guide, search,
)  # fmt: skip


def routers() -> list[APIRouter]:
    return [page.router for page in PAGES]
