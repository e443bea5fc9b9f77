"""The viewer's place in a page: its files, what it needs there, and the matches that it shows."""

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

import engine
import ladder
from engine.errors import ArenaError, Refused, UsageFault
from engine.game import Game, Games
from ladder.database.connection import Connection
from ladder.ids import MatchId
from ladder.matches import match_rows
from ladder.viewer import script_of, style_in_site
from ladder.views.turns.match import find, watch_match
from ladder.views.turns.watched_match import WatchedMatch
from ladder.web.addresses import path
from ladder.web.conditional import known_unchanged
from ladder.web.site import Site, SiteHere

STYLE = "/static/viewer/viewer.css"
SCRIPTS = "/static/viewer/games"
FOR_GOOD = {"Cache-Control": "private, max-age=31536000, immutable"}
"""Of what has an address that changes with it."""
router = APIRouter()
PARTS = (Path(ladder.__path__[0]), Path(engine.__path__[0]))
READ = {".py", ".js", ".css", ".html", ".sql", ".toml", ".json"}
"""The endings of files that decide what is shown."""
DIGITS = 32


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


@router.get(STYLE)
def style() -> Response:
    return Response(style_in_site(), headers=FOR_GOOD, media_type="text/css; charset=utf-8")


@router.get(SCRIPTS + "/{game}.js")
def script(site: SiteHere, game: str) -> Response:
    return Response(script_of(site.games.find(game)), headers=FOR_GOOD, media_type="text/javascript; charset=utf-8")


@cache
def fingerprint_of_folder(folder: Path) -> str:
    """Return a digest that changes with the files of a folder. It is made once, as a running program stays as it is."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in READ)
    stats = [(str(path.relative_to(folder)), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    return sha256(repr(stats).encode()).hexdigest()[:DIGITS]


@cache
def fingerprint_of_program() -> str:
    folders = [fingerprint_of_folder(folder) for folder in PARTS]
    return sha256(repr([version("ladder-arena"), *folders]).encode()).hexdigest()[:DIGITS]


def etag_of(*known: object, game: Game | None = None) -> str:
    of_game = None if game is None else (game.name, game.rules_version, fingerprint_of_folder(game.folder))
    return f'W/"{sha256(repr((fingerprint_of_program(), of_game, known)).encode()).hexdigest()[:DIGITS]}"'


def stage_for(game: Game, data: str) -> dict[str, str]:
    """Return the addresses of the viewer's files and of the matches that it shows. Raises GameFault for a drawing."""
    script = f"{SCRIPTS}{path(f'{game.name}.js')}?{digest(script_of(game))}"
    return {"script": script, "style": f"{STYLE}?{digest(style_in_site())}", "data": data}


def watched_match(connection: Connection, games: Games, match_id: MatchId, *, is_led: bool = True) -> WatchedMatch:
    """Read a match, turn by turn. Raises UnknownName, and Refused with the reason where it cannot be shown so."""
    try:
        return watch_match(connection, games, match_id, is_led=is_led)
    except (UsageFault, Refused):
        raise
    except ArenaError as error:
        raise Refused(f"match {match_id} cannot be shown turn by turn: {error}") from error


def of_matches(
    site: Site, request: Request, match_ids: Sequence[MatchId], show: Callable[[list[WatchedMatch]], Response]
) -> Response:
    """Return what `show` makes of matches, or 304 if the browser has it already. Raises as `watched_match`."""
    with site.reading() as connection:
        rows = [find(connection, match_id) for match_id in match_ids]
        game = site.games.find(rows[0].game, rows[0].edition)
        etag = etag_of(rows, match_rows.seats_of(connection, match_ids), game=game)
        unchanged = known_unchanged(request, etag)
        if unchanged is not None:
            return unchanged
        matches = [watched_match(connection, site.games, match_id) for match_id in match_ids]
    answer = show(matches)
    answer.headers["ETag"] = etag
    return answer
