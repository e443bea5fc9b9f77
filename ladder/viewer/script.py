"""The page's modules, and the game's drawing, as one script.

How this works. The modules are those of JavaScript, each in a file, as a server would hand them out. A file that is
opened from a disk can import none; so they are joined in the order in which they need each other, without their
`import` lines, the word `export`, lines of comments and indentation. Their names at the top are therefore unique. A
game's `draw.js`, likewise, becomes one value, `game`, with the functions that the viewer calls; `null` where there is
none.
"""

from __future__ import annotations

import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from engine.errors import GameFault
from engine.frames import DRAWING_FUNCTIONS
from engine.game import Game

ASSETS = Path(__file__).parent / "assets"
DRAWING = "draw.js"
GAME = "game"
"""The module that the others import for what a game draws."""
IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?function|class|const|let)", re.MULTILINE)
COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*.*?\*/) *\n", re.MULTILINE | re.DOTALL)
INDENTATION = re.compile(r"^ +|\n(?=\n)", re.MULTILINE)
ENDS_SCRIPT = re.compile(r"</script|<!--", re.IGNORECASE)


def script_of(game: Game | None) -> str:
    """Return the script of a page that shows matches of a game, None: of any, without pictures.

    Raises GameFault for a drawing that cannot be used.
    """
    return f"{game_module(game)}\n{viewer_script()}"


@cache
def viewer_script() -> str:
    """Return our own modules as one script."""
    modules = {path.stem: path.read_text("utf-8") for path in sorted(ASSETS.glob("*.js"))}
    needs = {name: set(IMPORT.findall(text)) - {GAME} for name, text in modules.items()}
    order = TopologicalSorter(needs).static_order()
    return "".join(joined(modules[name]) for name in order)


def joined(module: str) -> str:
    """Return a module as a part of a script."""
    return INDENTATION.sub("", COMMENT.sub("", EXPORT.sub("", IMPORT.sub("", module))))


def game_module(game: Game | None) -> str:
    """Return what a game draws, as a value. Raises GameFault."""
    text = None if game is None else game.drawing
    if game is None or text is None:
        return f"const {GAME} = null;"
    path = game.folder / DRAWING
    if ENDS_SCRIPT.search(text):
        raise GameFault(f"{path} holds </script or <!--, which would end the script of a page: write it in two parts")
    return f"const {GAME} = (() => {{\n{joined(text)}\nreturn {{ {', '.join(DRAWING_FUNCTIONS)} }};\n}})();"
