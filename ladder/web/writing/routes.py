"""All writing routes below `/api/v1`, and what only those see who have logged in."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI

from ladder.web.addresses import API
from ladder.web.api import name_of
from ladder.web.writing import acts, battles, gauntlets, operating, own_bots, own_tokens, players


def add_writing(app: FastAPI) -> None:
    """Let the application of a served ladder be written to."""
    below = APIRouter(prefix=API, generate_unique_id_function=name_of)
    for kind in (acts, own_bots, battles, gauntlets, own_tokens, operating, players):
        below.include_router(kind.router)
    app.include_router(below)
