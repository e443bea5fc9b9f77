"""Views as they are: the public routes of those that `ladder.contract` gives an address, and all for our own commands.

How this works. What a view is asked with stands in its signature: what the address names, and what the row says of the
query. What it returns becomes the schema of the answer. A list is read whole, and a page of it is given. Our
commands on another machine ask by a view's name: what they print, they print from these.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import Parameter, Signature
from itertools import count
from operator import attrgetter
from threading import Lock
from typing import Annotated, Any, get_args, get_type_hints

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.responses import Response

from engine.errors import Refused, Unavailable
from engine.game import Game, Games
from engine.text import shortened
from ladder import codec, contract
from ladder.access import Actor, Deed, require
from ladder.audit import written_down
from ladder.database.connection import Connection
from ladder.errors import NotLoggedIn
from ladder.ids import LARGEST_ID
from ladder.leagues.leagues import League
from ladder.names import NamedVersion, read_name
from ladder.ratings.standings import most_that_played
from ladder.version import HEADER, VERSION, compared
from ladder.views.ratings import Progress, Settling, count_matches
from ladder.web.api import answers
from ladder.web.api.answers import (
    MOST_NAME_CHARS,
    BotName,
    Cursor,
    GameName,
    Limit,
    Number,
    Responses,
    items,
    json_answer,
    one_of,
    rows_of,
)
from ladder.web.identity import ASKING
from ladder.web.site import Site, SiteHere
from ladder.web.writing.write_request import read_object

router = APIRouter()
MOST_WORDS_CHARS = 20_000
MOST_MATCHES = 10_000
"""Rating these again takes some seconds."""
MOST_SETTLED_MATCHES = 100_000
MOST_SETTLED_VERSIONS = 2000
"""Of one league: settling these takes some seconds, too."""
RATING = Lock()
"""Is held by the one request that does."""
ViewName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A view, as in boards.")]
Words = Annotated[str, Query(max_length=MOST_WORDS_CHARS, description="What it is asked with, as JSON by names.")]
public_router = APIRouter()
PlayerName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A player, as in kim.")]
IN_ADDRESSES = {"game": GameName, "bot": BotName, "player": PlayerName, "number": Number}
PAGE = {"limit": (Limit, 100), "cursor": (Cursor, None)}
NAMES = {"against": "b", "name": "player", "match_id": "number", "gauntlet_id": "number"}
"""What the public calls what views call otherwise."""


def require_understood(request: Request) -> None:
    """Raise Refused where a command is of a Ladder that is not understood here."""
    theirs = request.headers.get(HEADER, "")
    order = compared(theirs)
    if order:
        what = "older: update that program" if order < 0 else "newer: this server has to be updated first"
        raise Refused(f"this server is Ladder {VERSION}, and the program that asks, {shortened(theirs)}, is {what}")


@router.get("/views/{view}", include_in_schema=False, dependencies=[Depends(require_understood)])
def one_view(site: SiteHere, view: ViewName, words: Words = "{}") -> Response:
    """One view whole, for the commands of this same version of Ladder alone: its form changes with them."""
    row = contract.row_of(contract.READS, view)
    function = contract.function_of(row)
    arguments = codec.read_words(function, read_object(words.encode("utf-8", "surrogatepass")), site.games)
    if site.web.is_served and row.deed is not None:
        actor = ASKING.get().actor
        if row.owner and actor is not None and not actor.operates and arguments.get(row.owner) is None:
            arguments[row.owner] = actor.player  # an operator means everybody's, a player the own
        require_reader(site, actor, row.deed, arguments.get(row.owner or ""))
    if (games := codec.games_parameter(function)) is not None:
        arguments[games] = site.games
    kinds = {Progress: bounded, Settling: bounded_settling}
    bounds = {name: kinds[hint] for name, hint in codec.types_of(function).items() if hint in kinds}
    with site.reading() as connection:
        answer = function(connection, **arguments, **bounds)
        return Response(codec.written(function, answer, site.games), media_type=codec.MEDIA_TYPE)


def require_reader(site: Site, actor: Actor | None, deed: Deed, owner: str | None) -> None:
    """Raise NotLoggedIn or NotAllowed, which is written down. One's own lines of the audit one may read."""
    if actor is None:
        raise NotLoggedIn("log in, or show a token")
    if deed is Deed.READ_AUDIT and owner is not None and actor.is_(owner):
        deed = Deed.READ_ACCOUNT
    with written_down(actor, site.pool):
        require(actor, deed, owner=owner)


