"""In which turns a match was lost, for people."""

from __future__ import annotations

from rich.text import Text

from engine.endings import turn_words
from ladder.views.turns.losing import Loss


def loss_text(loss: Loss, match: object) -> Text:
    """Say in one sentence how a match was lost, and below it in a row each what brought the loser nearer to it.

    `match`: what names it on the command line.
    """
    places = [turn_words(blow.own_turn, blow.turn) for blow in loss.blows]
    width = max(map(len, places), default=0)
    rows = [f"  {place:{width}}  {blow.text}" for place, blow in zip(places, loss.blows, strict=True)]
    turn = f" --turn {loss.blows[0].turn}" if loss.blows else ""
    return Text("\n".join([loss.sentence, *rows, f"look at it: `ladder match view {match}{turn}`"]))
