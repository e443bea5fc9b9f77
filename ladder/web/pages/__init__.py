"""The pages, one module for each kind.

boards  a league's board
"""

from __future__ import annotations

from fastapi import APIRouter

from ladder.web.pages import boards


def routers() -> list[APIRouter]:
    """Return the routes of all pages."""
    return [boards.router]
