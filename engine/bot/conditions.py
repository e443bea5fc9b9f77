"""The conditions under which a league's bots play: what they may use, what they may say, and how time is counted."""

from dataclasses import field

from engine.bot.clock import TimeRule
from engine.boxes import Limits
from engine.immutable import immutable

FLOOD_BYTES = 10_000
"""This many bytes without a line end are not an answer; source: the transport rules of CodinGame's runner."""


@immutable
class OutputLimits:
    """`line_bytes`: so many without an end are a flood. `stderr_turn_bytes`, `stderr_match_bytes`: how much is kept."""

    line_bytes: int = FLOOD_BYTES
    stderr_turn_bytes: int = 4_096
    stderr_match_bytes: int = 204_800


@immutable
class Conditions:
    """`early_line_loses`: by a line before it is asked for. `trusted`: a game's own command may start the bots."""

    limits: Limits = field(default_factory=Limits)
    output: OutputLimits = field(default_factory=OutputLimits)
    time: TimeRule = field(default_factory=TimeRule)
    early_line_loses: bool = False
    trusted: bool = False


OFFICIAL = Conditions()
"""As on CodinGame, with the fair clock: the default."""
