"""Asking for battles, waiting for them, listing what was asked for, and taking it back."""

from __future__ import annotations

import time
from collections.abc import Sequence

from cli.context import Context
from cli.exit_status import ExitStatus
from cli.match.request.texts import asked_text, cancelled_text, played_text, requests_table
from ladder.access import Actor
from ladder.actions import battles as actions
from ladder.ids import RequestId
from ladder.matchmaking.requests import Request
from ladder.names import Named
from ladder.views import requests
from ladder.views.requests import read_request

WATCH_EVERY_S = 0.5


def ask(
    context: Context,
    wanted: tuple[Actor, Sequence[Named], int, str | None, int | None],
    *,
    watch: bool,
    as_json: bool,
) -> ExitStatus:
    """Ask for battles and say so; with `watch` wait until they are played. `wanted`: see `ladder.actions.battles`."""
    actor, sides, battles, game, seed = wanted
    request = context.act(actions.request, actor, sides, battles, game, seed)
    if watch:
        if not as_json:
            context.say(asked_text(request))
        request = follow(context, request.id)
    if as_json:
        context.show_json(request)
    else:
        context.show(played_text(request) if watch else asked_text(request))
    return ExitStatus.FAILED if watch and request.lapsed else ExitStatus.OK


def follow(context: Context, request_id: RequestId) -> Request:
    """Wait until a request's matches are played, saying how far they are, and return it as it is then."""
    try:
        with context.err.status("waiting for the scheduler") as status:
            while True:
                request = context.watch(read_request, request_id)
                if request.is_over:
                    return request
                status.update(f"{request.finished} of {request.battles * request.battle_matches} matches played")
                time.sleep(WATCH_EVERY_S)
    except KeyboardInterrupt:
        context.say(
            f"request {request_id} goes on without you: `ladder match requests` shows it, "
            f"`ladder match cancel {request_id}` takes it back"
        )
        raise


def show_requests(context: Context, limit: int, *, ended: bool, as_json: bool) -> None:
    """List the battles that were asked for. `ended`: also those that are over."""
    found = context.read(requests.latest, limit, ended=ended)
    if as_json:
        context.show_json(found.requests)
    elif found.requests:
        context.show(requests_table(found.requests))
    else:
        context.say("no battle has been requested yet" if ended else "no request is open: --all shows the others")
    if not found.are_all:
        context.say(f"there are more than {limit}: --limit shows as many as you like")


def take_back(context: Context, actor: Actor, request_id: RequestId, *, as_json: bool) -> None:
    """Take a request back, and say what that means."""
    done = context.act(actions.cancel, actor, request_id)
    if as_json:
        context.show_json(done)
    else:
        context.show(cancelled_text(done))
