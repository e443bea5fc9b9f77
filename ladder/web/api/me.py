"""Who asks: the player whose token or session it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Request
from starlette.responses import Response

from ladder.access import ALL_SCOPES, Role, Scope
from ladder.accounts.tokens import token_with
from ladder.web.accounts.identity import unauthorized, visitor
from ladder.web.api.answers import json_answer
from ladder.web.api.description import one_of
from ladder.web.problems import answer_to
from ladder.web.site import SiteHere

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Me:
    """Who asks, and what that may do. `player`: None where a ladder is one person's, who is let in by its key.

    `token`: its name, where one was shown; `game`, `bot`: what alone it is for, None for all; `expires_at`: of it.
    """

    player: str | None
    role: Role
    scopes: list[Scope]
    token: str | None = None
    game: str | None = None
    bot: str | None = None
    expires_at: datetime | None = None


@router.get("/me", responses=one_of(Me, what="Who asks"))
def me(request: Request, site: SiteHere) -> Response:
    """Who asks, by which token, and what it may do.

    `ladder whoami` prints it.
    """
    if not site.web.is_served:
        return json_answer(Me(None, Role.OPERATOR, sorted(ALL_SCOPES)))
    actor = visitor(request).actor
    if actor is None:
        return answer_to(request.scope, unauthorized(f"log in at {site.web.link('/login')}, or show a token"))
    scopes = sorted(actor.scopes)
    if actor.token_id is None:
        return json_answer(Me(actor.player, actor.role, scopes))
    with site.reading() as connection:
        token = token_with(connection, actor.token_id)
    return json_answer(Me(actor.player, actor.role, scopes, token.name, token.game, token.bot, token.expires_at))
