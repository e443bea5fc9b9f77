"""The page that explains the same data as JSON, with lines to paste into a shell."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import Response

from engine.game import Game
from ladder.web.addresses import API
from ladder.web.api.description import described
from ladder.web.api.matches import LINES
from ladder.web.problems import RETRY_AFTER_S
from ladder.web.rendering import page
from ladder.web.site import SiteHere

router = APIRouter()
NEXT = r"NEXT=$(sed -n 's/^[Ll]ink: <\(.*\)>.*/\1/p' head.txt)"
"""The command that finds the address where lines go on."""


@dataclass(frozen=True, slots=True)
class CommandExample:
    """A purpose, and the commands for it, one a line."""

    title: str
    commands: list[str]


@dataclass(frozen=True, slots=True)
class Route:
    """A route. `method`: "" where it reads; `about`: what it does, in a sentence; `query`: its parameters' names."""

    method: str
    path: str
    about: str
    query: list[str]


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
    here = f"{str(request.base_url).rstrip('/')}{API}"
    file = None if site.key is None else str(site.key.file)
    return page(
        "api.html",
        here=here,
        key_file=file,
        key_line="" if file is None else f"KEY=$(cat {shlex.quote(file)})",
        examples=examples(here, site.games.all, Curl(has_key=file is not None)),
        routes=[
            Route(
                "" if method == "get" else method.upper(),
                path,
                operation.get("description", "").partition("\n\n")[0].replace("\n", " "),
                [one["name"] for one in operation.get("parameters", []) if one["in"] == "query"],
            )
            for path, operations in described(request.app)["paths"].items()
            for method, operation in operations.items()
        ],
        kinds=KINDS_OF_SERVED if site.web.is_served else KINDS,
    )


@dataclass(frozen=True, slots=True)
class Curl:
    """Writes commands. `has_key`: whether they show one, which stands in the variable KEY."""

    has_key: bool

    def get(self, address: str, *options: str) -> str:
        return self.line(*options, shlex.quote(address))

    def line(self, *words: str) -> str:
        key = '-H "Authorization: Bearer $KEY"' if self.has_key else ""
        return " ".join(filter(None, ["curl -sSf", key, *words]))

    def ask(self, address: str, **query: str) -> str:
        words = [f"--data-urlencode {shlex.quote(f'{name}={text}')}" for name, text in query.items()]
        return self.get(address, "-G", *words)


def examples(here: str, games: Sequence[Game], curl: Curl) -> list[CommandExample]:
    return [
        CommandExample("What runs and what waits", [curl.get(f"{here}/status")]),
        *examples_of_game(here, games[0], curl),
        CommandExample("Whether the database answers", [Curl(has_key=False).get(f"{here.removesuffix(API)}/healthz")]),
        CommandExample(
            "The description of everything, OpenAPI 3.1", [curl.get(f"{here}/openapi.json", "-o openapi.json")]
        ),
    ]


def examples_of_game(here: str, game: Game, curl: Curl) -> list[CommandExample]:
    """Return commands about what every ladder has: the leagues of a game, and their bosses."""
    boss, league = next(iter(game.bosses.items()))
    of_game = f"{here}/games/{quote(game.name)}"
    of_league, of_boss = f"{of_game}/leagues/{quote(league.name)}", f"{of_game}/bots/{quote(boss)}"
    best = f"{of_league}/board?limit=10"
    first = curl.get(best, "-o board.json --etag-save board.etag")
    later = curl.get(best, "-o board.json --etag-compare board.etag")
    defeats = curl.ask(f"{of_game}/matches", where=f"bot = {boss} and result = lost", limit="5")
    accept = f"-H {shlex.quote(f'Accept: {LINES}')}"
    every = curl.get(f"{of_game}/matches", accept, "-D head.txt", "-o matches.ndjson")
    later_ones = curl.line(accept, "-D head.txt", "-o later.ndjson", '"$NEXT"')
    return [
        CommandExample("The best ten of a league; later only if something has changed", [first, later]),
        CommandExample("A bot, and how its rating moved", [curl.get(of_boss), curl.get(f"{of_boss}/ratings")]),
        CommandExample("Its latest defeats", [defeats]),
        CommandExample(
            "All matches of a game, one a line; later those that have ended since", [every, NEXT, later_ones]
        ),
        CommandExample("What is new in a league, as a feed", [curl.get(f"{of_league}/feed.atom")]),
    ]
