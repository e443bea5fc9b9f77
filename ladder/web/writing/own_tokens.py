"""One's own tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from ladder import actions
from ladder.access import Deed, Scope, require
from ladder.accounts import reading
from ladder.accounts.tokens import LONGEST_DAYS, USUAL_DAYS, Token
from ladder.actions.tokens import NewToken, WantedToken
from ladder.web.accounts.identity import visitor
from ladder.web.api.answers import items
from ladder.web.api.description import rows_of
from ladder.web.site import SiteHere
from ladder.web.writing.bodies import STRICT, read_body
from ladder.web.writing.contract_routes import Name, Nothing, Number, doing, taking
from ladder.web.writing.gate import WriteHere, once, require_actor, shown

router = APIRouter()


@router.get("/tokens", responses=rows_of(Token))
def own_tokens(request: Request, site: SiteHere) -> Response:
    """One's own tokens that are not revoked, without their secrets: `ladder token list --json`. The scope `read`."""
    actor = require_actor(site, visitor(request).actor)
    require(actor, Deed.LIST_TOKENS, owner=actor.player)
    with site.reading() as connection:
        return items(reading.tokens_of(connection, actor.player), None)


@dataclass(frozen=True, slots=True)
class WantedOfMine:
    """What a token is to be for. `game`, `bot`: what alone; null for all."""

    __pydantic_config__ = STRICT

    name: Name
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1)]
    days: Annotated[int, Field(ge=1, le=LONGEST_DAYS)] = USUAL_DAYS
    game: Name | None = None
    bot: Name | None = None


@router.post("/tokens", **doing(NewToken, status=201), **taking(WantedOfMine))
def create_token(write: WriteHere) -> Response:
    """Make a token, as `ladder token create` does. Only for sessions: no token makes another one."""
    said = read_body(WantedOfMine, write.body)
    game = None if said.game is None else write.site.games.find(said.game).name
    wanted = WantedToken(said.name, frozenset(said.scopes), said.days, game, said.bot)
    return once(write, lambda actor, pool, _: shown(actions.tokens.create(actor, pool, wanted), 201, is_secret=True))


@router.delete("/tokens/{number}", **doing(Token), **taking())
def revoke_token(write: WriteHere, number: Number) -> Response:
    """End a token of one's own, as `ladder token revoke` does. The scope `read`."""
    read_body(Nothing, write.body or b"{}")
    return once(write, lambda actor, pool, _: shown(actions.tokens.revoke_numbered(actor, pool, number)))
