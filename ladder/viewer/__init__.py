"""A match as one HTML file that needs no network: its parts, its style, the same in plain text, and what it may do.

The folder `assets` has the page itself: its modules (the first to read is `main.js`), its style sheet, its frame.

How this works. The matches are JSON (see `ladder.views.turns.watched_match`), packed by gzip and base64; the browser
unpacks them. A Content-Security-Policy in the page lets nothing run but the one script and nothing style it but the one
style sheet, both by their hashes, and allows no request at all. Text of bots is in the packed part, and comes into the
page as text alone (the policy lets no script make markup of it), or it is escaped here.

There is one style sheet, written for the page of a match as a file. In a site's page its rules stand inside of
`.viewer`, as style sheets can be nested: so they style nothing else there, and what the sheet says of the whole page
(`:root`, `body`) it says of that place.

The script. Its modules are those of JavaScript, each in a file, as a server would hand them out. A file that is
opened from a disk can import none; so they are joined in the order in which they need each other, without their
`import` lines, the word `export`, lines of comments and indentation. Their names at the top are therefore unique. A
game's `draw.js`, likewise, becomes one value, `game`, with the functions that the viewer calls; `null` where there is
none.
"""

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from graphlib import TopologicalSorter
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from engine.bot.clock import whose_fault
from engine.errors import GameFault
from engine.frames import DRAWING_FUNCTIONS
from engine.game import Game
from engine.replay import ReplayTurn
from engine.text import counted, one_line, time_words
from ladder.views.turns.lost_matches import loss_in
from ladder.views.turns.watched_match import WatchedMatch, compare, replay_data

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
    """Return the script of a page that shows matches of a game, None: of any. Raises GameFault for a bad drawing."""
    return f"{game_module(game)}\n{viewer_script()}"


@cache
def viewer_script() -> str:
    modules = {path.stem: path.read_text("utf-8") for path in sorted(ASSETS.glob("*.js"))}
    needs = {name: set(IMPORT.findall(text)) - {GAME} for name, text in modules.items()}
    order = TopologicalSorter(needs).static_order()
    return "".join(joined(modules[name]) for name in order)


def joined(module: str) -> str:
    return INDENTATION.sub("", COMMENT.sub("", EXPORT.sub("", IMPORT.sub("", module))))


def game_module(game: Game | None) -> str:
    text = None if game is None else game.drawing
    if game is None or text is None:
        return f"const {GAME} = null;"
    path = game.folder / DRAWING
    if ENDS_SCRIPT.search(text):
        raise GameFault(f"{path} holds </script or <!--, which would end the script of a page: write it in two parts")
    return f"const {GAME} = (() => {{\n{joined(text)}\nreturn {{ {', '.join(DRAWING_FUNCTIONS)} }};\n}})();"


WHOLE_PAGE = re.compile(r"^( *)(?::root|body)(?= \{)", re.MULTILINE)


@cache
def style_of_page() -> str:
    return (ASSETS / "page.css").read_text("utf-8")


@cache
def style_in_site() -> str:
    rules = WHOLE_PAGE.sub(r"\1&", style_of_page())
    return f".viewer {{\n{rules}}}\n"


LONGEST_CELL = 200
COLUMNS = ("turn", "bot", "line", "charged", "events")


def safe(text: str) -> str:
    return escape(one_line(text))


def cell_text(text: str) -> str:
    return safe(text[:LONGEST_CELL]) + ("…" if len(text) > LONGEST_CELL else "")


def beside_scores(watched: WatchedMatch, names: Sequence[str]) -> str:
    scores = ["?" if seat.score is None else str(seat.score) for seat in watched.seats]
    if len(names) == 2:
        return f"{names[0]} {scores[0]} : {scores[1]} {names[1]}"
    return ", ".join(f"{name} {score}" for name, score in zip(names, scores, strict=True))


def command_of(watched: WatchedMatch) -> str:
    return f"ladder match view {watched.id}"