@contextmanager
def rating_alone() -> Iterator[None]:
    """Let one request at a time rate matches again. Raises Unavailable where another does just now."""
    if not RATING.acquire(blocking=False):
        raise Unavailable("this server rates matches again for somebody else just now: try again in a moment")
    try:
        yield
    finally:
        RATING.release()


@contextmanager
def bounded(_connection: Connection, _leagues: Sequence[League]) -> Iterator[Callable[[], None]]:
    """Give what is to be called after each match, which raises Refused when there are too many. Raises Unavailable."""
    calls = count(1)

    def on_match() -> None:
        if next(calls) > MOST_MATCHES:
            raise Refused(
                f"this takes more than {MOST_MATCHES:,} matches, and a server rates no more for one request: ask for "
                "less, with --league or --where, or type it where the ladder's database is"
            )

    with rating_alone():
        yield on_match


@contextmanager
def bounded_settling(connection: Connection, leagues: Sequence[League]) -> Iterator[None]:
    """Let leagues be settled that are not too large. Raises Refused for others, Unavailable."""
    with rating_alone():
        require_few(count_matches(connection, leagues), MOST_SETTLED_MATCHES, "matches")
        require_few(most_that_played(connection, [league.id for league in leagues]), MOST_SETTLED_VERSIONS, "versions")
        yield


def require_few(many: int, most: int, what: str) -> None:
    if many > most:
        raise Refused(
            f"this would settle {many:,} {what}, and a server settles {most:,} for one request at most: ask for less, "
            "with --game or --league, or type it where the ladder's database is"
        )


def add_route(name: str, public: contract.PublicRead) -> None:
    view = contract.function_of(public)
    hints, parameters = codec.types_of(view), codec.parameters(view)
    public_names = NAMES | {"named": "bot" if "{bot}" in public.address else "a"}
    names = {key: public_names.get(key, key) for key in parameters}
    names = {key: name for key, name in names.items() if f"{{{name}}}" in public.address or name in public.asked}

    def answer(site: SiteHere, **named: Any) -> Response:
        words = {key: word(hints[key], named[name], site.games) for key, name in names.items()}
        words |= {key: site.games for key, hint in hints.items() if hint is Games}
        with site.reading() as connection:
            value = view(connection, **words)
        return items(*page_of(value, public, named)) if public.of else json_answer(value)

    query = {
        name: in_query(hints[key], parameters[key], public.asked[name])
        for key, name in names.items()
        if name in public.asked
    }
    path = {name: (kind, Parameter.empty) for name, kind in IN_ADDRESSES.items() if f"{{{name}}}" in public.address}
    kinds = {"site": (SiteHere, Parameter.empty)} | path | query | (PAGE if public.of else {})
    only = Parameter.KEYWORD_ONLY
    inputs = [Parameter(key, only, annotation=kind, default=usual) for key, (kind, usual) in kinds.items()]
    vars(answer)["__signature__"] = Signature(inputs)
    answers_with = responses(public, hints["return"])
    public_router.add_api_route(public.address, answer, name=name, description=public.about, responses=answers_with)


def word(hint: Any, text: Any, games: Games) -> Any:
    """Return what a view is given for what was asked. Raises UnknownName, UsageFault."""
    return read_name(text) if hint is NamedVersion else games.find(text) if hint is Game else text


def in_query(hint: Any, parameter: Parameter, about: str) -> tuple[Any, Any]:
    kind: Any = str if hint is NamedVersion else hint
    text, number = Query(max_length=MOST_NAME_CHARS, description=about), Query(ge=1, le=LARGEST_ID, description=about)
    usual = None if type(None) in get_args(kind) else parameter.default
    return Annotated[kind, number if int in get_args(kind) else text], usual


def page_of(result: Any, public: contract.PublicRead, named: dict[str, Any]) -> tuple[Sequence[Any], str | None]:
    rows = getattr(result, "rows", result)
    places = {id(row): place for place, row in enumerate(rows)}

    def key(row: Any) -> tuple[Any, ...]:
        fields = [(field, attrgetter(field.removeprefix("-"))(row)) for field in public.key.split()]
        return tuple(-value if field.startswith("-") else value for field, value in fields) or (places[id(row)],)

    return answers.part(rows, public.of.format(**named), key, named["cursor"], named["limit"])


def responses(public: contract.PublicRead, hint: Any) -> Responses:
    if public.of:
        rows = get_type_hints(hint)["rows"] if hasattr(hint, "__dataclass_fields__") else hint
        return rows_of(get_args(rows)[0])
    return one_of(*(get_args(hint) or [hint]), what=public.what)


for name, row in contract.PUBLIC_READS.items():
    add_route(name, row)
