"""The addresses of all pages. Templates have these functions as `to`: `{{ to.match(17) }}`.

Names become part of an address percent-encoded, whatever they hold.
"""

from collections.abc import Callable
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


@lru_cache(maxsize=4096)
def path(*parts: str | int) -> str:
    """Return the path made of these parts, each of which stays one."""
    return "/" + "/".join(quote(str(part), safe="@") for part in parts)


def asking(address: str, **query: str | int | None) -> str:
    """Return an address with its query. What is None or empty is left out."""
    parts = {name: value for name, value in query.items() if value not in {None, ""}}
    return f"{address}?{urlencode(parts, safe='@:,')}" if parts else address


def at(address: str) -> Callable[[], str]:
    return lambda: address


def below(parent: str) -> Callable[[str | int], str]:
    return lambda part: path(parent, part)


def of_game(*parts: str) -> Callable[..., str]:
    return lambda game, *further, **query: asking(path("games", game, *parts, *further), **query)


home, search, operations, desk, description = map(at, ("/", "/search", "/operations", "/desk", "/api"))
boards = at("")
"""Where the final boards are that a file leads back to: nowhere, but in a folder of files."""
match, request, gauntlet, tune, player = map(below, ("matches", "requests", "gauntlets", "tunes", "players"))
game = of_game()
contest, projector, similar, resolver = map(of_game, ("contest", "projector", "similar", "resolver"))
board, bot, rules, season = map(of_game, ("leagues", "bots", "rules", "seasons"))


def version(game: str, name: str, number: int, *parts: str) -> str:
    return bot(game, name, "v", number, *parts)


def source(game: str, name: str, number: int, against: str | None = None) -> str:
    return asking(version(game, name, number, "source"), against=against)


def submit(game: str, bot: str = "") -> str:
    return asking(path("games", game, "submit"), bot=bot)


def play(game: str, a: str = "", b: str = "") -> str:
    return asking(path("games", game, "play"), a=a, b=b)


def page_of_name(game: str, name: str) -> str:
    """Return the page of what a name means: `kraken@v8` that of a version, `kraken` that of a bot."""
    named = read_name(name)
    return bot(game, named.bot) if named.number is None else version(game, named.bot, named.number)


def versus(game: str, a: str, b: str) -> str:
    return asking(path("games", game, "versus"), a=a, b=b)


def matches(game: str, where: str = "", **query: str | int | None) -> str:
    return asking(path("games", game, "matches"), where=where, **query)


def compare(a: int, b: int = 0, *others: int) -> str:
    """Return where two matches are side by side; "" of another number of them."""
    return asking("/compare", a=a, b=b) if b and not others else ""


def gauntlets(**query: str | int | None) -> str:
    return asking("/gauntlets", **query)


def clarifications(number: int | None = None) -> str:
    return "/clarifications" if number is None else f"/clarifications#clarification-{number}"


def guide(page: str | None = None) -> str:
    return "/guide" if page is None else path("guide", page)


def data(address: str) -> str:
    return f"{API}{address}"


def feed(address: str) -> str:
    return f"{data(address)}/feed.atom"
