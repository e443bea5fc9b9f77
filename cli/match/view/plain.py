"""A match as plain text: the whole in short, or one turn of it.

Imports inside functions: commands that show no match start without what shows one, and plain text without Textual.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from rich.text import Text

from cli.context import Context
from cli.match.view.picture import Look, picture
from cli.match.view.scene import ALL, TALK, Scene
from cli.match.view.sides import event_lines, legend_lines, side_lines, title, turn_words
from cli.options.pages import game_to_show
from cli.terminal.words import indent, quoted
from engine.text import counted, listed, one_line
from ladder.views.turns.losing import loss_in
from ladder.views.turns.watched import WatchedMatch


def open_view(context: Context, watched: WatchedMatch, turn: int | None = None, *, is_lost: bool = False) -> None:
    """Show a match on the terminal, or print it in short. `turn`: that alone; `is_lost`: from where it was lost."""

    scene = scene_of(context, watched)
    if turn is not None or not scene.turns or not is_screen():
        is_coloured = context.out.color_system is not None and not context.out.no_color
        lines = match_lines(scene) if turn is None else turn_lines(scene, turn, is_coloured=is_coloured)
        context.show(quoted(Text("\n").join(lines)))
        return
    from cli.match.view.app import run_viewer

    run_viewer(scene, is_lost=is_lost)


def is_screen() -> bool:
    files = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    if not all(file is not None and file.isatty() and file.encoding.lower() == "utf-8" for file in files):
        return False
    return os.environ.get("TERM", "dumb") not in {"dumb", "unknown"}


UNFOLDED = 10_000_000
"""Columns of texts that the console folds, where it has to."""


def scene_of(context: Context, watched: WatchedMatch) -> Scene:
    """Put a match and its game's way to draw it together. Raises GameFault for a broken `draw.py`."""
    game = game_to_show(context, watched)
    return Scene(watched, None if game is None else game.text_drawing())


def match_lines(scene: Scene) -> Iterator[Text]:
    replay = scene.watched.replay
    yield Text(title(scene))
    if replay.turns:
        yield Text(counted(len(replay.turns), "turn"))
    if replay.fault:
        yield Text(f"no pictures: {replay.fault}")
    if loss := loss_in(scene.watched):
        yield Text(one_line(loss.sentence))
    if replay.turning_points:
        yield Text(f"turning points: {listed([f'turn {number}' for number in sorted(replay.turning_points)])}")
    yield Text()
    for turn in replay.turns:
        for event in turn.events:
            if event.kind != TALK:
                yield Text(f"{turn.number:4}  seat {event.seat}  {one_line(event.text)}")
    if not replay.turns:
        return
    yield Text()
    example = replay.turning_points[0] if replay.turning_points else len(replay.turns)
    yield Text(f"`ladder match view {scene.watched.id} --turn {example}` prints one turn with its picture")


def turn_lines(scene: Scene, number: int, *, is_coloured: bool) -> Iterator[Text]:
    turn = scene.watched.turn(number)
    yield Text(title(scene))
    yield Text(turn_words(scene, number))
    if scene.watched.replay.fault:
        yield Text(f"no pictures: {scene.watched.replay.fault}")
    for part in (
        picture(scene, number, Look(is_coloured=is_coloured)),
        list(legend_lines(scene, UNFOLDED)),
        *(list(side_lines(scene, number, seat, ALL, UNFOLDED)) for seat in scene.seats),
        list(event_lines(scene, number, UNFOLDED)),
        titled("input", "\n".join(turn.input or ())),
        titled("stderr", turn.stderr),
    ):
        if part:
            yield Text()
            yield from part


def state_lines(scene: Scene, number: int, *, is_coloured: bool) -> Iterator[Text]:
    """Draw how both sides are after a turn: the map, what its signs mean, and the numbers beside it."""
    yield from picture(scene, number, Look(is_coloured=is_coloured))
    yield from legend_lines(scene, UNFOLDED)
    for seat in scene.seats:
        facts = [f"{fact.title} {fact.values[seat]}" for fact in scene.facts(number)]
        yield Text(f"seat {seat}: {' · '.join(facts)}")


def titled(title: str, text: str) -> list[Text]:
    return [Text(title, "bold"), Text(indent(text))] if text else []
