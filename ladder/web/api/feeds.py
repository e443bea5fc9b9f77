"""What is new of a bot or a league, as Atom feeds."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter, Request
from starlette.responses import Response

from ladder.names import read_name
from ladder.views.streams.news import Item, news_of_bot, news_of_league
from ladder.web import addresses
from ladder.web.api.answers import BotName, GameName, LeagueName
from ladder.web.api.atom import ATOM, Entry, Feed, atom_of
from ladder.web.api.described import text_as
from ladder.web.site import SiteHere

router = APIRouter()
FIRST_DAY = datetime(1970, 1, 1, tzinfo=UTC)
"""Of what nobody wrote down when it was made."""


@router.get("/games/{game}/bots/{bot}/feed.atom", responses=text_as(ATOM), response_class=Response)
def feed_of_bot(site: SiteHere, request: Request, game: GameName, bot: BotName) -> Response:
    """What is new of a bot, as Atom: its versions, their moves between leagues, verdicts of their gauntlets."""
    with site.reading() as connection:
        found = news_of_bot(connection, bot, game)
    own, here = found.bot, base_of(request)
    return answer(
        Feed(
            f"bot {own.game} {own.id}",
            f"{own.name} ({own.game})",
            own.created_at,
            str(request.url.replace(query="")),
            here + addresses.bot(own.game, own.name),
            [entry_of(item, own.game, here) for item in found.items],
        )
    )


@router.get("/games/{game}/leagues/{league}/feed.atom", responses=text_as(ATOM), response_class=Response)
def feed_of_league(site: SiteHere, request: Request, game: GameName, league: LeagueName) -> Response:
    """What is new in a league, as Atom: versions of its bots, moves into and out of it, verdicts of gauntlets."""
    with site.reading() as connection:
        found = news_of_league(connection, league, game)
    own, here = found.league, base_of(request)
    return answer(
        Feed(
            f"league {own.game} {own.id}",
            f"{own.title} ({own.game})",
            FIRST_DAY,
            str(request.url.replace(query="")),
            here + addresses.board(own.game, own.name),
            [entry_of(item, own.game, here) for item in found.items],
        )
    )


def answer(feed: Feed) -> Response:
    """Return a feed."""
    return Response(atom_of(feed), media_type=ATOM)


def base_of(request: Request) -> str:
    """Return how addresses of this ladder begin, as who asks has to type them."""
    return str(request.base_url).rstrip("/")


def entry_of(item: Item, game: str, here: str) -> Entry:
    """Return something new as an entry, which leads to the gauntlet or to the version."""
    version = read_name(item.version)
    page = addresses.version(game, version.bot, version.number or 1)
    address = addresses.gauntlet(item.number) if item.kind == "verdict" else page
    return Entry(f"{item.kind} {item.number}", item.sentence, item.at, item.bot, here + address)
