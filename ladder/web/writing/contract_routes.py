"""The public routes of the actions that `ladder.contract` gives an address; and one for every action, for our commands.

How this works. What an action is asked with stands in its signature: what the address names comes from there, all else
is the body. Its first sentence and its deed say in the description what it does and whom it is open to.

Our own commands ask from another machine by a route for every action, as there is one for every view. Its form is that
of `ladder.codec`, so a command gets what the action returns, every field of it. It says in whose name the action is
wanted, and in which role: that is never more than the token's own.
"""

import re
from collections.abc import Callable
from dataclasses import MISSING, field, make_dataclass, replace
from inspect import Parameter, Signature, getdoc
from typing import Annotated, Any, Optional, TypeAlias, TypeVar

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import AfterValidator, Field, TypeAdapter
from starlette.responses import Response

from engine.immutable import immutable
from engine.toolchains.languages import find_language
from engine.toolchains.source import check_source
from ladder import actions, codec, contract
from ladder.access import Actor, Role, Rule
from ladder.actions.clarifications import MOST_CHARS
from ladder.actions.matches import LONGEST_SHARE_S
from ladder.choices import NoticeEvent, NoticeForm
from ladder.database.connection import Pool
from ladder.errors import NotAllowed
from ladder.flows.submission import Submission
from ladder.gauntlets.lineup import GauntletRequest
from ladder.ids import LARGEST_ID
from ladder.notices.hooks import LONGEST_URL
from ladder.queue import Queue, Scheduling
from ladder.seasons import seasons
from ladder.web.api.answers import MOST_NAME_CHARS, BotName, GameName, referring, responses_with
from ladder.web.api.views import ViewName, require_understood
from ladder.web.writing.write_request import (
    JSON,
    KEY,
    Body,
    WriteAnswer,
    WriteHere,
    WriteRequest,
    answer_with,
    once,
    read_body,
    read_object,
    write_here,
    write_of_bot,
)

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


@immutable
class Nothing(Body):
    """The body of a request that says all in its address."""


def answer_schema(*types: Any, status: int = 200) -> dict[str, Any]:
    """Describe a route that changes something, for its decorator: what it answers, and under which status."""
    responses = responses_with(JSON, referring(types), "What came of it")
    return {"status_code": status, "responses": {status: responses[200], "default": responses["default"]}}


def body_schema(body: type | None = None) -> dict[str, Any]:
    extra: dict[str, Any] = {"parameters": [KEY_PARAMETER]}
    if body is not None:
        schema = TypeAdapter(body).json_schema()
        schema = whole(schema, schema.pop("$defs", {}))
        extra["requestBody"] = {"required": True, "content": {JSON: {"schema": schema}}}
    return {"openapi_extra": extra}


def whole(part: Any, parts: dict[str, Any]) -> Any:
    """Return a schema with what it leads to in its place."""
    if isinstance(part, list):
        return [whole(item, parts) for item in part]
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
Do: TypeAlias = Callable[[Actor, Pool, Queue], object]
"""Calls one action, and returns what came of it."""
Plan = TypeVar("Plan", bound=Callable[..., Do])


def route(
    router: APIRouter, address: str, *types: Any, status: int = 200, is_secret: bool = False, gate: Any = WriteHere
) -> Callable[[Plan], Plan]:
    """Give the decorated function that route, as in `PUT /games/{game}/lock`, which answers with one of `types`.

    It is given a body of the class that its first parameter names, the request, and by name what the address says.
    """

    method, _, path = address.partition(" ")

    def add(plan: Plan) -> Plan:
        kind = next(iter(codec.types_of(plan).values()))

        def answer(write: WriteRequest, **named: object) -> Response:
            body = read_body(kind, write.body or (b"{}" if kind is Nothing else b""))
            do = plan(body, write, **named)
            return once(write, lambda *own: answer_with(do(*own), status, is_secret=is_secret))

        kinds = {"write": gate, **{name: IN_ADDRESSES[name] for name in re.findall(r"{(\w+)}", path)}}
        parameters = [Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind) for name, kind in kinds.items()]
        vars(answer)["__signature__"] = Signature(parameters)
        described = answer_schema(*types, status=status) | body_schema(None if kind is Nothing else kind)
        router.add_api_route(path, answer, methods=[method], name=plan.__name__, description=getdoc(plan), **described)
        return plan

    return add


