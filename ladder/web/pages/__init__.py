"""The pages, one module for each kind.

home        where the ladder begins
boards      a game with its leagues; a league's board, and its rules
seasons     a game's contest; the boards of a closed season; announcements; questions and their answers
bots        a bot: its versions, its rating, its opponents; a player: all versions of all bots
versions    a version: its seats, times, faults and metrics
versus      two bots or versions against each other, pair by pair
gauntlets   the list of gauntlets, and each by itself
operations  the operations room
guide       the guide and the documents beside it, from Markdown to what pages show; the same data as JSON, explained
match       one match, with its viewer, also by a link; two matches on one seed beside each other
search      finding what is typed into the top bar; the search for matches
"""

from fastapi import APIRouter

from ladder.web import viewer_context
from ladder.web.pages import boards, bots, gauntlets, guide, home, match, operations, search, seasons, versions, versus

PAGES = (
    home, boards, seasons, bots, versions, versus, gauntlets, operations,
    guide, match, viewer_context, search,
)  # fmt: skip


def routers() -> list[APIRouter]:
    return [page.router for page in PAGES]
