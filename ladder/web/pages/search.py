"""Finding a bot, a version, a player or a match by what somebody types into the top bar."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from ladder.database.connection import Connection, Rows, without_nul
from ladder.ids import LARGEST_ID, MatchId
from ladder.matches import match_rows
from ladder.names import VERSION
from ladder.web import addresses
from ladder.web.shown import page
from ladder.web.site import SiteHere

MOST_FOUND = 50
MOST_CHARS = 100
MATCH = re.compile(r"(?:match)?[ #]*([0-9]{1,19})", re.IGNORECASE | re.ASCII)
BY_NAME = """
    SELECT bots.name, game, players.name AS player
    FROM bots JOIN players ON players.id = player_id WHERE position(%(part)s IN lower(bots.name)) > 0
    UNION ALL
    SELECT name, NULL, name FROM players
    WHERE position(%(part)s IN lower(name)) > 0 AND EXISTS (SELECT FROM bots WHERE player_id = players.id)
    ORDER BY name, game LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A bot or a player whose name has what was asked for in it. `game`: None for a player; `player`: whose it is."""

    name: str
    game: str | None
    player: str

    @property
    def address(self) -> str:
        return addresses.player(self.name) if self.game is None else addresses.bot(self.game, self.name)


def places(connection: Connection, part: str) -> list[Place]:
    """Return bots and players by a part of their names; those of exactly that name come first."""
    asked = without_nul(part).lower()
    found = Rows(connection, Place).all(BY_NAME, {"part": asked, "most": MOST_FOUND})
    return sorted(found, key=lambda one: one.name.lower() != asked)


def address_of(connection: Connection, words: str, found: list[Place]) -> str | None:
    """Return where those words lead at once: to a match, a version, or the only place there is."""
    if number := MATCH.fullmatch(words):
        match_id = MatchId(int(number[1]))
        if match_id <= LARGEST_ID and match_rows.find_match(connection, match_id):
            return addresses.match(match_id)
    version = VERSION.fullmatch(words)
    name = (version["bot"] if version else words).lower()
    likely = [one for one in found if one.name.lower() == name] or found
    if len(likely) != 1:
        return None
    (one,) = likely
    return addresses.version(one.game, one.name, int(version["number"])) if version and one.game else one.address


router = APIRouter()


@router.get("/search")
def search(site: SiteHere, q: str = "") -> Response:
    """Lead to what is meant, or list what may be meant: matches by number, versions, bots and players by name."""
    words = q.strip()[:MOST_CHARS]
    part = words.partition("@")[0]
    with site.reading() as connection:
        found = places(connection, part) if part else []
        address = address_of(connection, words, found)
    if address is not None:
        return RedirectResponse(address, 303)
    return page("search.html", words=words, found=found, most=MOST_FOUND)
