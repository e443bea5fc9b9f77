"""What changes, as it changes; what is new of a bot or a league, as Atom feeds.

An entry's id follows from what it is about and when that was, so it stays the same as long as the ladder does.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Annotated
from uuid import NAMESPACE_URL, uuid5
from xml.etree.ElementTree import Element, SubElement, tostring

from fastapi import APIRouter, Depends, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from psycopg.sql import SQL
from starlette.responses import Response

from engine.immutable import immutable
from engine.text import one_line
from ladder.bots import bots
from ladder.database.connection import Rows
from ladder.leagues import leagues
from ladder.names import read_version
from ladder.web import addresses
from ladder.web.api.answers import BotName, GameName, LeagueName, text_as
from ladder.web.site import SiteHere
from ladder.web.watcher import Listener, Live, topics_of

NAMESPACE = "http://www.w3.org/2005/Atom"
ATOM = "application/atom+xml"
router = APIRouter()
RECONNECT_MS = 2000
"""How long browsers wait before they ask again after a stream was lost."""
Topics = Annotated[list[str] | None, Query(description="What to listen for, as in `board:3`; up to 50 of them.")]
MOST_ITEMS = 50


def add(parent: Element, name: str, text: str) -> None:
    """Add an element with a text, in which nothing steers and nothing is that XML cannot hold."""
    SubElement(parent, name).text = one_line(text).translate({0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD})


def add_identity(parent: Element, about: str, at: datetime) -> None:
    add(parent, "id", uuid5(NAMESPACE_URL, f"ladder:{about}:{moment(at)}").urn)


def moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


async def listener_here(request: Request, topic: Topics = None) -> AsyncIterator[Listener]:
    live: Live = request.app.state.live
    room: AbstractContextManager[None] = request.app.state.room_for_stream()
    with room, live.listening(topics_of(topic or [])) as listener:
        if request.scope.get("head"):
            listener.end()  # a request for the head alone must not wait for a body
        yield listener


@router.get("/events", responses=text_as("text/event-stream"), response_class=EventSourceResponse)
async def events(
    request: Request, listener: Annotated[Listener, Depends(listener_here)]
) -> AsyncIterator[ServerSentEvent]:
    """Send an event when something has changed, as a list of topics; the first, with all that are asked for, at once.

    Its id is the number of the last move of a version between leagues. An event `unavailable` says in a sentence why
    changes are not known at present. It ends where the one who began it is not let in any more.
    """
    may_follow: Callable[[Request], Awaitable[bool]] = request.app.state.may_follow
    yield ServerSentEvent(comment="listening", retry=RECONNECT_MS)
    async for topics, moved, trouble in listener.updates():
        if not await may_follow(request):
            return
        if trouble is not None:
            yield ServerSentEvent(event="unavailable", data=one_line(trouble))
        else:
            yield ServerSentEvent(event="changed", data=sorted(topic.text for topic in topics), id=str(moved))


async def always(_request: Request) -> bool:
    return True


@immutable
class Item:
    """Something new. `kind`: version, move or verdict; `number`: of that version, move or gauntlet."""

    kind: str
    number: int
    bot: str
    version: str
    at: datetime
    sentence: str


LATEST = SQL("""
    WITH latest_moves AS (
        SELECT 'move' AS kind, moves.id AS number, moves.version_id, moves.at,
               CASE moves.kind WHEN 'promotion' THEN ' was promoted from ' WHEN 'demotion' THEN ' was demoted from '
               ELSE ' went back from ' END || lower_league.title || ' to ' || upper_league.title AS sentence
        FROM moves JOIN versions ON versions.id = moves.version_id
        JOIN leagues AS lower_league ON lower_league.id = moves.from_league
        JOIN leagues AS upper_league ON upper_league.id = moves.to_league WHERE {of_moves} ORDER BY moves.id DESC
        LIMIT %(most)s),
    verdicts AS (
        SELECT 'verdict', gauntlets.id, candidate_id, ended_at,
               ' has ' || CASE verdict WHEN 'undecided' THEN 'neither passed nor failed' ELSE verdict END
               || ' gauntlet ' || gauntlets.id
        FROM gauntlets JOIN versions ON versions.id = candidate_id WHERE verdict IS NOT NULL AND {of_gauntlets}
        ORDER BY gauntlets.id DESC LIMIT %(most)s),
    submitted AS (
        SELECT 'version', versions.id, versions.id, submitted_at,
               CASE versions.state WHEN 'building' THEN ' was submitted' ELSE ' was ' || versions.state END
               || CASE note WHEN '' THEN '' ELSE ': ' || note END
        FROM versions JOIN bots ON bots.id = versions.bot_id WHERE {of_versions} ORDER BY versions.id DESC
        LIMIT %(most)s)
    SELECT found.kind, found.number, bots.name AS bot, version_name(version_id) AS version, at,
           version_name(version_id) || sentence AS sentence
    FROM (SELECT * FROM latest_moves UNION ALL SELECT * FROM verdicts UNION ALL SELECT * FROM submitted) AS found
    JOIN versions ON versions.id = version_id
    JOIN bots ON bots.id = versions.bot_id ORDER BY at DESC, found.number DESC LIMIT %(most)s
    """)
"""What is new. `kind`: version, move or verdict; `number`: of that version, move or gauntlet."""
OF_BOT = LATEST.format(**dict.fromkeys(("of_moves", "of_gauntlets", "of_versions"), SQL("versions.bot_id = %(bot)s")))
OF_LEAGUE = LATEST.format(
    of_moves=SQL("%(league)s IN (moves.from_league, moves.to_league)"),
    of_gauntlets=SQL("gauntlets.league_id = %(league)s"),
    of_versions=SQL("bots.league_id = %(league)s"),
)
"""Versions of the bots that are in the league now."""
FIRST_DAY = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands in for when a league was made, which is not recorded."""


