"""What a match used of the allowance for the work of bots' runtimes. See engine.bot.runtime_work."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.text import Text

from cli.render import milliseconds

if TYPE_CHECKING:
    from engine.match import Turn


def allowances_us(turns: Iterable[Turn]) -> tuple[int, int]:
    """Add up for each seat what the allowance for its runtime's work bore of its turns."""
    drawn_us = [0, 0]
    for turn in turns:
        drawn_us[turn.seat] += turn.spent.runtime_us
    return drawn_us[0], drawn_us[1]


def allowances_text(turns: Iterable[Turn]) -> Text:
    """Say of each seat that used its allowance for the runtime's work how much; empty where none did."""
    lines = [
        f"seat {seat}: {milliseconds(drawn_us)} of the allowance for its runtime's own work were used\n"
        for seat, drawn_us in enumerate(allowances_us(turns))
        if drawn_us
    ]
    return Text("".join(lines))
