"""What is new of a bot or a league, as Atom feeds."""

from __future__ import annotations

from collections.abc import Sequence
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
"""Stands in for when a league was made, which is not recorded."""


@router.get("/games/{game}/bots/{bot}/feed.atom", responses=text_as(ATOM), response_class=Response)
def feed_of_bot(site: SiteHere, request: Request, game: GameName, bot: BotName) -> Response:
    """What is new of a bot, as Atom: its versions, their moves between leagues, verdicts of their gauntlets."""
    with site.reading() as connection:
        found = news_of_bot(connection, bot, game)
    own = found.bot
    return feed(
        request,
        found.items,
        about=f"bot {own.game} {own.id}",
        game=own.game,
        name=own.name,
        made_at=own.created_at,
        page=addresses.bot(own.game, own.name),
    )


@router.get("/games/{game}/leagues/{league}/feed.atom", responses=text_as(ATOM), response_class=Response)
def feed_of_league(site: SiteHere, request: Request, game: GameName, league: LeagueName) -> Response:
    """What is new in a league, as Atom: versions of its bots, moves into and out of it, verdicts of gauntlets."""
    with site.reading() as connection:
        found = news_of_league(connection, league, game)
    own = found.league
    return feed(
        request,
        found.items,
        about=f"league {own.game} {own.id}",
        game=own.game,
        name=own.title,
        made_at=FIRST_DAY,
        page=addresses.board(own.game, own.name),
    )


def feed(
    request: Request, items: Sequence[Item], *, about: str, game: str, name: str, made_at: datetime, page: str
) -> Response:
    """Return the feed of a bot or a league. `page`: the address of its page, without the host."""
    here = base_of(request)
    entries = [entry_of(item, game, here) for item in items]
    own = str(request.url.replace(query=""))
    return Response(atom_of(Feed(about, f"{name} ({game})", made_at, own, here + page, entries)), media_type=ATOM)


def base_of(request: Request) -> str:
    """Return how the addresses of this ladder begin for the reader who asks."""
    return str(request.base_url).rstrip("/")


def entry_of(item: Item, game: str, here: str) -> Entry:
    """Return something new as an entry, which leads to the gauntlet or to the version."""
    version = read_name(item.version)
    page = addresses.version(game, version.bot, version.number or 1)
    address = addresses.gauntlet(item.number) if item.kind == "verdict" else page
    return Entry(f"{item.kind} {item.number}", item.sentence, item.at, item.bot, here + address)
