"""What our own commands ask for from another machine: one route for every action, as there is one for every view.

How this works. The form is that of `ladder.codec`, so a command gets what the action returns, every field of it. It
says in whose name the action is wanted, and in which role: that is never more than the token's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from engine.toolchains.languages import find_language
from engine.toolchains.source import check_source
from ladder import actions, codec, contract
from ladder.access import Actor, Role
from ladder.database.connection import Pool
from ladder.errors import NotAllowed
from ladder.flows.submission import Submission
from ladder.gauntlets.lineup import GauntletRequest
from ladder.queue import Queue, Scheduling
from ladder.seasons import seasons
from ladder.web.api.answers import MOST_NAME_CHARS
from ladder.web.api.views import ViewName, require_understood
from ladder.web.writing.bodies import read_object
from ladder.web.writing.gate import Answer, Write, nothing, once, write_here, write_of_bot

router = APIRouter()


async def write_of_act(request: Request) -> Write:
    return await (write_of_bot if request.path_params["action"] == "submit" else write_here)(request)


WriteOfAct = Annotated[Write, Depends(write_of_act)]

Named = Annotated[str | None, Query(max_length=MOST_NAME_CHARS, description="In whose name, where that was typed.")]
InRole = Annotated[Role, Query(description="In which role; never in more than one has.")]


@router.post("/acts/{action}", include_in_schema=False, dependencies=[Depends(require_understood)])
def act(write: WriteOfAct, action: ViewName, role: InRole = Role.PLAYER, player: Named = None) -> Response:
    """Do something, for the commands of this same version of Ladder alone: its form changes with them."""
    row = contract.row_of(contract.WRITES, action)
    function, games = contract.function_of(row), write.site.games
    asked = codec.read_words(function, read_object(write.body), games)
    given = {name: without_privileges(value, write.site.source_chars) for name, value in asked.items()}

    def done(actor: Actor, pool: Pool, queue: Queue) -> Answer:
        found = function(actor, pool, **given, **queue_for(function, queue))
        return Answer(200, codec.written(function, found, games).decode(), row.is_secret)

    begin = seasons.hold if function is actions.seasons.close else nothing
    return once(replace(write, actor=in_the_name(write.actor, role, player)), done, codec.MEDIA_TYPE, begin)


def without_privileges(value: object, source_chars: int) -> object:
    """Return a value as the command checks it, without a league's boss and a gate, for which Ladder alone asks."""
    match value:
        case Submission():
            text = value.source
            source = check_source(text.encode(), source_chars) if isinstance(text, str) else text
            return replace(value, source=source, language=find_language(value.language).name, boss_of=None)
        case GauntletRequest():
            return replace(value, gates=False)
    return value


def in_the_name(actor: Actor, role: Role, player: str | None) -> Actor:
    """Return who does it. Raises NotAllowed where another player was named than the one whose token it is."""
    if player is not None and not actor.is_(player):
        raise NotAllowed(f"you are {actor.player} here, so nothing is done in the name of {player}")
    return replace(actor, role=Role.PLAYER) if role is Role.PLAYER else actor


def queue_for(function: Callable[..., Any], queue: Queue) -> dict[str, Queue]:
    return {name: queue for name, hint in codec.types_of(function).items() if hint in {Queue, Scheduling}}
