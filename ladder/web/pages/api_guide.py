"""The page that explains the same data as JSON, with lines to paste into a shell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from ladder.web.addresses import API
from ladder.web.api.description import described
from ladder.web.api.matches import LINES
from ladder.web.problems import KINDS, RETRY_AFTER_S
from ladder.web.rendering import page
from ladder.web.site import SiteHere

router = APIRouter()
STATUSES: Mapping[str, tuple[int, int | None]] = {
    **{name: (status, error.exit_status) for error, status, name in KINDS},
    "no key": (401, None),
    "method": (405, None),
    "misdirected": (421, None),
}
"""Of each kind of problem: its status, and the exit status of the commands that say the same."""


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
        statuses=STATUSES,
        retry_after_s=RETRY_AFTER_S,
    )
