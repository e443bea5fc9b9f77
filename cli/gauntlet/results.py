"""What gauntlets have said of a bot's versions, and which version waits for one before it comes onto the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.answer import ExitStatus
from cli.context import Context
from ladder import views

if TYPE_CHECKING:
    from ladder.gauntlets.gauntlets import Gauntlet
    from ladder.views.gauntlets import Result

STATUS = {"passed": ExitStatus.OK, "failed": ExitStatus.FAILED, "undecided": ExitStatus.UNDECIDED}


def result_text(result: Result) -> str:
    text = f"{result.version}, gauntlet {result.gauntlet}, {result.conclusion}"
    return f"{text}; {waiting_text(result)}" if result.holds_back else text


def waiting_text(result: Result) -> str:
    if result.state == "running":
        return "it comes onto the board when it has passed"
    if result.verdict == "passed":
        return "it comes onto the board at once"
    return f"it is not on the board; to override: `ladder bot activate {result.version}`"


def print_held(context: Context, gauntlet: Gauntlet) -> int:
    """Say why a version stays off the board and who plays in its place. Returns the exit status of the verdict."""
    found = context.watch(views.gauntlets.held_back, gauntlet)
    context.show(result_text(found.result))
    if found.plays_on is not None:
        context.show(f"{found.plays_on} plays on")
    return STATUS[gauntlet.verdict or "undecided"]
