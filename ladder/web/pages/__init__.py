"""The pages, one module for each kind.

boards  a league's board
guide   the guide, and the documents beside it
"""

from __future__ import annotations

from fastapi import APIRouter

from ladder.web.pages import boards, guide


def routers() -> list[APIRouter]:
    """Return the routes of all pages."""
    return [boards.router, guide.router]
