"""The description of all routes: OpenAPI 3.1, made when it is first asked for."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from ladder.views.turns.replay_data import replay_schema
from ladder.web.api.answers import json_answer
from ladder.web.api.described import PLACE, REPLAY, Schema, schemas
from ladder.web.shown import IS_SERVED

router = APIRouter()
ABOUT = (
    "A ladder as JSON, read-only. Where a command has `--json`, the body is the same, field by field. "
    "The page `/api` explains it with examples."
)
KEY = {"key": {"type": "http", "scheme": "bearer", "description": "The key in the file `web.key` of LADDER_HOME."}}


@router.get("/openapi.json", include_in_schema=False)
def openapi(request: Request) -> Response:
    """Return the description of all routes."""
    return json_answer(described(request.app))


def described(app: FastAPI) -> dict[str, Any]:
    """Return the description of an application's routes, which is made once."""
    if app.openapi_schema is None:
        found = get_openapi(title="Ladder", version="1", description=ABOUT, routes=app.routes)
        every = schemas(spare=IS_SERVED.get()) | replay_schemas()
        found["components"] = {"schemas": led_to(found["paths"], every), "securitySchemes": KEY}
        found["security"] = [{"key": []}]
        found["paths"]["/healthz"]["get"]["security"] = []
        app.openapi_schema = found
    return app.openapi_schema


def led_to(described: Any, every: dict[str, Schema]) -> dict[str, Schema]:
    """Return those of all schemas that a description leads to: a ladder for one person has fewer routes."""
    found: dict[str, Schema] = {}
    parts = [described]
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts += part
        elif isinstance(part, dict):
            name = str(part.get("$ref", "")).removeprefix(PLACE)
            if name in every and name not in found:
                found[name] = every[name]
                parts.append(every[name])
            parts += part.values()
    return dict(sorted(found.items()))


def replay_schemas() -> dict[str, Schema]:
    """Return the schema of a replay, and as schemas of their own those that it leads to."""
    text = replay_schema().replace("#/$defs/", f"{PLACE}{REPLAY}_")
    found: Schema = json.loads(text)
    parts: dict[str, Schema] = found.pop("$defs")
    for of_a_file in ("$schema", "$id"):
        del found[of_a_file]
    return {REPLAY: found, **{f"{REPLAY}_{name}": part for name, part in parts.items()}}
