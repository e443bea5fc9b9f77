"""How the description of all routes tells what a writing route takes and answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Path
from pydantic import AfterValidator, Field, TypeAdapter

from ladder.ids import LARGEST_ID
from ladder.web.api.answers import MOST_NAME_CHARS
from ladder.web.api.described import Responses, answers, referring
from ladder.web.writing.bodies import STRICT
from ladder.web.writing.gate import JSON, KEY

MOST_REASON_CHARS = 200
Number = Annotated[int, Path(ge=1, le=LARGEST_ID, description="Its number.")]
PlayerName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A player.")]
Name = Annotated[str, Field(min_length=1, max_length=MOST_NAME_CHARS)]
Reason = Annotated[
    str,
    Field(min_length=1, max_length=MOST_REASON_CHARS, pattern=r"\S"),
    AfterValidator(lambda text: " ".join(text.split())),
]
Seed = Annotated[int, Field(ge=-(2**63), lt=2**63)]
KEY_PARAMETER = {
    "name": KEY,
    "in": "header",
    "required": False,
    "description": "How you call this one write. Asked again with the same key within 24 hours, it is not done again, "
    "and its first answer is given again. A new one for each write: a UUID, for instance.",
    "schema": {"type": "string", "pattern": "^[!-~]{1,100}$"},
}


@dataclass(frozen=True, slots=True)
class Nothing:
    """The body of a request that says all in its address."""

    __pydantic_config__ = STRICT


def doing(*shown: Any, status: int = 200, what: str = "What came of it") -> dict[str, Any]:
    """Describe a route that changes something, for its decorator: what it answers, and under which status."""
    found = answers(JSON, referring(shown), what)
    responses: Responses = {status: found[200], "default": found["default"]}
    return {"status_code": status, "responses": responses}


def taking(body: type | None = None) -> dict[str, Any]:
    """Describe what a route that changes something is sent, for its decorator."""
    extra: dict[str, Any] = {"parameters": [KEY_PARAMETER]}
    if body is not None:
        schema = TypeAdapter(body).json_schema()
        schema = whole(schema, schema.pop("$defs", {}))
        extra["requestBody"] = {"required": True, "content": {JSON: {"schema": schema}}}
    return {"openapi_extra": extra}


def whole(part: Any, parts: dict[str, Any]) -> Any:
    """Return a schema with what it leads to in its place."""
    if isinstance(part, list):
        return [whole(one, parts) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return whole(parts[part["$ref"].removeprefix("#/$defs/")], parts)
    return {name: whole(value, parts) for name, value in part.items()}
