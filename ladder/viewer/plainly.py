"""What a page shows without script: the result of a match, and a table of its turns."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from engine.replay import ReplayTurn
from engine.text import counted, one_line, time_words
from ladder.views.turns.watched import WatchedMatch

LONGEST_CELL = 200
COLUMNS = ("turn", "bot", "line", "charged", "events")


def safe(text: str) -> str:
    """Return a text as HTML in which nothing steers: no markup, no control characters, one line."""
    return escape(one_line(text))


def shown(text: str) -> str:
    """Return the beginning of a text, likewise."""
    return safe(text[:LONGEST_CELL]) + ("…" if len(text) > LONGEST_CELL else "")


def title_of(watched: WatchedMatch) -> str:
    """Return who played whom and how it ended, as HTML."""
    names = [shown(seat.version) for seat in watched.seats]
    scores = ["?" if seat.score is None else str(seat.score) for seat in watched.seats]
    return beside_scores(names, scores)


def beside_scores(names: Sequence[str], scores: Sequence[str]) -> str:
    """Write two names with their scores between them; of more each with its own."""
    if len(names) == len(("left", "right")):
        return f"{names[0]} {scores[0]} : {scores[1]} {names[1]}"
    return ", ".join(f"{name} {score}" for name, score in zip(names, scores, strict=True))


def command_of(watched: WatchedMatch) -> str:
    """Return the command that views a match."""
    return f"ladder match view {watched.id}"


def result_of(watched: WatchedMatch, *, level: int) -> str:
    """Return the result of a match as HTML. `level`: of its heading."""
    names = [
        f'<bdi class="of-{seat.seat}{" winner" if seat.result == "win" else ""}">{shown(seat.version)}</bdi>'
        for seat in watched.seats
    ]
    scores = ["?" if seat.score is None else str(seat.score) for seat in watched.seats]
    turns = len(watched.replay.turns)
    messages = [f"{shown(seat.version)}: {shown(seat.message)}" for seat in watched.seats if seat.message]
    facts = [
        safe(f"{watched.name}, {watched.game}, league {watched.league}, seed {watched.seed}"),
        f"{safe(watched.ending)} after {counted(turns, 'turn')}" if turns else safe(watched.ending),
        *messages,
        f"<code>{safe(command_of(watched))}</code>",
    ]
    heading = f"<h{level}>{beside_scores(names, scores)}</h{level}>"
    return f'<div class="result">\n{heading}\n<p class="quiet">{"; ".join(facts)}</p>\n</div>'


def table_of(watched: WatchedMatch) -> str:
    """Return all turns of a match as a table."""
    head = "".join(f'<th scope="col">{column}</th>' for column in COLUMNS)
    names = [shown(seat.version) for seat in watched.seats]
    rows = "\n".join(row_of(turn, names[turn.seat]) for turn in watched.replay.turns)
    heading = f"<h2>All turns of {safe(watched.name)}</h2>"
    return f'{heading}\n<table class="all">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>'


def row_of(turn: ReplayTurn, name: str) -> str:
    """Return one turn."""
    line = "(no answer)" if turn.line is None else shown(turn.line)
    limit = "" if turn.limit_ms is None else f" of {time_words(1000 * turn.limit_ms)}"
    charged = f"{time_words(turn.spent.charged_us)}{limit}"
    events = " ".join(shown(event.text) for event in turn.events)
    said = f'<td class="said" dir="ltr">{line}</td>'
    return f"<tr><td>{turn.number}</td><td>{name}</td>{said}<td>{charged}</td><td>{events}</td></tr>"