def result_of(watched: WatchedMatch, *, level: int) -> str:
    """Return the result of a match as HTML. `level`: of its heading."""
    names = [
        f'<bdi class="of-{seat.seat}{" winner" if seat.result == "win" else ""}">{cell_text(seat.version)}</bdi>'
        for seat in watched.seats
    ]
    turns = len(watched.replay.turns)
    messages = [f"{cell_text(seat.version)}: {cell_text(seat.message)}" for seat in watched.seats if seat.message]
    facts = [
        safe(f"{watched.name}, {watched.game}, league {watched.league}, seed {watched.seed}"),
        f"{safe(watched.ending)} after {counted(turns, 'turn')}" if turns else safe(watched.ending),
        *messages,
        f"<code>{safe(command_of(watched))}</code>",
    ]
    heading = f"<h{level}>{beside_scores(watched, names)}</h{level}>"
    return f'<div class="result">\n{heading}\n<p class="quiet">{"; ".join(facts)}</p>\n</div>'


def table_of(watched: WatchedMatch) -> str:
    head = "".join(f'<th scope="col">{column}</th>' for column in COLUMNS)
    names = [cell_text(seat.version) for seat in watched.seats]
    rows = "\n".join(row_of(turn, names[turn.seat]) for turn in watched.replay.turns)
    heading = f"<h2>All turns of {safe(watched.name)}</h2>"
    return f'{heading}\n<table class="all">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>'


def row_of(turn: ReplayTurn, name: str) -> str:
    line = "(no answer)" if turn.line is None else cell_text(turn.line)
    limit = "" if turn.limit_ms is None else f" of {time_words(1000 * turn.limit_ms)}"
    charged = f"{time_words(turn.spent.charged_us)}{limit}"
    events = " ".join(cell_text(event.text) for event in turn.events)
    line_cell = f'<td class="said" dir="ltr">{line}</td>'
    return f"<tr><td>{turn.number}</td><td>{name}</td>{line_cell}<td>{charged}</td><td>{events}</td></tr>"


MOST_MATCHES = 2


def page_of(matches: Sequence[WatchedMatch], game: Game | None) -> str:
    """Return the page of a match, or of two on one seed. Raises UsageFault for two seeds, GameFault."""
    style, script = style_of_page(), script_of(game)
    return Template((ASSETS / "page.html").read_text("utf-8")).substitute(
        policy=policy_of(style, script),
        title=" | ".join(beside_scores(match, [cell_text(seat.version) for seat in match.seats]) for match in matches),
        style=style,
        results="\n".join(result_of(match, level=1 if index == 0 else 2) for index, match in enumerate(matches)),
        tables="\n".join(table_of(match) for match in matches),
        data=packed(page_data(matches)),
        script=script,
    )


def page_data(matches: Sequence[WatchedMatch]) -> dict[str, Any]:
    parting = compare(*matches).parting if len(matches) == MOST_MATCHES else None
    return {
        "matches": [match_data(match) for match in matches],
        "parting": None if parting is None else {"turn": parting.turn, "seat": parting.seat},
    }


def match_data(watched: WatchedMatch) -> dict[str, Any]:
    loss = loss_in(watched)
    turns = watched.replay.turns
    return {
        "name": watched.name,
        "command": command_of(watched),
        "ending": watched.ending,
        "loss": "" if loss is None else loss.sentence,
        "faults": ["" if turn.limit_ms is None else whose_fault(turn.spent, turn.limit_ms) for turn in turns],
        "replay": replay_data(watched),
    }


def packed(data: object) -> str:
    text = json.dumps(data, separators=(",", ":"))
    return b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def policy_of(style: str, script: str) -> str:
    rules = (
        "default-src 'none'",
        f"script-src {hash_of(script)}",
        f"style-src {hash_of(style)}",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    )
    return "; ".join(rules)


def hash_of(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