def add_action(public: contract.Public, action: Callable[..., Any], *, is_secret: bool) -> None:
    parameters = codec.parameters(action)
    names = {name: "number" if name.endswith("_id") else name for name in parameters}
    in_body = [name for name, public_name in names.items() if f"{{{public_name}}}" not in public.address]
    members = [(name, IN_BODIES[name], field(default=default_of(parameters[name]))) for name in in_body]
    about = {"__doc__": "What goes with the address."}
    kind = make_dataclass(action.__name__.title(), members, bases=(Body,), namespace=about, frozen=True)

    def plan(body: Any, _write: WriteRequest, **named: object) -> Do:
        words = {name: getattr(body, name) if name in in_body else named[names[name]] for name in names}
        return lambda actor, pool, queue: action(actor, pool, **words, **queue_for(action, queue))

    plan.__name__, plan.__doc__ = action.__name__, description_of(public, action)
    plan.__annotations__["body"] = kind if in_body else Nothing
    returned = codec.types_of(action)["return"]
    route(router, public.address, returned, status=public.status, is_secret=is_secret)(plan)


def default_of(parameter: Parameter) -> Any:
    return MISSING if parameter.default is Parameter.empty else parameter.default


def description_of(public: contract.Public, action: Callable[..., Any]) -> str:
    what, deed = re.split(r"[.;:]", getdoc(action) or "", maxsplit=1)[0], public.deed
    scope = "operate" if deed.rule is Rule.OPERATOR else deed.scope
    others = "; others' takes `operate`" if deed.rule is Rule.OWNER_OR_OPERATOR else ""
    return f"{what}, as `ladder {public.command}` does. The scope `{scope}`{others}."


for name, public in contract.PUBLIC_WRITES.items():
    row = contract.WRITES[name]
    add_action(public, contract.function_of(row), is_secret=row.is_secret)


acts = APIRouter()


async def write_of_act(request: Request) -> WriteRequest:
    return await (write_of_bot if request.path_params["action"] == "submit" else write_here)(request)


WriteOfAct = Annotated[WriteRequest, Depends(write_of_act)]
Named = Annotated[str | None, Query(max_length=MOST_NAME_CHARS, description="In whose name, where that was typed.")]
InRole = Annotated[Role, Query(description="In which role; never in more than one has.")]


@acts.post("/acts/{action}", include_in_schema=False, dependencies=[Depends(require_understood)])
def act(write: WriteOfAct, action: ViewName, role: InRole = Role.PLAYER, player: Named = None) -> Response:
    """Do something, for the commands of this same version of Ladder alone: its form changes with them."""
    row = contract.row_of(contract.WRITES, action)
    function, games = contract.function_of(row), write.site.games
    words = {
        name: without_privileges(value, write.site.source_chars)
        for name, value in codec.read_words(function, read_object(write.body), games).items()
    }

    def do(actor: Actor, pool: Pool, queue: Queue) -> WriteAnswer:
        outcome = function(actor, pool, **words, **queue_for(function, queue))
        return WriteAnswer(200, codec.written(function, outcome, games).decode(), row.is_secret)

    begin = seasons.hold if function is actions.seasons.close else None
    return once(replace(write, actor=in_the_name(write.actor, role, player)), do, codec.MEDIA_TYPE, begin)


def without_privileges(value: object, source_chars: int) -> object:
    """Return a value as the command checks it, without a league's boss and a gate, for which Ladder alone asks."""
    match value:
        case Submission():
            text = value.source
            source = check_source(text.encode(), source_chars) if isinstance(text, str) else text
            return replace(value, source=source, language=find_language(value.language).name, boss_of=None)
        case GauntletRequest():
            return replace(value, gates=False)
    return value


def in_the_name(actor: Actor, role: Role, player: str | None) -> Actor:
    """Return who does it. Raises NotAllowed where another player was named than the one whose token it is."""
    if player is not None and not actor.is_(player):
        raise NotAllowed(f"you are {actor.player} here, so nothing is done in the name of {player}")
    return replace(actor, role=Role.PLAYER) if role is Role.PLAYER else actor


def queue_for(function: Callable[..., Any], queue: Queue) -> dict[str, Queue]:
    return {name: queue for name, hint in codec.types_of(function).items() if hint in {Queue, Scheduling}}
