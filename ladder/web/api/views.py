"""Views as they are, for the program itself on another machine: what its commands print, they print from these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.responses import Response

from engine.errors import Refused, Unavailable
from engine.text import shortened
from ladder import codec, contract
from ladder.access import Actor, Deed, require
from ladder.audit import written_down
from ladder.database.connection import Connection
from ladder.errors import NotLoggedIn
from ladder.leagues.leagues import League
from ladder.ratings.standings import most_that_played
from ladder.version import HEADER, VERSION, compared
from ladder.views.ratings import Progress, Settling, count_matches
from ladder.web.accounts.identity import ASKING
from ladder.web.api.answers import MOST_NAME_CHARS
from ladder.web.site import Site, SiteHere
from ladder.web.writing.bodies import read_object

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
    found = contract.function_of(row)
    given = codec.read_words(found, read_object(words.encode("utf-8", "surrogatepass")), site.games)
    if site.web.is_served and row.deed is not None:
        actor = ASKING.get().actor
        given |= own_alone(actor, row.owner, given)
        require_reader(site, actor, row.deed, given.get(row.owner or ""))
    if (games := codec.games_parameter(found)) is not None:
        given[games] = site.games
    with site.reading() as connection:
        made = found(connection, **given, **bounds_for(found))
        return Response(codec.written(found, made, site.games), media_type=codec.MEDIA_TYPE)


def own_alone(actor: Actor | None, owner: str | None, given: Mapping[str, Any]) -> dict[str, str]:
    """Return whose part of a view is meant where none was named: an operator means everybody's, a player the own."""
    if actor is None or actor.operates or owner is None or given.get(owner) is not None:
        return {}
    return {owner: actor.player}


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
    done = count(1)

    def on_match() -> None:
        if next(done) > MOST_MATCHES:
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
        require_few(most_that_played(connection, [one.id for one in leagues]), MOST_SETTLED_VERSIONS, "versions")
        yield


def require_few(found: int, most: int, what: str) -> None:
    if found > most:
        raise Refused(
            f"this would settle {found:,} {what}, and a server settles {most:,} for one request at most: ask for less, "
            "with --game or --league, or type it where the ladder's database is"
        )


def bounds_for(view: codec.View) -> dict[str, Any]:
    bounds = ((Progress, bounded), (Settling, bounded_settling))
    return {name: bound for name, hint in codec.types_of(view).items() for kind, bound in bounds if hint == kind}
