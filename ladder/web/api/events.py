"""What changes, as it changes: server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Depends, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from engine.text import one_line
from ladder.web.api.description import text_as
from ladder.web.live.watcher import Listener, Live, Update, topics_of

router = APIRouter()
RECONNECT_MS = 2000
"""How long browsers wait before they ask again after a stream was lost."""
RoomFor: TypeAlias = Callable[[Request], AbstractContextManager[None]]
"""What gives room for a stream to whoever asks, or raises QuotaUsed."""
MayFollow: TypeAlias = Callable[[Request], Awaitable[bool]]
"""What says whether whoever began a stream would be let in now, too."""
Topics = Annotated[list[str] | None, Query(description="What to listen for, as in `board:3`; up to 50 of them.")]


async def listener_here(request: Request, topic: Topics = None) -> AsyncIterator[Listener]:
    """Listen for what a request names, until its answer ends."""
    live: Live = request.app.state.live
    room: RoomFor = request.app.state.room_for_stream
    with room(request), live.listening(topics_of(topic or [])) as listener:
        if request.scope.get("head"):
            listener.end()  # a request for the head alone must not wait for a body
        yield listener


@router.get("/events", responses=text_as("text/event-stream"), response_class=EventSourceResponse)
async def events(
    request: Request, listener: Annotated[Listener, Depends(listener_here)]
) -> AsyncIterator[ServerSentEvent]:
    """Send an event when something has changed, as a list of topics; the first, with all that are asked for, at once.

    An event `unavailable` says in a sentence why changes are not known at present. It ends where the one who began it
    is not let in any more.
    """
    may_follow: MayFollow = request.app.state.may_follow
    yield ServerSentEvent(comment="listening", retry=RECONNECT_MS)
    async for update in listener.updates():
        if not await may_follow(request):
            return
        yield event_of(update)


def room_for_all(_request: Request) -> AbstractContextManager[None]:
    """Give room for as many streams as somebody alone opens."""
    return nullcontext()


async def always(_request: Request) -> bool:
    """Say that whoever has begun a stream may follow it to its end: somebody alone."""
    return True


def event_of(update: Update) -> ServerSentEvent:
    """Return an update as an event."""
    if update.trouble is not None:
        return ServerSentEvent(event="unavailable", data=one_line(update.trouble))
    return ServerSentEvent(event="changed", data=sorted(topic.text for topic in update.topics))
