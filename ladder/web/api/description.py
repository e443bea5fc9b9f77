"""The description of all routes: OpenAPI 3.1, made when it is first asked for.

How this works. A route names the class that it shows, and so puts it on a list; its schema is made only when the
description is asked for. Every class becomes a schema of its own, which others lead to by its name.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, NewType, TypeAlias, Union, get_args, get_origin, get_type_hints

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from engine.game import Game
from ladder.views.encoding import HIDDEN, IF_ANY, MERGED, PRIVATE, SHOWN
from ladder.views.turns.watched_match import replay_schema
from ladder.web.api.answers import json_answer
from ladder.web.problems import PROBLEM, ProblemBody
from ladder.web.rendering import IS_SERVED

Schema: TypeAlias = dict[str, Any]
Responses: TypeAlias = dict[int | str, dict[str, Any]]
PLACE = "#/components/schemas/"
REPLAY = "Replay"
SIMPLE: dict[Any, Schema] = {
    NoneType: {"type": "null"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    Game: {"type": "string"},
    datetime: {"type": "string", "format": "date-time"},
    Any: {},
    object: {},
}
UNCHANGED: Responses = {304: {"description": "What `If-None-Match` names still holds"}}
WANTED: dict[str, Any] = {}
"""The classes that routes show, by the names of their schemas."""
router = APIRouter()
ABOUT = (
    "A ladder as JSON, read-only. Where a command has `--json`, the body is the same, field by field. "
    "The page `/api` explains it with examples."
)
KEY = {"key": {"type": "http", "scheme": "bearer", "description": "The key in the file `web.key` of LADDER_HOME."}}


def one_of(*types: Any, what: str = "As the command's `--json` prints it") -> Responses:
    return answers("application/json", referring(types), what)


def rows_of(row_class: Any, *, also: str = "") -> Responses:
    """Describe a route that answers with a part of a list. `also`: in which other form, a row for each line."""
    inside = {"items": {"type": "array", "items": referring([row_class])}, "next": {"type": ["string", "null"]}}
    page = {"type": "object", "required": ["items", "next"], "additionalProperties": False, "properties": inside}
    responses = answers("application/json", page, "Rows, and where the list goes on")
    if also:
        responses[200]["content"][also] = {"schema": {"type": "string"}}
    return responses


def text_as(kind: str) -> Responses:
    return answers(kind, {"type": "string"}, "The text")


def answers(kind: str, schema: Schema, description: str) -> Responses:
    fault = {"description": "What is wrong", "content": {PROBLEM: {"schema": referring([ProblemBody])}}}
    return {200: {"description": description, "content": {kind: {"schema": schema}}}, **UNCHANGED, "default": fault}


def referring(classes: Iterable[Any]) -> Schema:
    names = [wanted(class_) for class_ in classes]
    return any_of([{"$ref": f"{PLACE}{name}"} for name in names])


def wanted(class_: type) -> str:
    """Put a class on the list and return its schema's name, which says its module too where two have one name."""
    name = class_.__name__
    if WANTED.setdefault(name, class_) is not class_:
        name = f"{class_.__module__.rpartition('.')[2].title().replace('_', '')}{name}"
        if WANTED.setdefault(name, class_) is not class_:
            raise LookupError(f"two classes are called {name}")
    return name


def schemas(*, spare: bool = False) -> dict[str, Schema]:
    """Return the schemas of all classes on the list and that they lead to. `spare`: private fields may be left out."""
    by_name: dict[str, Schema] = {}
    while missing := [name for name in WANTED if name not in by_name]:
        for name in missing:
            by_name[name] = object_schema(WANTED[name], spare=spare)
    return dict(sorted(by_name.items()))


def schema_of(kind: Any) -> Schema:
    """Return the schema of what `plain` makes of a value of that type. Raises TypeError for what is not data."""
    if kind in SIMPLE:
        return dict(SIMPLE[kind])
    if isinstance(kind, NewType):
        return schema_of(kind.__supertype__)
    if get_origin(kind) in {Union, UnionType}:
        return any_of([schema_of(choice) for choice in get_args(kind)])
    if get_origin(kind) is Literal:
        return {"enum": list(get_args(kind))}
    if get_origin(kind) is tuple:
        return tuple_schema(get_args(kind))
    if isinstance(origin := get_origin(kind) or kind, type):
        return class_schema(origin, get_args(kind))
    raise TypeError(f"{kind} is not data")


