"""Finding what somebody types into the top bar; the search for matches: a form, and the same as a filter in words.

Both stand in the address of a search, so it can be shared.
"""

import re
from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from engine.errors import UnknownName, UsageFault
from engine.immutable import immutable
from ladder.database.connection import Connection, Rows
from ladder.errors import FilterFault
from ladder.ids import LARGEST_ID, MatchId
from ladder.leagues import leagues
from ladder.matches import match_rows
from ladder.matches.filters import FAULTS, RESULTS
from ladder.names import VERSION
from ladder.views.match_search import FoundMatches, search
from ladder.views.matches import wanted_by
from ladder.web import addresses
from ladder.web.rendering import page
from ladder.web.site import SiteHere
from ladder.web.watcher import MOST_TOPICS

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
router = APIRouter()


@immutable
class NameHit:
    """A bot or a player whose name has what was asked for in it. `game`: None for a player; `player`: whose it is."""

    name: str
    game: str | None
    player: str

    @property
    def address(self) -> str:
        return addresses.player(self.name) if self.game is None else addresses.bot(self.game, self.name)


def address_of(connection: Connection, words: str, hits: list[NameHit]) -> str | None:
    """Return where those words lead at once: to a match, a version, or the only place there is."""
    if number := MATCH.fullmatch(words):
        match_id = MatchId(int(number[1]))
        if match_id <= LARGEST_ID and match_rows.find_match(connection, match_id):
            return addresses.match(match_id)
    version = VERSION.fullmatch(words)
    name = (version["bot"] if version else words).lower()
    likely = [hit for hit in hits if hit.name.lower() == name] or hits
    if len(likely) != 1:
        return None
    (hit,) = likely
    return addresses.version(hit.game, hit.name, int(version["number"])) if version and hit.game else hit.address


@router.get("/search")
def lead(site: SiteHere, q: str = "") -> Response:
    """Lead to what is meant, or list what may be meant: matches by number, versions, bots and players by name.

    Bots and players are found by a part of their names; those of exactly that name come first.
    """
    words = q.strip()[:MOST_CHARS]
    part = words.partition("@")[0]
    with site.reading() as connection:
        values = {"part": part.lower(), "most": MOST_FOUND}
        hits = Rows(connection, NameHit).all(BY_NAME, values) if part else []
        hits.sort(key=lambda hit: hit.name.lower() != part.lower())
        address = address_of(connection, words, hits)
    if address is not None:
        return RedirectResponse(address, 303)
    return page("search.html", words=words, found=hits, most=MOST_FOUND)


ROWS = 50
FOLLOWED = 2_000
"""A search that looks at more matches than this is not made again by itself whenever one was played."""
FORM = {
    **{name: (name, "=") for name in ("bot", "opponent", "result", "league", "fault")},
    "since": ("time", ">="),
    "longer_than": ("turns", ">"),
    "rated": ("rated", "="),
}
"""The fields of the form, and what each asks for in the language of filters."""
WHERE = "where"
PLAIN = re.compile(r"[\w.+:@-]+")
"""A value that needs no quotes in a filter."""


@router.get("/games/{game}/matches")
def matches(site: SiteHere, request: Request, game: str, before: addresses.BelowMatch = None) -> Response:
    fields = {name: request.query_params.get(name, "").strip() for name in (*FORM, WHERE)}
    found: FoundMatches | None = None
    fault: UsageFault | None = None
    with site.reading() as connection:
        leagues.check_game(connection, game)
        in_order = leagues.leagues(connection, game)
        options = [(f'"{name.replace("_", " ")}"', *FORM[name], fields[name]) for name in FORM if fields[name]]
        try:
            found = search(connection, game, wanted_by(options, fields[WHERE] or None), ROWS, before)
        except (FilterFault, UnknownName) as error:
            fault = error
    is_followed = before is None and found is not None and found.looked_at <= FOLLOWED
    return page(
        "matches.html",
        status=200 if fault is None else 422,
        game=game,
        choices={
            "result": [(word, word) for word in RESULTS],
            "league": [(league.name, league.title) for league in reversed(in_order)],
            "fault": [(word, word) for word in FAULTS],
            "rated": [("yes", "yes"), ("no", "no")],
        },
        asked=fields,
        as_filter=as_filter(fields),
        found=found,
        fault=fault,
        pointer=pointer(fields[WHERE], fault),
        onward=addresses.matches(game, **fields, before=found.next) if found and found.next else None,
        first=addresses.matches(game, **fields) if before else None,
        topics=[f"matches:{league.id}" for league in in_order[:MOST_TOPICS]] if is_followed else [],
    )


def as_filter(fields: Mapping[str, str]) -> str:
    """Return all that is asked as one filter in words; "" where a value cannot be written in one."""
    parts = [f"{field} {sign} {quoted(fields[name])}" for name, (field, sign) in FORM.items() if fields[name]]
    if any('"' in fields[name] and "'" in fields[name] for name in FORM):
        return ""
    if fields[WHERE]:
        parts.append(f"({fields[WHERE]})" if parts else fields[WHERE])
    return " and ".join(parts)


def quoted(value: str) -> str:
    return value if PLAIN.fullmatch(value) else f'"{value}"' if "'" in value else f"'{value}'"


def pointer(where: str, fault: UsageFault | None) -> str:
    """Return a line that points at the place of a fault in the line above it; "" where it names none."""
    place = fault.place if isinstance(fault, FilterFault) else 0
    return f"{' ' * (place - 1)}^" if where and place else ""
