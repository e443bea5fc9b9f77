"""The public routes of the views that `ladder.contract` gives an address.

How this works. What a view is asked with stands in its signature: what the address names, and what the row says of the
query. What it returns becomes the schema of the answer. A list is read whole, and a page of it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import Parameter, Signature
from operator import attrgetter
from typing import Annotated, Any, get_args, get_type_hints

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from engine.game import Game, Games
from ladder import codec
from ladder.contract import PUBLIC_READS, PublicRead, function_of
from ladder.ids import LARGEST_ID
from ladder.names import Named, read_name
from ladder.web.api import answers
from ladder.web.api.answers import MOST_NAME_CHARS, BotName, Cursor, GameName, Limit, Number, items, json_answer
from ladder.web.api.description import Responses, one_of, rows_of
from ladder.web.site import SiteHere

router = APIRouter()
PlayerName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A player, as in kim.")]
IN_ADDRESSES = {"game": GameName, "bot": BotName, "player": PlayerName, "number": Number}
PAGE = {"limit": (Limit, 100), "cursor": (Cursor, None)}
NAMES = {"against": "b", "name": "player", "match_id": "number", "gauntlet_id": "number"}
"""What the public calls what views call otherwise."""


def add_route(name: str, public: PublicRead) -> None:
    view = function_of(public)
    hints, parameters = codec.types_of(view), codec.parameters(view)
    known = NAMES | {"named": "bot" if "{bot}" in public.address else "a"}
    names = {own: known.get(own, own) for own in parameters}
    names = {own: name for own, name in names.items() if f"{{{name}}}" in public.address or name in public.asked}

    def answer(site: SiteHere, **given: Any) -> Response:
        words = {own: word(hints[own], given[name], site.games) for own, name in names.items()}
        words |= {own: site.games for own, hint in hints.items() if hint is Games}
        with site.reading() as connection:
            found = view(connection, **words)
        return items(*page_of(found, public, given)) if public.of else json_answer(found)

    query = {
        name: in_query(hints[own], parameters[own], public.asked[name])
        for own, name in names.items()
        if name in public.asked
    }
    path = {name: (kind, Parameter.empty) for name, kind in IN_ADDRESSES.items() if f"{{{name}}}" in public.address}
    asked = {"site": (SiteHere, Parameter.empty)} | path | query | (PAGE if public.of else {})
    vars(answer)["__signature__"] = Signature(
        [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=usual)
            for name, (kind, usual) in asked.items()
        ]
    )
    router.add_api_route(
        public.address, answer, name=name, description=public.about, responses=responses(public, hints["return"])
    )


def word(hint: Any, given: Any, games: Games) -> Any:
    """Return what a view is given for what was asked. Raises UnknownName, UsageFault."""
    return read_name(given) if hint is Named else games.find(given) if hint is Game else given


def in_query(hint: Any, parameter: Parameter, about: str) -> tuple[Any, Any]:
    kind: Any = str if hint is Named else hint
    text, number = Query(max_length=MOST_NAME_CHARS, description=about), Query(ge=1, le=LARGEST_ID, description=about)
    usual = None if type(None) in get_args(kind) else parameter.default
    return Annotated[kind, number if int in get_args(kind) else text], usual


def page_of(found: Any, public: PublicRead, given: dict[str, Any]) -> tuple[Sequence[Any], str | None]:
    rows = getattr(found, "rows", found)
    places = {id(row): place for place, row in enumerate(rows)}

    def key(row: Any) -> tuple[Any, ...]:
        fields = [(field, attrgetter(field.removeprefix("-"))(row)) for field in public.key.split()]
        return tuple(-value if field.startswith("-") else value for field, value in fields) or (places[id(row)],)

    return answers.part(rows, public.of.format(**given), key, given["cursor"], given["limit"])


def responses(public: PublicRead, shown: Any) -> Responses:
    if public.of:
        return rows_of(get_args(get_type_hints(shown)["rows"] if hasattr(shown, "__dataclass_fields__") else shown)[0])
    return one_of(*(get_args(shown) or [shown]), what=public.what)


for name, row in PUBLIC_READS.items():
    add_route(name, row)
