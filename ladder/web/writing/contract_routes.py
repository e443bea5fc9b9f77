"""The public routes of the actions that `ladder.contract` gives an address.

How this works. What an action is asked with stands in its signature: what the address names comes from there, all else
is the body. Its first sentence and its deed say in the description what it does and whom it is open to.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from inspect import Parameter, Signature, getdoc
from typing import Annotated, Any, Optional

from fastapi import APIRouter, Path
from pydantic import AfterValidator, Field, TypeAdapter
from starlette.responses import Response

from ladder import codec
from ladder.access import Rule
from ladder.actions.clarifications import MOST_CHARS
from ladder.actions.matches import LONGEST_SHARE_S
from ladder.choices import NoticeEvent, NoticeForm
from ladder.contract import WRITES, Public, function_of
from ladder.ids import LARGEST_ID
from ladder.notices.hooks import LONGEST_URL
from ladder.web.api.answers import MOST_NAME_CHARS, BotName, GameName
from ladder.web.api.description import Responses, answers, referring
from ladder.web.writing.acts import queue_for
from ladder.web.writing.bodies import Body, read_body
from ladder.web.writing.gate import JSON, KEY, Write, WriteHere, once, shown

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
class Nothing(Body):
    """The body of a request that says all in its address."""


def doing(*shown: Any, status: int = 200, what: str = "What came of it") -> dict[str, Any]:
    """Describe a route that changes something, for its decorator: what it answers, and under which status."""
    found = answers(JSON, referring(shown), what)
    responses: Responses = {status: found[200], "default": found["default"]}
    return {"status_code": status, "responses": responses}


def taking(body: type | None = None) -> dict[str, Any]:
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


IN_ADDRESSES = {"number": Number, "game": GameName, "bot": BotName, "player": PlayerName}
LARGEST_VERSION = 999_999_999
IN_BODIES = {
    "why": Reason,
    "host": Name,
    "text": Annotated[str, Field(min_length=1, max_length=MOST_CHARS, pattern=r"\S")],
    "game": Optional[Name],  # noqa: UP045 - what Annotated returns has no |
    "number": Annotated[int, Field(ge=1, le=LARGEST_VERSION)],
    "url": Annotated[str, Field(min_length=1, max_length=LONGEST_URL)],
    "events": Annotated[list[NoticeEvent], Field(min_length=1, max_length=len(NoticeEvent))],
    "form": NoticeForm,
    "of_ladder": bool,
    "expires_in_s": Annotated[int, Field(ge=1, le=LONGEST_SHARE_S)],
}

router = APIRouter()


def add_route(public: Public, action: Callable[..., Any], *, is_secret: bool) -> None:
    method, _, address = public.address.partition(" ")
    in_address = re.findall(r"{(\w+)}", address)
    asked = codec.parameters(action)
    names = {name: "number" if name.endswith("_id") else name for name in asked}
    in_body = [name for name in names if names[name] not in in_address]
    body = make_dataclass(
        action.__name__.title(),
        [(name, IN_BODIES[name], default_of(asked[name])) for name in in_body],
        bases=(Body,),
        namespace={"__doc__": "What goes with the address."},
        frozen=True,
    )

    def answer(write: Write, **given: object) -> Response:
        said: Any = read_body(body, write.body if in_body else write.body or b"{}")
        words = {name: given[own] if own in in_address else getattr(said, name) for name, own in names.items()}
        return once(
            write,
            lambda actor, pool, queue: shown(
                action(actor, pool, **words, **queue_for(action, queue)), public.status, is_secret=is_secret
            ),
        )

    kinds = {"write": WriteHere, **{name: IN_ADDRESSES[name] for name in in_address}}
    parameters = [Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind) for name, kind in kinds.items()]
    vars(answer)["__signature__"] = Signature(parameters)
    router.add_api_route(
        address,
        answer,
        methods=[method],
        name=action.__name__,
        description=described(public, action),
        **doing(codec.types_of(action)["return"], status=public.status),
        **taking(body if in_body else None),
    )


def default_of(parameter: Parameter) -> Any:
    return field() if parameter.default is Parameter.empty else field(default=parameter.default)


def described(public: Public, action: Callable[..., Any]) -> str:
    what = re.split(r"[.;:]", getdoc(action) or "", maxsplit=1)[0]
    deed = public.deed
    scope = "operate" if deed.rule is Rule.OPERATOR else deed.scope
    others = "; others' takes `operate`" if deed.rule is Rule.OWNER_OR_OPERATOR else ""
    return f"{what}, as `ladder {public.command}` does. The scope `{scope}`{others}."


for row in WRITES.values():
    if row.public is not None:
        add_route(row.public, function_of(row), is_secret=row.is_secret)
