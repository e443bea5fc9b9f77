"""The page that explains the same data as JSON, with lines to paste into a shell."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from ladder.web.addresses import API
from ladder.web.api.description import described
from ladder.web.api.matches import LINES
from ladder.web.problems import RETRY_AFTER_S
from ladder.web.rendering import page
from ladder.web.site import SiteHere

router = APIRouter()


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """A kind of problem: its status, the exit status of the commands that say the same, and what it means."""

    name: str
    status: int
    exit_status: int | None
    about: str


KINDS = [
    ProblemKind("usage", 422, 2, "What is asked cannot be: the sentence says why. Nothing is out of order here."),
    ProblemKind(
        "unknown", 404, 2, "There is no such game, league, bot, match or page; where there are few, it lists them."
    ),
    ProblemKind(
        "refused", 409, 3, "Understood, but the rules say no: a season that is not closed has no final boards."
    ),
    ProblemKind(
        "unavailable",
        503,
        4,
        f"The database does not answer, or needs too long. Ask again after the {RETRY_AFTER_S} s of Retry-After.",
    ),
    ProblemKind("failed", 500, 1, "Ladder's own fault: its log says more."),
    ProblemKind("no key", 401, None, "The request shows no key."),
    ProblemKind("method", 405, None, "All of this can only be read."),
    ProblemKind("misdirected", 421, None, "The ladder is asked under a name that does not mean this machine."),
]

KINDS_OF_SERVED = [
    *(kind for kind in KINDS if kind.name not in {"no key", "method"}),
    ProblemKind("not logged in", 401, 3, "The request shows no token, or one that is unknown, expired or revoked."),
    ProblemKind(
        "not allowed", 403, 3, "It is somebody else's to do, or the token lacks a scope; or the page is another site's."
    ),
    ProblemKind("still at it", 409, 4, "The first request with this Idempotency-Key is being carried out: ask again."),
    ProblemKind("too long", 413, 2, "The body has more bytes than it may have; it was not read."),
    ProblemKind("too large", 413, 3, "The source has more characters than it may have."),
    ProblemKind("unusable", 422, 3, "The source cannot be a bot: it is empty, or not text."),
    ProblemKind(
        "too many", 429, 3, "Asked too often, or a quota is used up: Retry-After says when it is possible again."
    ),
    ProblemKind("method", 405, None, "This route takes other methods: the header Allow names them."),
]


@router.get("/api")
def api_guide(site: SiteHere, request: Request) -> Response:
    file, game = None if site.key is None else str(site.key.file), site.games.all[0]
    boss, league = next(iter(game.bosses.items()))
    return page(
        "api.html",
        here=f"{str(request.base_url).rstrip('/')}{API}",
        key_file=file,
        key_line="" if file is None else f"KEY=$(cat {shlex.quote(file)})",
        game=game.name,
        league=league.name,
        boss=boss,
        lines=LINES,
        routes=[
            {
                "method": "" if method == "get" else method.upper(),
                "path": path,
                "about": operation.get("description", "").partition("\n\n")[0].replace("\n", " "),
                "query": [field["name"] for field in operation.get("parameters", []) if field["in"] == "query"],
            }
            for path, operations in described(request.app)["paths"].items()
            for method, operation in operations.items()
        ],
        kinds=KINDS_OF_SERVED if site.web.is_served else KINDS,
    )
