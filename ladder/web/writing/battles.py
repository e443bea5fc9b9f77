"""Asking for battles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from ladder import actions
from ladder.matchmaking.requesting import MOST_BATTLES
from ladder.matchmaking.requests import Request
from ladder.names import read_name
from ladder.web.api.answers import GameName
from ladder.web.writing.bodies import STRICT, read_body
from ladder.web.writing.contract_routes import Name, Seed, doing, taking
from ladder.web.writing.gate import WriteHere, once, shown

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Who is to meet, as in kraken@v3, how often, and from which seed on; null: by chance."""

    __pydantic_config__ = STRICT

    versions: Annotated[tuple[Name, ...], Field(min_length=2, max_length=8)]
    battles: Annotated[int, Field(ge=1, le=MOST_BATTLES)] = 1
    seed: Seed | None = None


@router.post("/games/{game}/requests", **doing(Request, status=201), **taking(Wanted))
def ask(write: WriteHere, game: GameName) -> Response:
    """Ask for battles, as `ladder match request` does. The scope `play`."""
    said = read_body(Wanted, write.body)
    sides = [read_name(version) for version in said.versions]
    name = write.site.games.find(game).name
    return once(
        write,
        lambda actor, pool, _: shown(actions.battles.request(actor, pool, sides, said.battles, name, said.seed), 201),
    )