@router.get("/games/{game}/bots/{bot}/feed.atom", responses=text_as(ATOM), response_class=Response)
def feed_of_bot(site: SiteHere, request: Request, game: GameName, bot: BotName) -> Response:
    """What is new of a bot, as Atom: its versions, their moves between leagues, verdicts of their gauntlets."""
    with site.reading() as connection:
        row = bots.find_bot(connection, bot, game)
        items = Rows(connection, Item).all(OF_BOT, {"bot": row.id, "most": MOST_ITEMS})
    about, page = f"bot {row.game} {row.id}", addresses.bot(row.game, row.name)
    return feed(request, items, about=about, game=row.game, name=row.name, made_at=row.created_at, page=page)


@router.get("/games/{game}/leagues/{league}/feed.atom", responses=text_as(ATOM), response_class=Response)
def feed_of_league(site: SiteHere, request: Request, game: GameName, league: LeagueName) -> Response:
    """What is new in a league, as Atom: versions of its bots, moves into and out of it, verdicts of gauntlets."""
    with site.reading() as connection:
        row = leagues.find_league(connection, game, league)
        items = Rows(connection, Item).all(OF_LEAGUE, {"league": row.id, "most": MOST_ITEMS})
    about, page = f"league {row.game} {row.id}", addresses.board(row.game, row.name)
    return feed(request, items, about=about, game=row.game, name=row.title, made_at=FIRST_DAY, page=page)


def feed(
    request: Request, items: Sequence[Item], *, about: str, game: str, name: str, made_at: datetime, page: str
) -> Response:
    """Return a feed as XML. `about`: from which its id follows; `page`: the address of its page, without the host."""
    host_url = str(request.base_url).rstrip("/")
    root = Element("feed", {"xmlns": NAMESPACE})
    add_identity(root, about, made_at)
    add(root, "title", f"{name} ({game})")
    add(root, "updated", moment(max([made_at, *(item.at for item in items)])))
    SubElement(root, "link", {"rel": "self", "type": ATOM, "href": str(request.url.replace(query=""))})
    SubElement(root, "link", {"rel": "alternate", "type": "text/html", "href": host_url + page})
    for item in items:
        of_version = addresses.version(game, *read_version(item.version))
        address = addresses.gauntlet(item.number) if item.kind == "verdict" else of_version
        entry = SubElement(root, "entry")
        add_identity(entry, f"{item.kind} {item.number}", item.at)
        add(entry, "title", item.sentence)
        add(entry, "updated", moment(item.at))
        add(SubElement(entry, "author"), "name", item.bot)
        SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": host_url + address})
        add(entry, "content", item.sentence)
    text = '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, "unicode") + "\n"
    return Response(text, media_type=ATOM)
