"""What our own commands ask for from another machine: one route for every action, as there is one for every view.

How this works. The form is that of `ladder.views.sent.whole`, so a command gets what the action returns, every field of
it. It says in whose name the action is wanted, and in which role: that is never more than the token's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from engine.errors import UsageFault
from engine.toolchains.languages import find_language
from engine.toolchains.source import check_source
from ladder import actions
from ladder.access import Actor, Role
from ladder.database.connection import Pool
from ladder.errors import NotAllowed
from ladder.flows.submission import Submission
from ladder.gauntlets.order import GauntletRequest
from ladder.queue import Queue, Scheduling
from ladder.seasons import seasons
from ladder.views.sent import acts, whole
from ladder.web.api.answers import MOST_NAME_CHARS
from ladder.web.api.views import ViewName, require_understood
from ladder.web.writing.gate import Answer, Write, nothing, once, write_up_to

router = APIRouter()
MOST_BYTES = 14 * 2**20
"""Of a body: an archive of the largest bot, packed and written as text."""
LongWrite = Annotated[Write, Depends(write_up_to(MOST_BYTES))]


Named = Annotated[str | None, Query(max_length=MOST_NAME_CHARS, description="In whose name, where that was typed.")]
InRole = Annotated[Role, Query(description="In which role; never in more than one has.")]


@router.post("/acts/{action}", include_in_schema=False, dependencies=[Depends(require_understood)])
def act(write: LongWrite, action: ViewName, role: InRole = Role.PLAYER, player: Named = None) -> Response:
    """Do something, for the commands of this same version of Ladder alone: its form changes with them."""
    function, games = acts.named(action), write.site.games
    given = permitted(whole.read_words(function, text_of(write.body), games))
    is_secret = action in acts.SECRET

    def done(actor: Actor, pool: Pool, queue: Queue) -> Answer:
        found = function(actor, pool, **given, **queue_for(function, queue))
        return Answer(200, whole.written(function, found, games).decode(), is_secret)

    begin = seasons.hold if function is actions.seasons.close else nothing
    return once(replace(write, actor=in_the_name(write.actor, role, player)), done, whole.MEDIA_TYPE, begin)


def permitted(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an action is asked with, as somebody on another machine may ask. Raises Refused, UnknownName."""
    return {name: without_privileges(value) for name, value in given.items()}


def without_privileges(value: object) -> object:
    """Return a value that was sent, checked as the command checks what it reads, and without what only Ladder asks for.

    That is to submit a league's boss, and to keep versions off the board by a gauntlet of one's own.
    """
    match value:
        case Submission():
            source = check_source(value.source.encode()) if isinstance(value.source, str) else value.source
            return replace(value, source=source, language=find_language(value.language).name, boss_of=None)
        case GauntletRequest():
            return replace(value, gates=False)
    return value


def text_of(body: bytes) -> str:
    """Return the words of a body. Raises UsageFault where they are not UTF-8."""
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise UsageFault(f"the body is not UTF-8: byte {error.start + 1} cannot stand there") from error


def in_the_name(actor: Actor, role: Role, player: str | None) -> Actor:
    """Return who does it. Raises NotAllowed where another player was named than the one whose token it is."""
    if player is not None and not actor.is_(player):
        raise NotAllowed(f"you are {actor.player} here, so nothing is done in the name of {player}")
    return replace(actor, role=Role.PLAYER) if role is Role.PLAYER else actor


def queue_for(function: Callable[..., Any], queue: Queue) -> dict[str, Queue]:
    """Return the queue by the name under which an action takes it, if it does."""
    return {name: queue for name, hint in whole.types_of(function).items() if hint in {Queue, Scheduling}}
