"""Where the viewer's script and style sheet are: at addresses that change with them; each game brings its drawing."""

from __future__ import annotations

from functools import cache
from hashlib import sha256

from engine.game import Game
from ladder.viewer.script import script_of
from ladder.viewer.style import style_in_site
from ladder.web.addresses import path

STYLE = "/static/viewer/viewer.css"
SCRIPTS = "/static/viewer/games"


@cache
def style_address() -> str:
    """Return where the style sheet is."""
    return f"{STYLE}?{digest(style_in_site())}"


def script_address(game: Game) -> str:
    """Return where the script is. Raises GameFault for a drawing that cannot be used."""
    return f"{SCRIPTS}{path(f'{game.name}.js')}?{digest(script_of(game))}"


def digest(text: str) -> str:
    """Return a short digest of a text."""
    return sha256(text.encode()).hexdigest()[:12]
