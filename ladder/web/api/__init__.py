"""The routes of `/api/v1`, one module for each kind.

answers  what all routes answer with
boards   a league's board
events   what changes, as it changes
"""

from __future__ import annotations

from fastapi import APIRouter

from ladder.web.api import boards, events


def routers() -> list[APIRouter]:
    """Return all routes."""
    return [boards.router, events.router]
