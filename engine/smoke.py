"""The smoke match: before a bot is let in it plays itself, to show that it starts, speaks and keeps to the rules."""

from __future__ import annotations

from engine.conditions import Conditions
from engine.conversation import Verdict
from engine.match import MatchResult, MatchSpec, play
from engine.sandbox.box import Sandbox
from engine.toolchain import Program

SMOKE_SEED = 1
"""Of every trial match."""
TRIES = 3
"""A time-out may be the host's doing, so it is believed only when it happens every time."""


def smoke(program: Program, spec: MatchSpec, sandbox: Sandbox, conditions: Conditions) -> str | None:
    """Play the program against itself. Return None if all went well, else what went wrong and the bot's last words."""
    complaint: str | None = None
    for _ in range(TRIES):
        result = play(spec, (program, program), sandbox, conditions)
        seat = failed_seat(result)
        if seat is None:
            return None
        complaint = describe(result, seat)
        if result.outcome.verdicts[seat].verdict is not Verdict.TIMEOUT:
            break
    return complaint


def failed_seat(result: MatchResult) -> int | None:
    """Return the first seat that did not end well, or None."""
    for seat, verdict in enumerate(result.outcome.verdicts):
        if verdict.verdict is not Verdict.OK:
            return seat
    return None


def describe(result: MatchResult, seat: int) -> str:
    """Say what went wrong in a seat and what the bot wrote to stderr."""
    said = f"in a trial match against itself: {result.outcome.verdicts[seat].words}"
    stderr = result.stderr[seat].strip("\r\n").rstrip()
    return f"{said}\nits stderr:\n{stderr}" if stderr else said
