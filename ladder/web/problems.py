"""An error as people and programs see it: a page, or `application/problem+json` (RFC 9457) below `/api/`.

The sentence is that of the command. Faults of ours, which no handler foresaw, are a line in the log, and with
LADDER_DEBUG=1 their traceback; the reader sees that there was one.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from math import ceil
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.errors import (
    ArenaError,
    Refused,
    SourceTooLarge,
    Unavailable,
    UnknownName,
    UnusableSource,
    UsageFault,
    plain_words,
)
from engine.immutable import immutable
from engine.text import one_line, shortened
from ladder import errors
from ladder.views.encoding import to_json
from ladder.web.addresses import API
from ladder.web.rendering import IS_SERVED, OPERATES, environment

LOG = logging.getLogger(__name__)
RETRY_AFTER_S = 2
WAITS_S: Sequence[tuple[type[ArenaError], int]] = (
    (errors.StillAtIt, 1),
    (errors.Overloaded, 5),
    (errors.AskedTooOften, 15),  # then a window of a minute has room again
    (Unavailable, RETRY_AFTER_S),
)
"""After how long it is worth asking again; of several that fit, the first one counts."""
BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
"""What a number that is asked for has to keep to, in words."""
FOR_PROGRAMS = (f"{API}/", "/healthz", "/oauth/")
"""How paths begin whose errors are for programs."""
PROBLEM = "application/problem+json"


@immutable
class Problem:
    """What is wrong. `kind`: in a word or two; `exit_status`: of a command that says the same, None if none does."""

    status: int
    kind: str
    detail: str
    exit_status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@immutable
class ProblemBody:
    """What is wrong, as programs see it. `type`: explains that kind; `exit_status`: of a command that says the same."""

    type: str
    title: str
    status: int
    detail: str
    exit_status: int | None


KINDS: Sequence[tuple[type[ArenaError], int, str]] = (
    (errors.NotLoggedIn, 401, "not logged in"),
    (errors.TooLong, 413, "too long"),
    (errors.StillAtIt, 409, "still at it"),
    (UnknownName, 404, "unknown"),
    (UsageFault, 422, "usage"),
    (errors.NotAllowed, 403, "not allowed"),
    (errors.QuotaUsed, 429, "quota"),
    (errors.AskedTooOften, 429, "too many"),
    (SourceTooLarge, 413, "too large"),
    (UnusableSource, 422, "unusable"),
    (errors.RecordPruned, 410, "pruned"),
    (Refused, 409, "refused"),
    (Unavailable, 503, "unavailable"),
    (ArenaError, 500, "failed"),
)
"""Status and kind of our errors; of several that fit, the first one counts."""


def problem_of(error: ArenaError) -> Problem:
    status, name = next((status, name) for kind, status, name in KINDS if isinstance(error, kind))
    words = str(error)
    if isinstance(error, errors.ForOperators) and IS_SERVED.get() and not OPERATES.get():
        words = error.for_players  # what operators can mend says nothing to players
    return Problem(status, name, words, error.exit_status, headers_of(error))


def status_beside(fault: ArenaError | None) -> int:
    """Return the status of a page with a form, and with what was wrong with what it sent."""
    return 200 if fault is None else 422 if isinstance(fault, UsageFault) else problem_of(fault).status


def headers_of(error: ArenaError) -> Mapping[str, str]:
    match error:
        case errors.NotLoggedIn():
            return {"WWW-Authenticate": "Bearer"}
        case errors.QuotaUsed() if error.wait_s is not None:
            return {"Retry-After": str(ceil(error.wait_s))}
    return next(({"Retry-After": str(wait_s)} for kind, wait_s in WAITS_S if isinstance(error, kind)), {})


def answer_to(scope: Scope, problem: Problem) -> Response:
    headers = {"Cache-Control": "no-store", **problem.headers}
    if scope["path"].startswith(FOR_PROGRAMS):
        kind = f"/api#{problem.kind.replace(' ', '-')}"
        body = ProblemBody(kind, problem.kind, problem.status, one_line(problem.detail), problem.exit_status)
        return Response(to_json(body), problem.status, headers, media_type=PROBLEM)
    retries = problem.status == 503 and scope["method"] == "GET"  # a form is not sent again by itself
    if retries:
        headers["Refresh"] = str(RETRY_AFTER_S)  # the page comes back by itself, also without script
    template = environment().get_template("problem.html")
    page = template.render(problem=problem, path=scope["path"], retries=retries)
    return Response(page, problem.status, headers, media_type="text/html; charset=utf-8")


def answer_problems(app: FastAPI) -> None:
    @app.exception_handler(ArenaError)
    def on_our_error(request: Request, error: ArenaError) -> Response:
        problem = problem_of(error)
        if problem.status == 500 or problem.detail != str(error):
            where = error if os.environ.get("LADDER_DEBUG") else None
            words = one_line(f"{type(error).__name__}: {plain_words(error)}")
            LOG.error("%s failed: %s", one_line(request.url.path), words, exc_info=where)
        return answer_to(request.scope, problem)

    @app.exception_handler(RequestValidationError)
    def on_misuse(request: Request, error: RequestValidationError) -> Response:
        return answer_to(request.scope, Problem(422, "usage", misuse_sentence(error.errors()), UsageFault.exit_status))

    @app.exception_handler(HTTPException)
    def on_no_route(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            problem = Problem(404, "unknown", "there is no such page", UsageFault.exit_status)
        elif error.status_code == 405:
            allowed = (error.headers or {}).get("Allow", "GET")
            reads = "GET" in allowed
            words = "this can only be read: GET and HEAD" if reads else f"this takes {allowed} alone"
            problem = Problem(405, "method", words, headers={"Allow": "GET, HEAD" if reads else allowed})
        else:
            problem = Problem(error.status_code, "failed", str(error.detail))
        return answer_to(request.scope, problem)


class UnforeseenFaults:
    """The part of the application that answers where no handler foresaw what went wrong.

    An answer that has begun is broken off, so that it cannot be taken for whole.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def send_on(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, send_on)
        except ClientDisconnect:  # in the middle of its request: there is nobody to answer
            return
        except Exception:  # the edge of a request: one fault of ours must end neither the process nor other requests
            LOG.exception("%s failed", scope.get("path"))
            if begun or scope["type"] != "http":
                raise
            problem = Problem(500, "failed", "Ladder made a mistake here; its log says which", 1)
            await answer_to(scope, problem)(scope, receive, send)


def misuse_sentence(wrong: Sequence[Any], of: int = 1) -> str:
    """Say in one sentence what is wrong with the first wrong part of a request. `of`: parts of its place left out."""
    first = wrong[0]
    name = ".".join(str(part) for part in first["loc"][of:])
    if first["type"] == "missing":
        return f"{name} is missing"
    bounds: Mapping[str, object] = first.get("ctx", {})
    if first["type"] == "string_too_long":
        return f"{name} has {len(str(first['input']))} characters; it can have {bounds['max_length']} at most"
    value = shortened(str(first.get("input")))
    if first["type"].startswith("int"):
        return f"{name} is {value}; it must be a whole number"
    for bound, words in BOUNDS.items():
        if bound in bounds:
            return f"{name} is {value}; it must be {words} {bounds[bound]}"
    return f"{name} is {value}, which it cannot be: {first['msg']}"
