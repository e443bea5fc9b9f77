"""`ladder match compare`: where two matches part, in words and on one page."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from cli.answer import Answer
from cli.context import Context
from cli.options.pages import write_page
from cli.terminal.words import quoted
from engine.text import counted, shortened
from ladder.views.turns.comparison import Compared, compare
from ladder.views.turns.watched import WatchedMatch


def comparison(context: Context, both: tuple[WatchedMatch, WatchedMatch], page: Path | None, *, over: bool) -> Answer:
    """Say where two matches part. `page`: a file that shows both; `over`: it may exist already.

    Raises UsageFault where they are not of one game and seed, or the page cannot be written; Refused where it may not.
    """
    found = compare(*both)
    if page is not None:
        write_page(context, page, *both, over=over)
    return Answer(found, lambda: quoted(compared_text(found)))


def compared_text(found: Compared) -> Text:
    lines = [
        f"{name}: {' - '.join(players)}  {':'.join(map(str, scores))} ({ended}, {counted(turns, 'turn')})"
        for name, players, scores, ended, turns in zip(
            found.names, found.players, found.scores, found.endings, found.turns, strict=True
        )
    ]
    parting = found.parting
    if parting is None:
        return Text("\n".join([*lines, "both went the same way"]))
    lines.append(
        f"turn {parting.turn} is the first that differs; seat {parting.seat} said (its turn {parting.own_turn})"
    )
    width = max(map(len, found.names))
    for name, line in zip(found.names, parting.lines, strict=True):
        lines.append(f"  in {name:{width}}: {'nothing' if line is None else shortened(line)}")
    return Text("\n".join(lines))
