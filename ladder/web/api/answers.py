"""What all routes are asked, and what they answer with; and their description: OpenAPI 3.1, made when asked for.

How this works. A route names the class that it shows, and so puts it on a list; its schema is made only when the
description is asked for. Every class becomes a schema of its own, which others lead to by its name.

A cursor names the row after which a list goes on. So no row that stays where it is comes twice or is left out, however
many come and go. It is text for programs to hand back; that of another list is refused. Boards have cursors of their
own, which stand in their rows.
"""

import inspect
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from fastapi import APIRouter, FastAPI, Path, Query, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from engine.errors import UsageFault
from engine.game import Game
from ladder.ids import LARGEST_ID
from ladder.views.encoding import HIDDEN, IF_ANY, MERGED, PRIVATE, SHOWN, to_json
from ladder.views.turns.watched_match import replay_schema
from ladder.web.problems import PROBLEM, ProblemBody
from ladder.web.rendering import IS_SERVED

Row = TypeVar("Row")
MOST_CHARS = 800
MOST_ITEMS = 500
MOST_NAME_CHARS = 100
"""Of a name that is asked for; those that there are have fewer."""
Limit = Annotated[int, Query(ge=1, le=MOST_ITEMS, description="How many items at most.")]
Cursor = Annotated[
    str | None, Query(max_length=MOST_CHARS, description="Where to go on: the `next` of the answer before.")
]
GameName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A game, as in ocean-of-code.")]
LeagueName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A league of the game, as in wood-1.")]
BotName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A bot, or a version of it, as in kraken@v3.")]
Number = Annotated[int, Path(ge=1, le=LARGEST_ID, description="The number of the match, gauntlet or season.")]
Seat = Annotated[int, Path(ge=0, le=7, description="Which player, counted from 0.")]


def written(list_name: str, *key: int | str) -> str:
    """Return the cursor behind a row of a list. `list_name`: names the list; `key`: by which it is ordered."""
    return urlsafe_b64encode(json.dumps([list_name, *key]).encode()).decode().rstrip("=")


def read(cursor: str | None, list_name: str, *kinds: type) -> Any:
    """Return the key that a cursor of that list holds, None without a cursor. Raises UsageFault for any other text."""
    if cursor is None:
        return None
    try:
        values = json.loads(urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        values = None
    if (
        not isinstance(values, list)
        or values[:1] != [list_name]
        or [*map(type, values[1:])] != [*kinds]
        or not all(abs(part) <= LARGEST_ID if isinstance(part, int) else str(part).isprintable() for part in values[1:])
    ):
        raise misplaced(list_name)
    return tuple(values[1:])


def misplaced(list_name: str) -> UsageFault:
    return UsageFault(f"this cursor is of no place in the {list_name}: take the `next` of the answer before")


def part(
    rows: Sequence[Row], list_name: str, key: Callable[[Row], tuple[int | str, ...]], cursor: str | None, limit: int
) -> tuple[Sequence[Row], str | None]:
    """Return a page of a list that is read whole, and the cursor behind it. `rows`: in the order of their keys."""
    if not rows:
        return rows, None
    after = read(cursor, list_name, *map(type, key(rows[0])))
    remaining = [row for row in rows if after is None or key(row) > after]
    return remaining[:limit], written(list_name, *key(remaining[limit - 1])) if len(remaining) > limit else None


def json_answer(value: object) -> Response:
    """Return a view as JSON, as the command's `--json` prints it; what is private is left out where it is empty."""
    return Response(to_json(value, compact=True, spare=IS_SERVED.get()), media_type="application/json")


def items(rows: Sequence[object], next_cursor: str | None) -> Response:
    return json_answer({"items": rows, "next": next_cursor})


def first_items(rows: Sequence[Row], list_name: str, key: Callable[[Row], int | str], limit: int) -> Response:
    """Return the first rows of a list, of which one more than `limit` was read if there is one."""
    return items(rows[:limit], written(list_name, key(rows[limit - 1])) if len(rows) > limit else None)


Schema: TypeAlias = dict[str, Any]
Responses: TypeAlias = dict[int | str, dict[str, Any]]
PLACE = "#/components/schemas/"
REPLAY = "Replay"
TYPES = {NoneType: "null", bool: "boolean", int: "integer", float: "number", str: "string", Game: "string"}
SIMPLE: dict[Any, Schema] = {
    **{kind: {"type": name} for kind, name in TYPES.items()},
    datetime: {"type": "string", "format": "date-time"},
    Any: {},
    object: {},
}
UNCHANGED: Responses = {304: {"description": "What `If-None-Match` names still holds"}}
WANTED: dict[str, Any] = {}
"""The classes that routes show, by the names of their schemas."""
router = APIRouter()
ABOUT = (
    "A ladder as JSON. Where a command has `--json`, the body is the same, field by field. "
    "The page `/api` explains it with examples."
)
KEY = {"key": {"type": "http", "scheme": "bearer", "description": "The key in the file `web.key` of LADDER_HOME."}}


def one_of(*types: Any, what: str = "As the command's `--json` prints it") -> Responses:
    return responses_with("application/json", referring(types), what)


def rows_of(row_class: Any, *, also: str = "") -> Responses:
    """Describe a route that answers with a part of a list. `also`: in which other form, a row for each line."""
    inside = {"items": {"type": "array", "items": referring([row_class])}, "next": {"type": ["string", "null"]}}
    page = {"type": "object", "required": ["items", "next"], "additionalProperties": False, "properties": inside}
    responses = responses_with("application/json", page, "Rows, and where the list goes on")
    if also:
        responses[200]["content"][also] = {"schema": {"type": "string"}}
    return responses


def text_as(kind: str) -> Responses:
    return responses_with(kind, {"type": "string"}, "The text")


def responses_with(kind: str, schema: Schema, description: str) -> Responses:
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
        by_name |= {name: object_schema(WANTED[name], spare=spare) for name in missing}
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
    items, length = [schema_of(item) for item in parts], len(parts)
    return {"type": "array", "prefixItems": items, "minItems": length, "maxItems": length}


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
