"""All writing routes below `/api/v1`, and the forms by which browsers do the same."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI

from ladder.web.addresses import API
from ladder.web.api import name_of
from ladder.web.writing import acts, buttons, contract_routes, gauntlets, operating, own_bots, players, submit_page


def add_writing(app: FastAPI) -> None:
    below = APIRouter(prefix=API, generate_unique_id_function=name_of)
    for kind in (acts, own_bots, gauntlets, contract_routes, players, operating):
        below.include_router(kind.router)
    app.include_router(below)
    for page in (submit_page, buttons):
        app.include_router(page.router, include_in_schema=False)
