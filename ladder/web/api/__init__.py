"""The routes of `/api/v1`, one module for each kind.

answers  what all routes are asked, and what they answer with, with the description of all routes
routes   those by hand: what runs, who asks; games, boards, bots, gauntlets and matches; one match turn by turn
views    views as the contract has them: those with an address, and all for the program itself on another machine
feeds    what changes, as it changes; what is new of a bot or a league
"""

from collections.abc import Iterable

from fastapi import APIRouter

from ladder.web.addresses import API
from ladder.web.api import answers, feeds, routes, views


def routers() -> list[APIRouter]:
    below = (routes.router, views.public_router, feeds.router, views.router, answers.router)
    return [below_api(below), routes.health]


def below_api(routers: Iterable[APIRouter]) -> APIRouter:
    together = APIRouter(prefix=API, generate_unique_id_function=lambda route: route.name.replace("_", "-"))
    for router in routers:
        together.include_router(router)
    return together