def class_schema(kind: type, parts: tuple[Any, ...]) -> Schema:
    if issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if is_dataclass(kind):
        return {"$ref": f"{PLACE}{wanted(kind)}"}
    if issubclass(kind, Mapping):
        return {"type": "object", "additionalProperties": schema_of(parts[1]) if parts else {}}
    if issubclass(kind, Iterable):
        return {"type": "array", "items": schema_of(parts[0]) if parts else {}}
    raise TypeError(f"{kind} is not data")


def tuple_schema(parts: tuple[Any, ...]) -> Schema:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return {"type": "array", "items": schema_of(parts[0])}
    return {
        "type": "array",
        "prefixItems": [schema_of(item) for item in parts],
        "minItems": len(parts),
        "maxItems": len(parts),
    }


def any_of(choices: list[Schema]) -> Schema:
    return choices[0] if len(choices) == 1 else {"anyOf": choices}


def object_schema(class_: Any, *, spare: bool = False) -> Schema:
    properties, others = properties_of(class_)
    left_out = left_out_of(class_, spare=spare)
    return {
        "type": "object",
        "description": " ".join((inspect.getdoc(class_) or "").split()),
        "properties": properties,
        "required": [name for name in properties if name not in left_out],
        "additionalProperties": others,
    }


def left_out_of(class_: Any, *, spare: bool) -> set[str]:
    """Return the keys that are left out where they are empty. `spare`: also those that a served ladder leaves out."""
    types = get_type_hints(class_)
    inner = {name: kind for name in getattr(class_, MERGED, ()) if (kind := merged_class(types[name]))}
    spared = {*getattr(class_, IF_ANY, ()), *(getattr(class_, PRIVATE, ()) if spare else ())}
    whole = [set(properties_of(kind)[0]) for name, kind in inner.items() if name in spared]
    return spared.union(*whole, *(left_out_of(kind, spare=spare) for kind in inner.values()))


def merged_class(hint: Any) -> Any:
    """Return the class of a field whose keys stand in the object around it, which may be empty; None for a mapping."""
    choices = get_args(hint) if NoneType in get_args(hint) else (hint,)
    return next((choice for choice in choices if is_dataclass(choice)), None)


def properties_of(class_: Any) -> tuple[dict[str, Schema], Schema | bool]:
    """Return the schema of each key, and of keys that only the data know; False where there are none."""
    types = get_type_hints(class_)
    properties: dict[str, Schema] = {}
    others: Schema | bool = False
    for name in [field.name for field in fields(class_) if field.name not in getattr(class_, HIDDEN, ())]:
        if name not in getattr(class_, MERGED, ()):
            properties[name.rstrip("_")] = schema_of(types[name])
        elif (kind := merged_class(types[name])) is not None:
            inner, more = properties_of(kind)
            properties, others = properties | inner, others or more
        else:
            others = schema_of(types[name])["additionalProperties"]
    further = {
        name: schema_of(get_type_hints(getattr(class_, name).fget)["return"]) for name in getattr(class_, SHOWN, ())
    }
    return properties | further, others


@router.get("/openapi.json", include_in_schema=False)
def openapi(request: Request) -> Response:
    return json_answer(described(request.app))


def described(app: FastAPI) -> dict[str, Any]:
    """Return the description of an application's routes, which is made once."""
    if app.openapi_schema is None:
        description = get_openapi(title="Ladder", version="1", description=ABOUT, routes=app.routes)
        every = schemas(spare=IS_SERVED.get()) | replay_schemas()
        description["components"] = {"schemas": led_to(description["paths"], every), "securitySchemes": KEY}
        description["security"] = [{"key": []}]
        description["paths"]["/healthz"]["get"]["security"] = []
        app.openapi_schema = description
    return app.openapi_schema


def led_to(root: Any, every: dict[str, Schema]) -> dict[str, Schema]:
    """Return those of all schemas that a description leads to: a ladder for one person has fewer routes."""
    reached: dict[str, Schema] = {}
    parts = [root]
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts += part
        elif isinstance(part, dict):
            name = str(part.get("$ref", "")).removeprefix(PLACE)
            if name in every and name not in reached:
                reached[name] = every[name]
                parts.append(every[name])
            parts += part.values()
    return dict(sorted(reached.items()))


def replay_schemas() -> dict[str, Schema]:
    text = replay_schema().replace("#/$defs/", f"{PLACE}{REPLAY}_")
    replay: Schema = json.loads(text)
    parts: dict[str, Schema] = replay.pop("$defs")
    for of_a_file in ("$schema", "$id"):
        del replay[of_a_file]
    return {REPLAY: replay, **{f"{REPLAY}_{name}": part for name, part in parts.items()}}
