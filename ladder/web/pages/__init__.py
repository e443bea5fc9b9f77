"""The pages, one module for each kind.

boards  a league's board
gauntlets  the list of gauntlets, and each by itself
guide   the guide, and the documents beside it
"""

from __future__ import annotations

from fastapi import APIRouter

from ladder.web.pages import boards, gauntlets, guide


def routers() -> list[APIRouter]:
    """Return the routes of all pages."""
    return [boards.router, gauntlets.router, guide.router]
