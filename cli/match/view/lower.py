"""The lower part of the viewer: what a seat wrote to stderr in its turn, and what it was sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from engine.text import counted, harmless

if TYPE_CHECKING:
    from cli.match.view.place import Place
    from cli.match.view.scene import Scene
    from engine.replay import ReplayTurn

TAB = 4


def stderr_lines(scene: Scene, place: Place, width: int, height: int, seat: int | None = None) -> list[Text]:
    """Return what a seat wrote to stderr in its latest turn. `seat`: None for the one whose turn it is."""
    turn = turn_of(scene, place, seat)
    if turn is None:
        return [heading("stderr", width)]
    lines = turn.stderr.rstrip("\n").split("\n") if turn.stderr else []
    scroll = place.scroll if turn.number == place.turn else 0
    return framed(f"stderr of seat {turn.seat}", lines, scroll, place.sought, width, height)


def input_lines(scene: Scene, place: Place, width: int, height: int) -> list[Text]:
    """Return what the seat whose turn it is was sent."""
    turn = turn_of(scene, place, None)
    if turn is None:
        return [heading("input", width)]
    if turn.input is None:
        return [heading(f"input of seat {turn.seat}: not known by the rules of today", width)]
    return framed(f"input of seat {turn.seat}", turn.input, place.scroll, "", width, height)


def turn_of(scene: Scene, place: Place, seat: int | None) -> ReplayTurn | None:
    """Return the turn that is looked at, or a seat's latest one up to it; None at the start."""
    if seat is not None:
        return scene.latest(place.turn, seat)
    return scene.turns[place.turn - 1] if place.turn else None


def heading(words: str, width: int) -> Text:
    """Return the line above a part."""
    return Text(f"── {words} {'─' * width}"[:width], "dim")


def framed(words: str, lines: Sequence[str], scroll: int, sought: str, width: int, height: int) -> list[Text]:
    """Return lines under their heading, from the one that is scrolled to; the heading says how many there are."""
    if not lines:
        return [heading(f"{words}: nothing", width)]
    first = max(0, min(scroll, len(lines) - height + 1))
    shown = lines[first : first + height - 1]
    hidden = len(lines) - len(shown)
    count = (
        f": lines {first + 1} to {first + len(shown)} of {len(lines)}, PgDn"
        if hidden
        else f", {counted(len(lines), 'line')}"
    )
    return [heading(words + count, width), *(marked(line, sought, width) for line in shown)]


def marked(line: str, sought: str, width: int) -> Text:
    """Return the beginning of a line as it can be shown, with the words marked that are looked for."""
    shown = harmless(line[: 2 * width]).expandtabs(TAB)
    text = Text(shown)
    if sought:
        words, begin = sought.casefold(), -1
        while (begin := shown.casefold().find(words, begin + 1)) >= 0:
            text.stylize("reverse", begin, begin + len(sought))
    return text
