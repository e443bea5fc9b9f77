"""What shows a game's matches to people, tried on matches that were played: its `frames.py`, and that it is drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engine.errors import plain_words
from engine.frames import Frames
from engine.game import Game, Pictures
from engine.games.golden import MatchRecord, RecordedAsk


def complaints(game: Game, records: tuple[MatchRecord, ...]) -> Iterator[str]:
    """Complain where pictures do not follow a match, cannot be JSON, or cannot be drawn. Raises GameFault."""
    pictures, drawings = game.pictures(), (game.drawing, game.text_drawing())
    if pictures is None:
        if any(drawings):
            yield f"{game.folder}: draw.js or draw.py is there, and no frames.py with states that they could draw"
        return
    for record in records:
        where = f"{game.folder}, frames.py, level {record.rules_level}, seed {record.seed}"
        try:
            frames = pictures.frames(record.seed, record.rules_level, game.limits)
            yield from (f"{where}: {fault}" for fault in astray(frames, record.asks))
            yield from (f"{where}: {fault}" for fault in unseeing(pictures, record))
        except Exception as error:  # noqa: BLE001 - the game's own code may raise anything
            yield f"{where}: {type(error).__name__}: {plain_words(error)}"


def astray(frames: Frames, asks: tuple[RecordedAsk, ...]) -> Iterator[str]:
    """Lead a match once more; say where it asks something else, or shows what its readers cannot use."""
    if not all(isinstance(frames.setup.get(side), int) for side in ("width", "height")):
        yield "setup lacks the numbers width and height"
    answer: str | None = None
    for number, recorded in enumerate(asks, 1):
        try:
            ask = frames.referee.send(answer if number > 1 else None)
        except StopIteration:
            yield f"the match ends before ask {number}, which its referee has"
            return
        if (ask.seat, ask.lines) != (recorded.seat, recorded.lines):
            yield f"ask {number} is another than that of the referee"
            return
        answer = recorded.answer
        json.dumps([frames.setup, frames.state(), frames.advantage()])
        if len(frames.values()) != len(frames.curves):
            yield f"at ask {number} there are {len(frames.values())} values for {len(frames.curves)} curves"
            return


def unseeing(pictures: Pictures, record: MatchRecord) -> Iterator[str]:
    """Say where there is not one view for each time that a seat was asked."""
    if pictures.knowledge is None:
        return
    for seat in range(len(record.scores)):
        own = [ask for ask in record.asks if ask.seat == seat]
        views = list(pictures.knowledge(record.rules_level, [ask.lines for ask in own], [ask.answer for ask in own]))
        if len(views) != len(own):
            yield f"knowledge has {len(views)} views for the {len(own)} asks of seat {seat}"
