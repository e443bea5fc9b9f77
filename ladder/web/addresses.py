"""The addresses of all pages. Templates have these functions as `to`: `{{ to.match(17) }}`.

Names become part of an address percent-encoded, whatever they hold.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import Path, Query

from ladder.ids import LARGEST_ID, MatchId
from ladder.names import read_name

MatchInPath = Annotated[MatchId, Path(ge=1, le=LARGEST_ID, description="The number of a match.")]
MatchInQuery = Annotated[MatchId, Query(ge=1, le=LARGEST_ID, description="The number of a match.")]
BelowMatch = Annotated[MatchId | None, Query(ge=1, le=LARGEST_ID, description="Only matches with lower numbers.")]


API = "/api/v1"
"""How the addresses of data begin."""


def path(*parts: str | int) -> str:
    """Return the path made of these parts, each of which stays one."""
    return "/" + "/".join(map(as_part, parts))


@lru_cache(maxsize=4096)
def as_part(part: str | int) -> str:
    """Return a name as one part of a path."""
    return quote(str(part), safe="@")


def asking(address: str, **query: str | int | None) -> str:
    """Return an address with its query. What is None or empty is left out."""
    given = {name: value for name, value in query.items() if value not in {None, ""}}
    return f"{address}?{urlencode(given, safe='@:,')}" if given else address


def home() -> str:
    """Return where the ladder begins."""
    return "/"


def game(game: str) -> str:
    """Return the page of a game: its leagues and seasons."""
    return path("games", game)


def board(game: str, league: str, **query: str | int | None) -> str:
    """Return a league's board. `query`: `after` a place on it, only this `name`, `retired` ones too."""
    return asking(path("games", game, "leagues", league), **query)


def bot(game: str, bot: str) -> str:
    """Return the page of a bot."""
    return path("games", game, "bots", bot)


def version(game: str, bot: str, number: int) -> str:
    """Return the page of a version of a bot."""
    return path("games", game, "bots", bot, "v", number)


def player(player: str) -> str:
    """Return the page of a player."""
    return path("players", player)


def boards() -> str:
    """Return where the final boards are that a file leads back to: nowhere, but in a folder of files."""
    return ""


def submit(game: str, bot: str = "") -> str:
    """Return the page on which a version is submitted. `bot`: whose next one."""
    return asking(path("games", game, "submit"), bot=bot)


def named(game: str, name: str) -> str:
    """Return the page of what a name means: `kraken@v8` that of a version, `kraken` that of a bot."""
    found = read_name(name)
    return bot(game, found.bot) if found.number is None else version(game, found.bot, found.number)


def versus(game: str, a: str, b: str) -> str:
    """Return the page of two bots or versions against each other."""
    return asking(path("games", game, "versus"), a=a, b=b)


def matches(game: str, where: str = "", **query: str | int | None) -> str:
    """Return the page of a game's matches that a filter in words picks. `query`: what else the search is asked."""
    return asking(path("games", game, "matches"), where=where, **query)


def match(match_id: int) -> str:
    """Return the page of a match."""
    return path("matches", match_id)


def compare(a: int, b: int) -> str:
    """Return the page of two matches side by side."""
    return asking("/compare", a=a, b=b)


def gauntlets(**query: str | int | None) -> str:
    """Return the list of gauntlets."""
    return asking("/gauntlets", **query)


def gauntlet(gauntlet_id: int) -> str:
    """Return the page of a gauntlet."""
    return path("gauntlets", gauntlet_id)


def season(game: str, number: int, **query: str | int | None) -> str:
    """Return the final boards of a closed season. `query`: only this `league`, those `after` this many rows."""
    return asking(path("games", game, "seasons", number), **query)


def rules(game: str, league: str, lang: str | None = None) -> str:
    """Return the rules of a league as its players read them. `lang`: in which language, as in `fr`."""
    return asking(path("games", game, "rules", league), lang=lang)


def operations() -> str:
    """Return the operations room."""
    return "/operations"


def guide(page: str | None = None) -> str:
    """Return a page of the guide, or where it begins."""
    return "/guide" if page is None else path("guide", page)


def description() -> str:
    """Return the page that explains the same data as JSON."""
    return "/api"


def data(address: str) -> str:
    """Return where programs read what a page shows."""
    return f"{API}{address}"


def feed(address: str) -> str:
    """Return the Atom feed of a bot or a league, by the address of its page."""
    return f"{data(address)}/feed.atom"
